/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * From whom a trace context is believed: by the address of the peer, as the traced
 * program has it in text (net/http's Request.RemoteAddr): "1.2.3.4:80", "[fe80::1%eth0]:80";
 * empty, "@" or a path for a Unix socket.
 */
#ifndef GOTAP_TRUST_BPF_H
#define GOTAP_TRUST_BPF_H

#include "maps.bpf.h"

/* Set by goattach. Constants for the verifier, which skips what is not used. */
const volatile __u8 trust_all = 1;
const volatile __u8 trust_unix;

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1); /* set by goattach */
	__type(key, struct gotap_network);
	__type(value, __u8);
} trusted SEC(".maps");

enum { PEER_CHARS = 64, CHARS_A_RUN = 16 };
enum { PEER_UNKNOWN, PEER_V4, PEER_V6, PEER_BAD };

/* The value of a hexadecimal digit, or 16. */
static __always_inline __u32 digit_value(__u8 c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/* A part of the address ends: a byte of IPv4, two of IPv6. */
static __always_inline void peer_part(struct peer *p)
{
	p->part[p->parts & 7] = p->number;
	p->parts++;
	p->number = p->digits = 0;
}

static __always_inline void peer_char(struct peer *p, __u8 c)
{
	__u32 digit = digit_value(c);

	if (digit < 16) {
		p->number = p->v6 ? p->number << 4 | digit : p->number * 10 + digit;
		p->digits++;
		return;
	}
	if (p->digits)
		peer_part(p);
	else if (c == ':')
		p->gap = p->parts; /* the second of two colons, or the first of all */
	if (c == '[')
		p->v6 = 1;
	else if (c == (p->v6 ? ']' : ':') || (p->v6 && c == '%'))
		p->is = p->v6 ? PEER_V6 : PEER_V4;
	else if (c != (p->v6 ? ':' : '.'))
		p->is = PEER_BAD;
}

/* The next CHARS_A_RUN of s->peer. Not static, like interpret_some(). */
__noinline int peer_read(__u64 thread)
{
	struct scratch *s = bpf_map_lookup_elem(&threads, &thread);

	if (!s)
		return 0;
	for (int i = 0; i < CHARS_A_RUN; i++) {
		__u64 at = s->peer.next;

		if (s->peer.is || at >= s->peer.end)
			return 0;
		AT_MOST(at, GOTAP_MAX_DATA + GOTAP_MAX_TEXT);
		s->peer.next = at + 1;
		peer_char(&s->peer, s->data[at]);
	}
	return 1;
}

/* The address that was read, as 128 bits; 0 if it is none. */
static __always_inline int peer_address(const struct peer *p, __u8 *to)
{
	__u32 parts = p->parts, gap = p->gap, missing = 8 - parts;

	if (p->is == PEER_V4 && parts == 4) {
		to[10] = to[11] = 0xff;
#pragma unroll
		for (int i = 0; i < 4; i++)
			to[12 + i] = p->part[i];
		return 1;
	}
	if (p->is != PEER_V6 || parts > 8 || (parts < 8 && gap > 8))
		return 0;
#pragma unroll
	for (__u32 i = 0; i < 8; i++) {
		__u32 from = i < gap ? i : i - missing;
		__u16 part = i >= gap && i < gap + missing ? 0 : p->part[from & 7];

		to[2 * i] = part >> 8;
		to[2 * i + 1] = part;
	}
	return 1;
}

/* The address of a Unix socket: nothing, "@", a path. */
static __always_inline int peer_is_unix(const struct scratch *s)
{
	__u64 at = s->peer.next;

	AT_MOST(at, GOTAP_MAX_DATA + GOTAP_MAX_TEXT);
	return s->peer.next >= s->peer.end || s->data[at] == '@' || s->data[at] == '/';
}

/* Whether the peer of this hit is believed. */
static __noinline int peer_trusted(struct scratch *s, __u64 thread)
{
	struct gotap_network key = { .bits = 128 };

	if (trust_all)
		return 1;
	if (!s->peer.there)
		return 0;
	if (peer_is_unix(s))
		return trust_unix;
	s->peer.gap = ~0U;
	s->peer.is = s->peer.v6 = s->peer.parts = s->peer.number = s->peer.digits = 0;
	for (int i = 0; i < PEER_CHARS / CHARS_A_RUN; i++)
		if (!peer_read(thread))
			break;
	if (!peer_address(&s->peer, key.addr))
		return 0;
	return bpf_map_lookup_elem(&trusted, &key) != 0;
}

#endif
