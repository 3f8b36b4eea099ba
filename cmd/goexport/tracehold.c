// SPDX-License-Identifier: Apache-2.0
#include "tracehold.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "diag.h"
#include "idhash.h"

#define BUCKETS 16384

#define S 1000000000ull
/* A trace whose first span has ended gets no more after this. */
#define ROOTED_NS (5 * S)
/* Another one may still run. */
#define OPEN_NS (60 * S)
/* One span with a wrong time does not age all that is held. */
#define LEAP_NS (10 * S)

struct held_trace {
	uint8_t id[16];
	struct kept_span *spans, **last;
	uint64_t end; /* when it had its last span, in the stream's time */
	struct held_list *list;
	struct held_trace *chain, *older, *newer;
};

struct held_list {
	struct held_trace *oldest, *newest;
	uint64_t patience;
};

struct tracehold {
	const struct filter *filter;
	void (*out)(void *arg, const struct spanrec *sp);
	void *arg;
	struct held_trace *bucket[BUCKETS];
	struct held_list open, rooted, wanted;
	uint64_t now;
	size_t n_spans, n_wanted, bytes;
	uint64_t kept, dropped, undecided; /* traces */
	bool arrived;
	int64_t idle_since;
};

struct tracehold *tracehold_new(const struct filter *f,
				void (*out)(void *arg, const struct spanrec *sp), void *arg)
{
	struct tracehold *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->filter = f;
	h->out = out;
	h->arg = arg;
	h->open.patience = h->wanted.patience = OPEN_NS;
	h->rooted.patience = ROOTED_NS;
	return h;
}

static struct held_trace **slot_of(struct tracehold *h, const uint8_t id[16])
{
	struct held_trace **at = &h->bucket[idhash(id) % BUCKETS];

	while (*at && memcmp((*at)->id, id, sizeof((*at)->id)))
		at = &(*at)->chain;
	return at;
}

static void list_remove(struct held_trace *t)
{
	struct held_list *l = t->list;

	*(t->older ? &t->older->newer : &l->oldest) = t->newer;
	*(t->newer ? &t->newer->older : &l->newest) = t->older;
}

static void list_append(struct held_list *l, struct held_trace *t)
{
	t->list = l;
	t->newer = NULL;
	t->older = l->newest;
	*(l->newest ? &l->newest->newer : &l->oldest) = t;
	l->newest = t;
}

static void move_to(struct held_list *l, struct held_trace *t)
{
	list_remove(t);
	list_append(l, t);
}

/* Frees its spans, after they are given out if it is @wanted. */
static void empty(struct tracehold *h, struct held_trace *t, bool wanted)
{
	for (struct kept_span *k = t->spans; k; k = k->next) {
		if (wanted)
			h->out(h->arg, &k->sp);
		h->n_spans--;
		h->bytes -= k->size;
	}
	kept_span_free_list(t->spans);
	t->spans = NULL;
	t->last = &t->spans;
}

static void forget(struct tracehold *h, struct held_trace *t)
{
	if (t->list == &h->wanted)
		h->n_wanted--;
	*slot_of(h, t->id) = t->chain;
	list_remove(t);
	empty(h, t, false);
	free(t);
}

static void forget_all(struct tracehold *h, struct held_list *l)
{
	while (l->oldest)
		forget(h, l->oldest);
}

void tracehold_free(struct tracehold *h)
{
	if (!h)
		return;
	forget_all(h, &h->open);
	forget_all(h, &h->rooted);
	forget_all(h, &h->wanted);
	free(h);
}

/* Those of the list that are too old, but for one that has just had a span. */
static void expire(struct tracehold *h, struct held_list *l)
{
	struct held_trace *t;

	/* The analyzer does not see that what was freed has left its list. */
	// NOLINTNEXTLINE(clang-analyzer-unix.Malloc)
	while ((t = l->oldest) && t->end + l->patience < h->now) {
		h->dropped += l != &h->wanted;
		forget(h, t);
	}
}

static void make_room(struct tracehold *h, size_t size)
{
	while (h->n_spans && (h->n_spans >= TRACEHOLD_SPANS || h->bytes + size > TRACEHOLD_BYTES)) {
		if (!h->undecided++)
			diag(DIAG_WARNING,
			     "filter: too much is held; the oldest traces are given up "
			     "before they are complete");
		forget(h, h->open.oldest ? h->open.oldest : h->rooted.oldest);
	}
	if (h->n_wanted > TRACEHOLD_WANTED)
		forget(h, h->wanted.oldest);
}

static void advance(struct tracehold *h, uint64_t end)
{
	if (!h->now || end < h->now)
		h->now = h->now ? h->now : end;
	else
		h->now = end - h->now > LEAP_NS ? h->now + LEAP_NS : end;
	expire(h, &h->open);
	expire(h, &h->rooted);
	expire(h, &h->wanted);
}

static struct held_trace *trace_of(struct tracehold *h, const uint8_t id[16])
{
	struct held_trace *t = *slot_of(h, id);

	if (t)
		return t;
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	memcpy(t->id, id, sizeof(t->id));
	t->last = &t->spans;
	*slot_of(h, id) = t;
	list_append(&h->open, t);
	return t;
}

static int hold(struct tracehold *h, struct held_trace *t, const struct spanrec *sp)
{
	struct kept_span *k = kept_span_new(sp);

	if (!k)
		return -ENOMEM;
	*t->last = k;
	t->last = &k->next;
	h->n_spans++;
	h->bytes += k->size;
	move_to(!sp->has_parent || sp->remote_parent ? &h->rooted : t->list, t);
	return 0;
}

int tracehold_span(struct tracehold *h, const struct spanrec *sp)
{
	struct held_trace *t;

	h->arrived = true;
	advance(h, sp->end);
	make_room(h, 4096);
	t = trace_of(h, sp->trace_id);
	if (!t)
		return -ENOMEM;
	t->end = h->now;
	if (t->list != &h->wanted && !filter_wants(h->filter, sp))
		return hold(h, t, sp);
	if (t->list != &h->wanted) {
		h->kept++;
		h->n_wanted++;
	}
	move_to(&h->wanted, t);
	empty(h, t, true);
	h->out(h->arg, sp);
	return 0;
}

bool tracehold_idle(struct tracehold *h, int64_t now)
{
	if (h->arrived)
		h->idle_since = now;
	h->arrived = false;
	if (now - h->idle_since >= (int64_t)(OPEN_NS / 1000000)) {
		h->now += OPEN_NS + 1;
		h->idle_since = now;
		advance(h, h->now);
	}
	return h->n_spans > 0;
}

void tracehold_finish(struct tracehold *h)
{
	for (const struct held_trace *t = h->open.oldest; t; t = t->newer)
		h->dropped++;
	for (const struct held_trace *t = h->rooted.oldest; t; t = t->newer)
		h->dropped++;
	if (h->undecided)
		diag(DIAG_WARNING,
		     "filter: %" PRIu64 " traces were given up before they were complete",
		     h->undecided);
	diag(DIAG_NOTE, "filter: %" PRIu64 " of %" PRIu64 " traces let through", h->kept,
	     h->kept + h->dropped + h->undecided);
}
