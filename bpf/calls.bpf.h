/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Each goroutine's stack of open calls. A goroutine runs on one thread at a time,
 * so nobody else touches its entries while this does. An entry without open
 * calls does not exist.
 */
#ifndef GOTAP_CALLS_BPF_H
#define GOTAP_CALLS_BPF_H

#include "emit.bpf.h"
#include "kin.bpf.h"

/* One hit of a site. Lives on the stack of the program. */
struct hit {
	struct scratch *s;
	const struct gotap_site *site;
	__u64 thread; /* process id << 32 | thread id */
	__u64 stack_hi;
	__u32 depth;
};

static __always_inline struct gotap_open *calls_top(struct scratch *s)
{
	return bpf_map_lookup_elem(&calls, &s->key);
}

/* Takes the innermost call off; @key, whose index is 0 before and after, is of its goroutine. */
static __always_inline void calls_pop(struct gotap_call_key *key, struct gotap_open *top)
{
	struct gotap_open *below = 0;
	__u32 n = top->count;

	if (n > 1) {
		key->index = n - 1;
		below = bpf_map_lookup_elem(&calls, key);
	}
	if (below) {
		top->call = below->call;
		top->count = n - 1;
	} else {
		key->index = 0;
	}
	bpf_map_delete_elem(&calls, key);
	key->index = 0;
}

/* Opens s->open.call on top of @top, which is open. -errno if there is no room. */
static __always_inline long calls_push(struct scratch *s, struct gotap_open *top)
{
	long ret;

	s->key.index = top->count;
	ret = bpf_map_update_elem(&calls, &s->key, top, BPF_ANY);
	s->key.index = 0;
	if (ret)
		return ret;
	top->call = s->open.call;
	top->count++;
	return 0;
}

static __always_inline int closes(const struct closing *c, const struct gotap_open *top)
{
	if (top->count <= c->keep)
		return 0;
	if (top->call.depth > c->deeper_than)
		return 1;
	return top->call.depth == c->deeper_than && top->call.span_class == c->equal_class;
}

/* The end of a call whose begin did not get through; only some of those are losses. */
static __always_inline void suppressed(struct scratch *s, const struct gotap_call *c)
{
	if (c->lost == GOTAP_CALL_LOST)
		count(s, GOTAP_SUPPRESSED);
}

static __always_inline void event_set_call(struct gotap_event *ev, const struct gotap_call *c)
{
	__builtin_memcpy(ev->trace_id, c->trace_id, sizeof(ev->trace_id));
	__builtin_memcpy(ev->span_id, c->span_id, sizeof(ev->span_id));
	ev->flags = c->flags & GOTAP_FLAGS_W3C;
	ev->probe = c->probe;
	ev->depth = c->depth;
	if (ev->event == GOTAP_END || ev->event == GOTAP_UNWIND)
		__builtin_memcpy(ev->parent_id, &c->begun, sizeof(ev->parent_id));
}

/*
 * Closes one call of this thread's goroutine, with an unwind event, if
 * s->closing says so; 0 if not. Like calls_close() not static: see interpret_some().
 */
__noinline int calls_close_one(__u64 thread)
{
	struct scratch *s = bpf_map_lookup_elem(&threads, &thread);
	struct gotap_open *top;

	if (!s)
		return 0;
	top = calls_top(s);
	if (!top || !closes(&s->closing, top))
		return 0;
	if (top->call.lost) {
		suppressed(s, &top->call);
	} else if (s->closing.with_values) {
		s->ev.event = GOTAP_UNWIND;
		s->ev.unwind = s->closing.reason;
		event_set_call(&s->ev, &top->call);
		emit(s, &s->ev, s->ev.used);
	} else {
		s->closed = s->ev;
		s->closed.event = GOTAP_UNWIND;
		s->closed.unwind = s->closing.reason;
		s->closed.present = s->closed.unread = s->closed.truncated = s->closed.used = 0;
		event_set_call(&s->closed, &top->call);
		emit(s, &s->closed, 0);
	}
	if (top->call.kin)
		kin_leave(s->proc, &top->call, s->ev.t);
	calls_pop(&s->key, top);
	return 1;
}

enum { CLOSE_A_RUN = 64 };
_Static_assert(GOTAP_MAX_UNWIND % CLOSE_A_RUN == 0, "GOTAP_MAX_UNWIND");

/* Up to CLOSE_A_RUN of them; 1 if there may be more. */
__noinline int calls_close_some(__u64 thread)
{
	for (int i = 0; i < CLOSE_A_RUN; i++)
		if (!calls_close_one(thread))
			return 0;
	return 1;
}

/*
 * Closes calls as s->closing says. What is left past GOTAP_MAX_UNWIND is closed by
 * the goroutine's next begin.
 */
__noinline int calls_close(__u64 thread)
{
	for (int i = 0; i < GOTAP_MAX_UNWIND / CLOSE_A_RUN; i++)
		if (!calls_close_some(thread))
			return 0;
	return 1;
}

/*
 * The open call that an end at @h belongs to: its place, counted from the outermost
 * one as 1, and its value in *@found; 0 if there is none. Spans may see the same
 * call (one depth), and their ends may come in any order.
 */
static __always_inline __u32 calls_find(struct hit *h, struct gotap_open *top,
					struct gotap_open **found)
{
	enum { LOOK_AT = 8 };
	int by_g = h->site->flags & GOTAP_SITE_BY_GOROUTINE;
	struct gotap_open *at = top;
	struct scratch *s = h->s;
	__u32 n = top->count;

	for (int i = 0; i < LOOK_AT; i++) {
		int here = by_g || at->call.depth == h->depth;

		*found = at;
		if (here && at->call.span_class == h->site->span_class)
			return n;
		if (!here || n <= 1)
			return 0;
		s->key.index = --n;
		at = bpf_map_lookup_elem(&calls, &s->key);
		s->key.index = 0;
		if (!at)
			return 0;
	}
	return 0;
}

/*
 * Takes off the call that an end at @h belongs to, into s->open.call, and closes
 * what is still open above it (frames that were left without their end). 0 if
 * there is none.
 */
static __noinline int calls_take(struct hit *h)
{
	int by_g = h->site->flags & GOTAP_SITE_BY_GOROUTINE;
	struct gotap_open *found, *top;
	struct scratch *s = h->s;
	__u32 n;

	top = calls_top(s);
	if (!top)
		return 0;
	s->closing = (struct closing){ .deeper_than = h->depth, .reason = GOTAP_UNWIND_STALE };
	if (!by_g && top->call.depth > h->depth) {
		calls_close(h->thread);
		top = calls_top(s);
		if (!top)
			return 0;
	}
	n = calls_find(h, top, &found);
	if (!n)
		return 0;
	if (by_g && n < top->count) {
		s->closing.deeper_than = 0;
		s->closing.keep = n;
		calls_close(h->thread);
		top = found = calls_top(s);
		if (!top)
			return 0;
	}
	s->open.call = found->call;
	if (n < top->count)
		found->call = top->call; /* what lies above takes its place */
	calls_pop(&s->key, top);
	return 1;
}

#endif
