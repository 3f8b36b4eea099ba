/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Spans that the traced program makes itself, with an SDK: found in the contexts that
 * calls are given, where they become parents; or where one is made for a request that
 * is traced here as well, which is left to it then. Read, never touched.
 */
#ifndef GOTAP_FOREIGN_BPF_H
#define GOTAP_FOREIGN_BPF_H

#include "calls.bpf.h"
#include "fetch.bpf.h"
#include "kin.bpf.h"

/* Whether anything in the maps speaks of such spans; set by goattach. */
__u32 foreign_known;

/* The scope's name as a hash, into s->foreign_scope: 0 if it cannot be read or is too long. */
static __always_inline void foreign_scope(struct scratch *s, const struct gotap_foreign *f,
					  __u64 span)
{
	__u64 len;

	s->foreign_scope = 0;
	if (f->scope_via >= 0 && read_word(&span, span + f->scope_via))
		return;
	if (bpf_probe_read_user(&s->text_at, sizeof(s->text_at), (const void *)(span + f->scope)))
		return;
	len = s->text_at.second;
	if (!len || len > sizeof(s->scope))
		return;
#pragma unroll
	for (int i = 0; i < GOTAP_SCOPE_WORDS; i++)
		s->scope[i] = 0;
	AT_MOST(len, sizeof(s->scope));
	if (!bpf_probe_read_user(s->scope, len, (const void *)s->text_at.first))
		s->foreign_scope = gotap_scope_hash(s->scope, s->text_at.second);
}

/*
 * The span at s->foreign, of the type @type (a virtual address; 0: of the one that the
 * binary has), into s->relative, s->foreign_kind and s->foreign_scope. 0 if it is no such
 * span, or not sampled: nobody will see that one. Not static, so that the verifier looks at
 * it once; and what it reads goes to the map, as functions that call each other share 512
 * bytes of stack.
 */
__noinline int foreign_read(__u64 thread, __u32 binary, __u64 type)
{
	struct scratch *s = bpf_map_lookup_elem(&threads, &thread);
	struct gotap_context_key key = { .binary = binary, .type = type };
	struct gotap_foreign *f = bpf_map_lookup_elem(&foreign, &key);
	const __u64 *trace;
	__u64 span;
	__u8 flags = 0;

	if (!s || !f)
		return 0;
	span = s->foreign;
	trace = (const __u64 *)s->relative.trace_id;
	if (bpf_probe_read_user(s->relative.trace_id, sizeof(s->relative.trace_id),
				(const void *)(span + f->trace_id)) ||
	    bpf_probe_read_user(s->relative.span_id, sizeof(s->relative.span_id),
				(const void *)(span + f->span_id)) ||
	    bpf_probe_read_user(&flags, sizeof(flags), (const void *)(span + f->flags)) ||
	    bpf_probe_read_user(&s->foreign_kind, sizeof(s->foreign_kind),
				(const void *)(span + f->kind)))
		return 0;
	if (!(trace[0] | trace[1]) || !*(const __u64 *)s->relative.span_id ||
	    !(flags & GOTAP_FLAG_SAMPLED))
		return 0;
	foreign_scope(s, f, span);
	s->relative.key = s->relative.mark = 0;
	s->relative.flags = GOTAP_FLAG_SAMPLED;
	s->relative.proc = s->proc;
	s->relative.ended = 0;
	return 1;
}

/*
 * Whether the context at s->context holds such a span in the interface at @off: its type
 * goes to s->text_at.first.
 */
static __always_inline int foreign_in(struct scratch *s, __u64 context, __u32 off)
{
	if (bpf_probe_read_user(&s->text_at, sizeof(s->text_at), (const void *)(context + off)))
		return 0;
	s->foreign = s->text_at.second;
	return s->foreign != 0;
}

/* Whether the span that was read is that of the very call that @site begins. */
static __always_inline int foreign_is_it(const struct scratch *s, const struct gotap_site *site)
{
	return site->traced_by && s->foreign_scope == site->traced_by &&
	       s->foreign_kind == site->go_kind;
}

/*
 * A span has been made, at s->foreign: if it is of the kind of the innermost open call, of
 * @h's class and without children so far, it is of that call, which goes on under its
 * name and says nothing more.
 */
static __noinline int foreign_cover(struct hit *h)
{
	const struct gotap_site *site = h->site;
	struct scratch *s = h->s;
	struct gotap_open *top = calls_top(s);
	struct gotap_call *c;

	if (!top || !s->foreign)
		return 0;
	c = &top->call;
	if (c->span_class != site->span_class || (c->lost && c->lost != GOTAP_CALL_DROPPED) ||
	    c->parent || !foreign_read(h->thread, site->binary, 0) ||
	    s->foreign_kind != site->go_kind)
		return 0;
	s->ev.event = GOTAP_UNWIND;
	s->ev.unwind = GOTAP_UNWIND_COVERED;
	event_set_call(&s->ev, c);
	if (!c->lost)
		emit(s, &s->ev, 0);
	count(s, GOTAP_COVERED);
	if (c->kin)
		kin_leave(s->proc, c, s->ev.t);
	__builtin_memcpy(c->trace_id, s->relative.trace_id, sizeof(c->trace_id));
	__builtin_memcpy(c->span_id, s->relative.span_id, sizeof(c->span_id));
	c->anchor = *(__u64 *)c->span_id;
	c->flags |= GOTAP_FLAG_SAMPLED;
	c->lost = GOTAP_CALL_COVERED;
	if (c->kin & GOTAP_KIN_CONTEXT && !context_mark(c->context, &s->relative.mark)) {
		s->relative.key = c->context;
		c->kin = kin_add(h->thread) ? GOTAP_KIN_CONTEXT : 0;
	} else {
		c->kin = 0;
	}
	return 0;
}

#endif
