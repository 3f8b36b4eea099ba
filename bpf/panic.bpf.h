/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Calls that a panic has left while it goes on: it runs deferred functions, and one of them
 * calls.
 */
#ifndef GOTAP_PANIC_BPF_H
#define GOTAP_PANIC_BPF_H

#include "calls.bpf.h"
#include "interp.bpf.h"

/* By gotap_site.binary: how to read what panic() was called with. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1); /* set by goattach */
	__type(key, __u32);
	__type(value, struct gotap_panic);
} panics SEC(".maps");

/* What the ops read is there no longer, or not yet. */
static __always_inline void captures_reset(struct scratch *s)
{
	s->kept = s->has_unwind_sp = s->goexit = 0;
	s->traceparent_len = s->peer.there = 0;
	s->new_g = s->foreign = s->context.second = s->own_context.second = 0;
	s->object = s->object2 = s->own_scope = s->unless = 0;
	s->ev.used = s->ev.present = s->ev.unread = s->ev.truncated = 0;
}

/* The values of a panic of the goroutine at s->g, into s->ev: as at runtime.recovery(gp). */
static __always_inline void panic_read(struct scratch *s, __u64 thread, __u32 binary)
{
	const struct gotap_panic *how = bpf_map_lookup_elem(&panics, &binary);
	__u64 first = s->regs[0];

	captures_reset(s);
	if (!how)
		return;
	s->ev.site = how->site;
	s->pc = how->code;
	s->end = how->end;
	s->regs[0] = s->g;
	interpret_start(s);
	interpret(s, thread);
	s->regs[0] = first;
}

/*
 * Closes what lies between the frame that a panic has come to and that where it began. What
 * it is kept in is there (src/runtime/panic.go, gopanic): calls beyond have begun later.
 */
__noinline int panic_close(__u64 thread, __u32 cookie)
{
	struct scratch *s = bpf_map_lookup_elem(&threads, &thread);
	struct gotap_site *site = bpf_map_lookup_elem(&sites, &cookie);
	__u64 panic = 0, at = 0, sp = 0;
	struct gotap_open *top;

	if (!s || !site || read_word(&panic, s->g + site->panic_off) || !panic)
		return 0;
	if (read_word(&at, s->g + site->panic_via) || read_word(&sp, at + site->panic_sp) ||
	    sp >= s->stack_hi)
		return 0;
	top = calls_top(s);
	if (!top || s->stack_hi - panic < top->call.depth || s->stack_hi - sp >= top->call.depth)
		return 0;
	panic_read(s, thread, site->binary);
	s->closing = (struct closing){ .deeper_than = s->stack_hi - sp,
				       .reason = GOTAP_UNWIND_PANIC };
	if (s->goexit == 2)
		s->closing.reason = GOTAP_UNWIND_GOEXIT;
	s->closing.with_values = s->ev.present != 0;
	calls_close(thread);
	s->ev.site = cookie;
	s->ev.unwind = 0;
	return 0;
}

#endif
