// SPDX-License-Identifier: Apache-2.0
#include "spanstore.h"

#include <errno.h>
#include <stdlib.h>

#include "idhash.h"
#include "resource.h"

#define BUCKETS 65536u
/* What malloc() takes beside what it is asked for. */
#define MALLOC_EXTRA 16
/* Traces that may be passed over because they are wanted, for each that goes. */
#define MAX_SPARED 64

int spanstore_init(struct spanstore *s, size_t max_bytes)
{
	memset(s, 0, sizeof(*s));
	s->buckets = calloc(BUCKETS, sizeof(struct stored_trace *));
	if (!s->buckets)
		return -ENOMEM;
	s->max_bytes = max_bytes;
	return 0;
}

static struct stored_trace **slot_of(const struct spanstore *s, const uint8_t id[16])
{
	struct stored_trace **at = &s->buckets[idhash(id) % BUCKETS];

	while (*at && memcmp((*at)->id, id, 16))
		at = &(*at)->chain;
	return at;
}

struct stored_trace *spanstore_find(const struct spanstore *s, const uint8_t id[16])
{
	return *slot_of(s, id);
}

static void age_remove(struct spanstore *s, struct stored_trace *t)
{
	*(t->older ? &t->older->newer : &s->oldest) = t->newer;
	*(t->newer ? &t->newer->older : &s->newest) = t->older;
}

static void age_append(struct spanstore *s, struct stored_trace *t)
{
	t->newer = NULL;
	t->older = s->newest;
	*(s->newest ? &s->newest->newer : &s->oldest) = t;
	s->newest = t;
}

static void change_remove(struct spanstore *s, struct stored_trace *t)
{
	*(t->before ? &t->before->after : &s->longest_quiet) = t->after;
	*(t->after ? &t->after->before : &s->just_changed) = t->before;
}

static void change_append(struct spanstore *s, struct stored_trace *t)
{
	t->after = NULL;
	t->before = s->just_changed;
	*(s->just_changed ? &s->just_changed->after : &s->longest_quiet) = t;
	s->just_changed = t;
}

static void trace_free(struct spanstore *s, struct stored_trace *t)
{
	*slot_of(s, t->id) = t->chain;
	age_remove(s, t);
	change_remove(s, t);
	s->n_traces--;
	s->n_spans -= t->n_spans;
	s->n_errors -= t->n_errors > 0;
	s->bytes -= t->bytes;
	kept_span_free_list(t->spans);
	free(t);
}

void spanstore_release(struct spanstore *s)
{
	while (s->oldest)
		trace_free(s, s->oldest);
	free(s->buckets);
}

/* The oldest traces go until @room bytes are free. */
static void make_room(struct spanstore *s, size_t room, const struct stored_trace *keep)
{
	unsigned spared = 0;

	while (s->bytes + room > s->max_bytes && s->oldest) {
		struct stored_trace *t = s->oldest;
		bool wanted = t == keep || (s->wanted && s->wanted(s->arg, t->id));

		if (wanted && (spared++ < MAX_SPARED || t == keep) && s->newest != t) {
			age_remove(s, t);
			age_append(s, t);
			continue;
		}
		if (t == keep)
			return;
		s->evicted_traces++;
		/* The analyzer does not see that what was freed has left its lists. */
		// NOLINTNEXTLINE(clang-analyzer-unix.Malloc)
		s->evicted_spans += t->n_spans + t->more;
		trace_free(s, t);
	}
}

static struct stored_trace *trace_new(struct spanstore *s, const struct spanrec *sp)
{
	struct stored_trace *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	memcpy(t->id, sp->trace_id, sizeof(t->id));
	t->last = &t->spans;
	t->start = sp->start;
	t->bytes = sizeof(*t) + MALLOC_EXTRA;
	s->bytes += t->bytes;
	s->n_traces++;
	*slot_of(s, t->id) = t;
	age_append(s, t);
	change_append(s, t);
	return t;
}

/* 0: its root; 1: called from elsewhere; 2: what has a parent here. */
static int rank(const struct spanrec *sp)
{
	return !sp->has_parent ? 0 : sp->remote_parent ? 1 : 2;
}

static bool is_above(const struct spanrec *a, const struct spanrec *b)
{
	if (rank(a) != rank(b))
		return rank(a) < rank(b);
	return a->start < b->start;
}

static void note_service(struct stored_trace *t, struct text service)
{
	for (unsigned i = 0; i < t->n_services; i++)
		if (text_equal(t->services[i], service))
			return;
	if (t->n_services < STORED_SERVICES)
		t->services[t->n_services++] = service;
}

static void note_change(struct spanstore *s, struct stored_trace *t, const struct spanrec *sp)
{
	if (sp->start < t->start)
		t->start = sp->start;
	if (sp->end > t->end)
		t->end = sp->end;
	if (sp->status == STATUS_ERROR && !t->n_errors++)
		s->n_errors++;
	t->changed = ++s->changes;
	change_remove(s, t);
	change_append(s, t);
}

int spanstore_add(struct spanstore *s, const struct spanrec *sp)
{
	struct stored_trace *t = spanstore_find(s, sp->trace_id);
	struct kept_span *k;

	if (t && (t->n_spans >= STORED_MAX_SPANS || t->bytes > s->max_bytes / STORED_SHARE)) {
		t->more++;
		s->cut_spans++;
		note_change(s, t, sp);
		return 0;
	}
	k = kept_span_new(sp);
	if (!k)
		return -ENOMEM;
	make_room(s, k->size + sizeof(*t) + 2 * MALLOC_EXTRA, t);
	if (!t)
		t = trace_new(s, sp);
	if (!t) {
		kept_span_free(k);
		return -ENOMEM;
	}
	*t->last = k;
	t->last = &k->next;
	t->mixed |= k->sp.resource != t->spans->sp.resource;
	t->n_spans++;
	t->bytes += k->size + MALLOC_EXTRA;
	s->bytes += k->size + MALLOC_EXTRA;
	s->n_spans++;
	if (!t->top || is_above(&k->sp, t->top))
		t->top = &k->sp;
	note_service(t, k->sp.resource->service);
	note_change(s, t, &k->sp);
	return 0;
}
