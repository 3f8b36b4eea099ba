// SPDX-License-Identifier: Apache-2.0
#include "trace.h"

#include <errno.h>
#include <stdlib.h>

#include "idhash.h"
#include "trace_span.h"

#define BUCKETS 4096
/*
 * Traces that were handed out are remembered, so that what comes later is known as
 * late: those of this generation and those of the one before.
 */
#define GENERATION 32768

#define MS 1000000ull
/* No more spans of a complete trace are awaited after this. */
#define QUIET_NS    (300 * MS)
#define REMOTE_NS   (2000 * MS)	  /* for a parent that may be in another process */
#define PATIENCE_NS (60000 * MS)  /* for one that must come, unless it was lost */
#define ENDLESS_NS  (300000 * MS) /* a trace that gets spans for so long is not waited for */

struct trace_list {
	struct trace *oldest, *newest;
};

/* Hashes of ids, each at its place or behind it; 0: free. */
struct generation {
	uint64_t id[2 * GENERATION];
	size_t n;
};

struct traces {
	struct trace *bucket[BUCKETS];
	struct trace_list fresh;   /* something came lately */
	struct trace_list remote;  /* quiet, but who called may be traced here, too */
	struct trace_list waiting; /* quiet, but a parent is missing */
	struct generation memory[2];
	int young; /* which of them grows */
	unsigned n_spans;
	void (*done)(void *arg, struct trace *t);
	void *arg;
	bool arrived; /* a span, since the last time that the input was idle */
	int64_t idle_since;
};

struct traces *traces_new(void (*done)(void *arg, struct trace *t), void *arg)
{
	struct traces *ts = calloc(1, sizeof(*ts));

	if (!ts)
		return NULL;
	ts->done = done;
	ts->arg = arg;
	return ts;
}

/* Where a hash is, or would be. */
static uint64_t *place_of(struct generation *g, uint64_t h)
{
	size_t i = h % (2 * GENERATION);

	while (g->id[i] && g->id[i] != h)
		i = (i + 1) % (2 * GENERATION);
	return &g->id[i];
}

static bool was_handed_out(struct traces *ts, const uint8_t id[16])
{
	uint64_t h = idhash(id);

	return *place_of(&ts->memory[0], h) || *place_of(&ts->memory[1], h);
}

static void remember(struct traces *ts, const uint8_t id[16])
{
	struct generation *g = &ts->memory[ts->young];
	uint64_t h = idhash(id), *at = place_of(g, h);

	if (*at == h)
		return;
	*at = h;
	if (++g->n < GENERATION)
		return;
	ts->young = !ts->young;
	memset(&ts->memory[ts->young], 0, sizeof(ts->memory[0]));
}

static struct trace **slot_of(struct traces *ts, const uint8_t id[16])
{
	struct trace **at = &ts->bucket[idhash(id) % BUCKETS];

	while (*at && memcmp((*at)->id, id, sizeof((*at)->id)))
		at = &(*at)->chain;
	return at;
}

static void list_remove(struct trace *t)
{
	struct trace_list *l = t->list;

	*(t->older ? &t->older->newer : &l->oldest) = t->newer;
	*(t->newer ? &t->newer->older : &l->newest) = t->older;
	t->older = t->newer = NULL;
	t->list = NULL;
}

static void list_append(struct trace_list *l, struct trace *t)
{
	t->list = l;
	t->older = l->newest;
	*(l->newest ? &l->newest->newer : &l->oldest) = t;
	l->newest = t;
}

static void trace_drop(struct traces *ts, struct trace *t)
{
	*slot_of(ts, t->id) = t->chain;
	list_remove(t);
	ts->n_spans -= t->n_spans;
	for (unsigned i = 0; i < t->n_spans; i++)
		free(t->spans[i]);
	free(t->spans);
	free(t);
}

static void hand_out(struct traces *ts, struct trace *t)
{
	remember(ts, t->id);
	ts->done(ts->arg, t);
	trace_drop(ts, t);
}

static void drop_all(struct traces *ts, struct trace_list *l)
{
	while (l->oldest)
		trace_drop(ts, l->oldest);
}

void traces_free(struct traces *ts)
{
	if (!ts)
		return;
	drop_all(ts, &ts->waiting);
	drop_all(ts, &ts->remote);
	drop_all(ts, &ts->fresh);
	free(ts);
}

static struct trace_span *find_span(const struct trace *t, const uint8_t id[8])
{
	for (unsigned i = 0; i < t->n_spans; i++)
		if (!memcmp(t->spans[i]->span_id, id, sizeof(t->spans[i]->span_id)))
			return t->spans[i];
	return NULL;
}

enum missing {
	MISSING_NONE,
	MISSING_REMOTE, /* a parent in another process */
	MISSING_PARENT, /* one that should come */
};

/* Finds the parents. What is missing. */
static enum missing link_up(struct trace *t)
{
	enum missing missing = MISSING_NONE;

	for (unsigned i = 0; i < t->n_spans; i++) {
		struct trace_span *s = t->spans[i];

		s->parent = s->has_parent ? find_span(t, s->parent_id) : NULL;
		if (!s->has_parent || s->parent)
			continue;
		if (!s->remote_parent && !(t->more && t->rooted)) /* else perhaps not kept */
			missing = MISSING_PARENT;
		else if (missing == MISSING_NONE)
			missing = MISSING_REMOTE;
	}
	return missing;
}

/* The trace is quiet: hands it out, or lets it wait. */
static void settle(struct traces *ts, struct trace *t)
{
	enum missing missing = link_up(t);

	if (missing == MISSING_NONE) {
		hand_out(ts, t);
		return;
	}
	list_remove(t);
	list_append(missing == MISSING_REMOTE ? &ts->remote : &ts->waiting, t);
}

