/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reading the traced process, for the interpreter's ops: what each of them comes
 * to, and reads that are served from copies where there are some.
 */
#ifndef GOTAP_FETCH_BPF_H
#define GOTAP_FETCH_BPF_H

#include "maps.bpf.h"

enum step {
	STEP_NEXT,   /* on to the next op */
	STEP_AGAIN,  /* this op has more to do */
	STEP_ABSENT, /* no value: on to the next capture */
	STEP_UNREAD, /* memory could not be read: likewise, and say so */
};

static __always_inline long read_word(__u64 *to, __u64 addr)
{
	return bpf_probe_read_user(to, sizeof(*to), (const void *)addr);
}

/* Two words. */
struct pair {
	__u64 first, second;
};

/*
 * Reads @size bytes (up to 16) at @addr, from a copy if one holds them: of a struct
 * that many captures read, or of a map's group. The destination of a real read is
 * the stack, because the kernel checks others at some cost (hardened usercopy).
 */
static __always_inline long fetch(struct scratch *s, __u64 addr, __u64 size, struct pair *to)
{
	__u64 off = addr - s->window_of.addr;

	to->first = to->second = 0;
	if (off < GOTAP_MAX_WINDOW - 16 && off + 16 <= s->window_of.len) {
		AT_MOST(off, GOTAP_MAX_WINDOW - 16);
		to->first = *(__u64 *)(s->window + off);
		to->second = *(__u64 *)(s->window + off + 8);
		return 0;
	}
	off = addr - s->group_of.addr;
	if (off < sizeof(s->group) - 16 && off + 16 <= s->group_of.len) {
		AT_MOST(off, sizeof(s->group) - 16);
		to->first = *(__u64 *)(s->group + off);
		to->second = *(__u64 *)(s->group + off + 8);
		return 0;
	}
	AT_MOST(size, 16);
	return bpf_probe_read_user(to, size, (const void *)addr);
}

#endif
