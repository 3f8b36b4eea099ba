/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * W3C Trace Context level 2: reading a traceparent header (section 3.2), and
 * making ids.
 */
#ifndef GOTAP_TRACEPARENT_BPF_H
#define GOTAP_TRACEPARENT_BPF_H

#include "fetch.bpf.h"

enum {
	TRACEPARENT_LEN = 55,	/* 00-<32 digits>-<16 digits>-<2 digits> */
	TRACEPARENT_BAD = 1,	/* a length that none has */
	TRACE_FLAG_SAMPLED = 1, /* level 1 */
	TRACE_FLAG_RANDOM = 2,	/* level 2 */
};

/* The value of a digit plus one, 0 if it is none. Lower case only, as the specification says. */
const __u8 hex_digits[256] = {
	['0'] = 1,  ['1'] = 2,	['2'] = 3,  ['3'] = 4,	['4'] = 5,  ['5'] = 6,
	['6'] = 7,  ['7'] = 8,	['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
	['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
};

/* @n bytes from 2 * @n digits; returns all digits' values or-ed: over 15 if one was no digit. */
static __always_inline __u8 hex_read(const __u8 *from, __u8 *to, int n)
{
	__u8 seen = 0;

#pragma unroll
	for (int i = 0; i < n; i++) {
		/* 0 for "no digit" becomes 255 here. */
		__u8 hi = hex_digits[from[2 * i]] - 1, lo = hex_digits[from[2 * i + 1]] - 1;

		seen |= hi | lo;
		to[i] = (hi << 4) | lo;
	}
	return seen;
}

/* The header's value, of @len bytes at @addr. Its end is not kept where it is too long. */
static __always_inline enum step text_traceparent(struct scratch *s, __u64 addr, __u64 len)
{
	__u64 n = len;

	s->traceparent_len = 0;
	AT_MOST(n, sizeof(s->traceparent));
	if (bpf_probe_read_user(s->traceparent, n, (void *)addr))
		return STEP_UNREAD;
	s->traceparent_len = len;
	return STEP_NEXT;
}

/* Whether s->traceparent is one; fills trace id, span id and flags of s->parent. */
static __always_inline int traceparent_read(struct scratch *s)
{
	const __u8 *t = s->traceparent;
	__u8 version, flags, seen;
	__u64 *id;

	if (s->traceparent_len < TRACEPARENT_LEN)
		return 0;
	if (t[2] != '-' || t[35] != '-' || t[52] != '-')
		return 0;
	seen = hex_read(t, &version, 1);
	seen |= hex_read(t + 3, s->parent.trace_id, 16);
	seen |= hex_read(t + 36, s->parent.span_id, 8);
	seen |= hex_read(t + 53, &flags, 1);
	if (seen > 15 || version == 0xff)
		return 0;
	/* Later versions may add fields after another dash; 00 has none. */
	if (s->traceparent_len > TRACEPARENT_LEN && (version == 0 || t[55] != '-'))
		return 0;
	id = (__u64 *)s->parent.trace_id;
	if (!(id[0] | id[1]) || !*(__u64 *)s->parent.span_id)
		return 0;
	s->parent.flags = flags & (TRACE_FLAG_SAMPLED | TRACE_FLAG_RANDOM);
	return 1;
}

/* A random number that is not 0 (an id of zeros is invalid). */
static __always_inline __u64 id_new(void)
{
	__u64 id = (__u64)bpf_get_prandom_u32() << 32 | bpf_get_prandom_u32();

	return id ? id : 1;
}

#endif