/* The stream has come to the time @now. Lists are about in the order of time. */
static void advance(struct traces *ts, uint64_t now)
{
	struct trace *t;

	while ((t = ts->fresh.oldest) && t->end + QUIET_NS < now)
		settle(ts, t);
	while ((t = ts->remote.oldest) && t->end + REMOTE_NS < now)
		hand_out(ts, t);
	while ((t = ts->waiting.oldest) && t->end + PATIENCE_NS < now)
		hand_out(ts, t);
}

static struct trace *trace_new(struct traces *ts, const struct spanrec *sp)
{
	struct trace *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	memcpy(t->id, sp->trace_id, sizeof(t->id));
	t->late = was_handed_out(ts, t->id);
	t->start = sp->start;
	t->since = sp->end;
	list_append(&ts->fresh, t);
	t->chain = NULL;
	*slot_of(ts, t->id) = t;
	return t;
}

static uint64_t took(const struct trace_span *s)
{
	return s->end - s->start;
}

/* Moves the span at @i down to where none below it is shorter: then the shortest is at 0. */
static void sift_down(struct trace *t, unsigned i)
{
	for (;;) {
		unsigned least = i, kid = 2 * i + 1;
		struct trace_span *s = t->spans[i];

		for (unsigned k = kid; k < kid + 2 && k < t->n_spans; k++)
			if (took(t->spans[k]) < took(t->spans[least]))
				least = k;
		if (least == i)
			return;
		t->spans[i] = t->spans[least];
		t->spans[least] = s;
		i = least;
	}
}

/* The trace is full: the shortest span makes room for one that is longer. */
static int put_longer(struct trace *t, const struct spanrec *sp)
{
	struct trace_span *s;
	bool failed = sp->status == STATUS_ERROR;

	if (!t->more++)
		for (unsigned i = t->n_spans / 2; i--;)
			sift_down(t, i);
	if (sp->end - sp->start > took(t->spans[0])) {
		s = trace_span_new(sp);
		if (!s)
			return -ENOMEM;
		failed = t->spans[0]->error;
		free(t->spans[0]);
		t->spans[0] = s;
		sift_down(t, 0);
	}
	t->more_failed += failed;
	return 0;
}

static int make_room(struct trace *t)
{
	unsigned room = t->room ? 2 * t->room : 4;
	struct trace_span **grown;

	if (t->n_spans < t->room)
		return 0;
	grown = realloc(t->spans, room * sizeof(struct trace_span *));
	if (!grown)
		return -ENOMEM;
	t->spans = grown;
	t->room = room;
	return 0;
}

static int trace_put(struct traces *ts, struct trace *t, const struct spanrec *sp)
{
	struct trace_span *s;

	if (sp->start < t->start)
		t->start = sp->start;
	if (sp->end > t->end)
		t->end = sp->end;
	if (!sp->has_parent || sp->remote_parent)
		t->rooted = true;
	if (t->n_spans == TRACE_MAX_SPANS)
		return put_longer(t, sp);
	s = make_room(t) ? NULL : trace_span_new(sp);
	if (!s)
		return -ENOMEM;
	t->spans[t->n_spans++] = s;
	ts->n_spans++;
	return 0;
}

static bool hand_out_oldest(struct traces *ts)
{
	struct trace *t = ts->waiting.oldest;

	if (!t)
		t = ts->remote.oldest;
	if (!t)
		t = ts->fresh.oldest;
	if (!t)
		return false;
	/* The analyzer does not see that what was handed out has left its list. */
	link_up(t); // NOLINT(clang-analyzer-unix.Malloc)
	hand_out(ts, t);
	return true;
}

static struct trace *trace_of(struct traces *ts, const struct spanrec *sp)
{
	struct trace *t = *slot_of(ts, sp->trace_id);

	if (!t)
		t = trace_new(ts, sp);
	if (!t)
		return NULL;
	list_remove(t);
	list_append(&ts->fresh, t);
	return t;
}

int traces_add(struct traces *ts, const struct spanrec *sp)
{
	struct trace *t;
	int ret;

	ts->arrived = true;
	advance(ts, sp->end);
	while (ts->n_spans >= TRACES_MAX_SPANS && hand_out_oldest(ts))
		;
	t = trace_of(ts, sp);
	if (!t)
		return -ENOMEM;
	ret = trace_put(ts, t, sp);
	if (!ret && sp->end > t->since && sp->end - t->since > ENDLESS_NS) {
		link_up(t);
		t->goes_on = true;
		hand_out(ts, t);
	}
	return ret;
}

int traces_put(struct traces *ts, const struct spanrec *sp)
{
	struct trace *t = trace_of(ts, sp);

	return t ? trace_put(ts, t, sp) : -ENOMEM;
}

bool traces_idle(struct traces *ts, int64_t now)
{
	uint64_t idle;

	if (ts->arrived)
		ts->idle_since = now;
	ts->arrived = false;
	idle = (uint64_t)(now - ts->idle_since) * MS;
	while (idle >= QUIET_NS && ts->fresh.oldest)
		settle(ts, ts->fresh.oldest);
	while (idle >= REMOTE_NS && ts->remote.oldest)
		hand_out(ts, ts->remote.oldest);
	while (idle >= PATIENCE_NS && ts->waiting.oldest)
		hand_out(ts, ts->waiting.oldest);
	return ts->n_spans > 0;
}

void traces_finish(struct traces *ts)
{
	while (hand_out_oldest(ts))
		;
}
