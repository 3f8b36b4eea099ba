/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Parents in other goroutines: by the context.Context that a call was given, and by who
 * created the goroutine. Only sites that are flagged so, of client and internal spans,
 * come here.
 */
#ifndef GOTAP_RELATE_BPF_H
#define GOTAP_RELATE_BPF_H

#include "calls.bpf.h"
#include "fetch.bpf.h"
#include "foreign.bpf.h"
#include "kin.bpf.h"

const volatile __u64 late_ns = 30000000000; /* set by goattach */

static __always_inline void relative_of_call(struct scratch *s, const struct gotap_call *c)
{
	__builtin_memcpy(s->relative.trace_id, c->trace_id, sizeof(c->trace_id));
	__builtin_memcpy(s->relative.span_id, c->span_id, sizeof(c->span_id));
	s->relative.flags = c->flags;
	s->relative.proc = s->proc;
	s->relative.ended = 0;
}

static __always_inline struct gotap_lineage *lineage_of(const struct scratch *s, __u64 g)
{
	struct gotap_lineage_key key = { .proc = s->proc, .g = g };

	return bpf_map_lookup_elem(&lineage, &key);
}

/* --- creating a goroutine ------------------------------------------------------ */

/* What the innermost open call leaves to the goroutines that it creates. */
static __always_inline void inherit_call(struct scratch *s, __u64 thread, struct gotap_open *top,
					 struct gotap_lineage *to)
{
	struct gotap_call *c = &top->call;

	if (!(c->kin & GOTAP_KIN_SPAN)) {
		relative_of_call(s, c);
		s->relative.key = *(__u64 *)c->span_id;
		s->relative.mark = 0;
		if (kin_add(thread))
			c->kin |= GOTAP_KIN_SPAN;
	}
	__builtin_memcpy(to->trace_id, c->trace_id, sizeof(to->trace_id));
	__builtin_memcpy(to->span_id, c->span_id, sizeof(to->span_id));
	to->flags = c->flags;
	to->anchor = c->anchor;
}

/*
 * The goroutine at s->g creates that at s->new_g, whose id is at @goid_off: it inherits
 * the innermost open call, or else what this one has inherited itself.
 */
__noinline int lineage_create(__u64 thread, __u32 goid_off)
{
	struct scratch *s = bpf_map_lookup_elem(&threads, &thread);
	struct gotap_lineage_key key = {};
	struct gotap_lineage to = {}, *own;
	struct gotap_open *top;

	if (!s || !s->new_g)
		return 0;
	top = calls_top(s);
	if (top) {
		inherit_call(s, thread, top, &to);
	} else {
		own = lineage_of(s, s->g);
		if (!own || own->goid != s->key.goid)
			return 0;
		to = *own;
	}
	if (read_word(&to.goid, s->new_g + goid_off))
		return 0;
	to.born = s->ev.t;
	key.proc = s->proc;
	key.g = s->new_g;
	if (bpf_map_update_elem(&lineage, &key, &to, BPF_ANY))
		count(s, GOTAP_LOST_LINEAGE);
	return 0;
}

/* The goroutine at s->g has not been created for who did it. */
static __always_inline void lineage_disown(const struct scratch *s)
{
	struct gotap_lineage_key key = { .proc = s->proc, .g = s->g };

	bpf_map_delete_elem(&lineage, &key);
}

/* --- contexts ----------------------------------------------------------------------- */

/*
 * s->own_context belongs to the innermost call; but if it is @related to a call that
 * has one, to that: it may be the same.
 */
__noinline int context_own(__u64 thread, __u32 related)
{
	struct scratch *s = bpf_map_lookup_elem(&threads, &thread);
	struct gotap_open *top;

	if (!s)
		return 0;
	top = calls_top(s);
	if (!top || (related && top->call.anchor) ||
	    context_mark(s->own_context.second, &s->relative.mark))
		return 0;
	relative_of_call(s, &top->call);
	s->relative.key = s->own_context.second;
	if (!kin_add(thread))
		return 0;
	top->call.context = s->own_context.second;
	top->call.anchor = *(__u64 *)top->call.span_id;
	top->call.kin |= GOTAP_KIN_CONTEXT;
	return 0;
}

/* Whether s->context belongs to a span: then s->relative is it. */
static __always_inline int context_known(struct scratch *s, __u64 thread)
{
	__u64 mark;

	s->relative.proc = s->proc;
	s->relative.key = s->context.second;
	return kin_find(thread) && !context_mark(s->context.second, &mark) &&
	       mark == s->relative.mark;
}

/*
 * From s->context to the one that it holds; 0 if there is none, or its type is not known, or
 * it holds a span of the program's (then s->is_foreign, and s->relative is that).
 */
static __always_inline int context_step(struct scratch *s, __u64 thread, __u32 binary)
{
	struct gotap_context_key key = { .binary = binary };
	struct gotap_context *to;
	__u64 at = s->context.second;
	struct pair next;

	if (read_word(&key.type, s->context.first + 8))
		return 0;
	key.type -= s->bias;
	to = bpf_map_lookup_elem(&contexts, &key);
	if (to && to->value && foreign_in(s, at, to->value))
		s->is_foreign = foreign_read(thread, binary, s->text_at.first - s->bias);
	if (s->is_foreign)
		return 0;
	if (!to || (to->via >= 0 && read_word(&at, at + to->via)))
		return 0;
	if (bpf_probe_read_user(&next, sizeof(next), (const void *)(at + to->off)))
		return 0;
	s->context.first = next.first;
	s->context.second = next.second;
	return next.second != 0;
}

