// SPDX-License-Identifier: Apache-2.0
#include "trace.h"

#include <errno.h>
#include <stdlib.h>

#include "trace_span.h"

#define BUCKETS 4096
/* Traces that were handed out are remembered, so that what comes later is known as late. */
#define MEMORY 8192

#define MS 1000000ull
/* No more spans of a complete trace are awaited after this. */
#define QUIET_NS    (300 * MS)
#define REMOTE_NS   (2000 * MS)	 /* for a parent that may be in another process */
#define PATIENCE_NS (60000 * MS) /* for one that must come, unless it was lost */

struct trace_list {
	struct trace *oldest, *newest;
};

struct traces {
	struct trace *bucket[BUCKETS];
	struct trace_list fresh;   /* something came lately */
	struct trace_list remote;  /* quiet, but who called may be traced here, too */
	struct trace_list waiting; /* quiet, but a parent is missing */
	uint8_t memory[MEMORY][16];
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

static uint8_t *memory_of(struct traces *ts, const uint8_t id[16])
{
	uint32_t h;

	memcpy(&h, id + 12, sizeof(h));
	return ts->memory[h % MEMORY];
}

static struct trace **slot_of(struct traces *ts, const uint8_t id[16])
{
	uint32_t h;
	struct trace **at;

	memcpy(&h, id + 12, sizeof(h)); /* random by W3C's rules */
	at = &ts->bucket[h % BUCKETS];
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
	struct trace_span *next;

	*slot_of(ts, t->id) = t->chain;
	list_remove(t);
	ts->n_spans -= t->n_spans;
	for (struct trace_span *s = t->spans; s; s = next) {
		next = s->next;
		free(s);
	}
	free(t);
}

static void hand_out(struct traces *ts, struct trace *t)
{
	memcpy(memory_of(ts, t->id), t->id, sizeof(t->id));
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
	struct trace_span *s = t->spans;

	while (s && memcmp(s->span_id, id, sizeof(s->span_id)))
		s = s->next;
	return s;
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

	for (struct trace_span *s = t->spans; s; s = s->next) {
		if (s->has_parent && !s->parent)
			s->parent = find_span(t, s->parent_id);
		if (!s->has_parent || s->parent)
			continue;
		if (!s->remote_parent)
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
	t->last = &t->spans;
	t->late = !memcmp(memory_of(ts, t->id), t->id, sizeof(t->id));
	t->start = sp->start;
	list_append(&ts->fresh, t);
	t->chain = NULL;
	*slot_of(ts, t->id) = t;
	return t;
}

static int trace_put(struct traces *ts, struct trace *t, const struct spanrec *sp)
{
	struct trace_span *s;

	if (sp->start < t->start)
		t->start = sp->start;
	if (sp->end > t->end)
		t->end = sp->end;
	if (t->n_spans == TRACE_MAX_SPANS) {
		t->more++;
		return 0;
	}
	s = trace_span_new(sp);
	if (!s)
		return -ENOMEM;
	*t->last = s;
	t->last = &s->next;
	t->n_spans++;
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

int traces_add(struct traces *ts, const struct spanrec *sp)
{
	ts->arrived = true;
	advance(ts, sp->end);
	while (ts->n_spans >= TRACES_MAX_SPANS && hand_out_oldest(ts))
		;
	return traces_put(ts, sp);
}

int traces_put(struct traces *ts, const struct spanrec *sp)
{
	struct trace *t = *slot_of(ts, sp->trace_id);

	if (!t)
		t = trace_new(ts, sp);
	if (!t)
		return -ENOMEM;
	list_remove(t);
	list_append(&ts->fresh, t);
	return trace_put(ts, t, sp);
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