/*
 * One context of the chain. 1: it belongs to an open span, or holds one that the program has
 * made (which may have ended, that is not known), and the search is over. 0: on to
 * the next, which may have a better one than s->ended, which has ended. -1: no more.
 */
__noinline int context_look(__u64 thread, __u32 binary)
{
	struct scratch *s = bpf_map_lookup_elem(&threads, &thread);

	if (!s)
		return -1;
	if (context_known(s, thread)) {
		if (!s->relative.ended)
			return 1;
		if (s->relative.ended > s->ended.ended)
			s->ended = s->relative;
	}
	if (context_step(s, thread, binary))
		return 0;
	return s->is_foreign ? 1 : -1;
}

/*
 * The span that a context in the chain from s->context on belongs to, into s->relative:
 * the nearest one that is open, or else that which ended last. 0: there is none.
 */
__noinline int context_find(__u64 thread, __u32 binary)
{
	struct scratch *s = bpf_map_lookup_elem(&threads, &thread);
	int found = 0;

	if (!s)
		return 0;
	s->ended.ended = 0;
	s->is_foreign = 0;
	for (int i = 0; i < GOTAP_MAX_CHAIN && !found; i++)
		found = context_look(thread, binary);
	if (found > 0)
		return 1;
	s->relative = s->ended;
	return s->ended.ended != 0;
}

/* --- the parent of a call ------------------------------------------------------- */

/* s->relative becomes the parent; or a link, if it ended too long ago. */
static __always_inline void relative_adopt(struct scratch *s, __u8 from, int late)
{
	struct gotap_call *call = &s->open.call;

	__builtin_memcpy(s->ev.parent_id, s->relative.span_id, sizeof(s->ev.parent_id));
	if (late) {
		s->ev.parent_from = GOTAP_PARENT_LINK;
		return;
	}
	s->ev.parent_from = from;
	__builtin_memcpy(call->trace_id, s->relative.trace_id, sizeof(call->trace_id));
	call->flags = s->relative.flags & ~GOTAP_FLAG_OBJECT;
}

static __always_inline int relative_late(const struct scratch *s)
{
	return s->relative.ended && s->ev.t - s->relative.ended > late_ns;
}

/*
 * What the goroutine inherited, into s->relative: 0 nothing, 1 a span, 2 one that ended too
 * long ago.
 */
static __always_inline int relative_inherited(struct scratch *s, __u64 thread,
					      const struct gotap_lineage *own)
{
	if (!own || own->goid != s->key.goid)
		return 0;
	s->relative.proc = s->proc;
	s->relative.key = *(__u64 *)own->span_id;
	if (kin_find(thread))
		return relative_late(s) ? 2 : 1;
	__builtin_memcpy(s->relative.trace_id, own->trace_id, sizeof(own->trace_id));
	__builtin_memcpy(s->relative.span_id, own->span_id, sizeof(own->span_id));
	return 2;
}

/*
 * Finds a parent by context. Where the goroutine was created within a span that is still
 * open, and within the context's, that one is nearer.
 */
static __always_inline int relate_by_context(struct scratch *s, __u64 thread,
					     const struct gotap_site *site)
{
	struct gotap_lineage *own = lineage_of(s, s->g);
	struct gotap_call *call = &s->open.call;

	if (!context_find(thread, site->binary))
		return 0;
	call->anchor = *(__u64 *)s->relative.span_id;
	s->covered = s->is_foreign && foreign_is_it(s, site);
	relative_adopt(s, GOTAP_PARENT_CONTEXT, relative_late(s));
	if (s->covered)
		return 1;
	if (!own || own->anchor != call->anchor || relative_inherited(s, thread, own) != 1 ||
	    s->relative.ended)
		return 1;
	relative_adopt(s, GOTAP_PARENT_GOROUTINE, 0);
	return 1;
}

/*
 * Whether the context leads to a span of the program's that is nearer than @top, the
 * innermost open call, which is no child of it. Then it is the parent.
 */
static __always_inline void relate_nearer(struct scratch *s, __u64 thread,
					  const struct gotap_site *site,
					  const struct gotap_open *top)
{
	struct gotap_call *call = &s->open.call;
	__u64 span;

	if (!foreign_known || !s->context.second || context_find(thread, site->binary) != 1 ||
	    s->relative.ended || !(s->is_foreign || s->relative.flags & GOTAP_FLAG_OBJECT))
		return;
	span = *(__u64 *)s->relative.span_id;
	s->covered = s->is_foreign && foreign_is_it(s, site);
	if (!s->covered && (span == *(const __u64 *)top->call.span_id || span == top->call.anchor))
		return;
	s->nearer = 1;
	call->anchor = span;
	relative_adopt(s, GOTAP_PARENT_CONTEXT, 0);
}

/* Finds a parent for s->open.call, which has ids of its own so far. */
__noinline int relate(__u64 thread, __u32 cookie)
{
	struct scratch *s = bpf_map_lookup_elem(&threads, &thread);
	struct gotap_site *site = bpf_map_lookup_elem(&sites, &cookie);
	struct gotap_lineage *own;
	struct gotap_open *top;
	int found;

	if (!s || !site)
		return 0;
	top = calls_top(s);
	if (top && top->call.depth < s->open.call.depth) {
		relate_nearer(s, thread, site, top);
		return 0; /* that is the parent, or else what is on the stack */
	}
	if (s->context.second && relate_by_context(s, thread, site))
		return 0;
	own = lineage_of(s, s->g);
	found = relative_inherited(s, thread, own);
	if (!found || !own)
		return 0;
	s->open.call.anchor = own->anchor;
	relative_adopt(s, GOTAP_PARENT_GOROUTINE, found == 2);
	return 0;
}

#endif
