/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Looking up a constant string key in a Go map: swiss maps (Go 1.24 and later) and
 * buckets with overflow chains (up to 1.23). The hash is not known, so groups are
 * looked at one after the other, one a step; header maps are small.
 */
#ifndef GOTAP_GOMAP_BPF_H
#define GOTAP_GOMAP_BPF_H

#include "fetch.bpf.h"

/* Number of the lowest bit that is set, 8 for 0. */
#define FIRST_2(n)  n, 0
#define FIRST_4(n)  FIRST_2(n), 1, 0
#define FIRST_8(n)  FIRST_4(n), 2, 0, 1, 0
#define FIRST_16(n) FIRST_8(n), 3, 0, 1, 0, 2, 0, 1, 0
#define FIRST_32(n) FIRST_16(n), FIRST_16(4)
#define FIRST_64(n) FIRST_32(n), FIRST_32(5)
const __u8 first_bit[256] = { FIRST_64(8), FIRST_64(6), FIRST_64(7), FIRST_64(6) };

/* Reads where the map's groups are, unless it is the same map as before. */
static __always_inline long directory_read(struct scratch *s, const struct gotap_lookup *l)
{
	struct map_scan *m = &s->scan;
	struct pair dir;

	if (m->map == s->value)
		return 0;
	m->map = 0;
	if (l->dir_len == l->dir_ptr + 8) {
		if (bpf_probe_read_user(&dir, 16, (const void *)(s->value + l->dir_ptr)))
			return -1;
	} else if (read_word(&dir.first, s->value + l->dir_ptr) ||
		   read_word(&dir.second, s->value + l->dir_len)) {
		return -1;
	}
	m->map = s->value;
	m->dir_ptr = dir.first;
	m->dir_len = dir.second;
	return 0;
}

/* Swiss maps, Go 1.24 and later: src/internal/runtime/maps, Map and table. */
static __always_inline enum step scan_enter_swiss(struct scratch *s, const struct gotap_lookup *l)
{
	struct map_scan *m = &s->scan;

	if (directory_read(s, l))
		return STEP_UNREAD;
	if (!m->dir_ptr)
		return STEP_ABSENT;
	m->n = 0;
	m->dir = m->dir_ptr;
	m->tables = m->dir_len;
	if (!m->tables) { /* up to 8 elements: one group, and no table */
		m->groups = m->dir;
		m->n = 1;
	}
	return STEP_AGAIN;
}

/* Up to Go 1.23: src/runtime/map.go, hmap; oldbuckets follows buckets. */
static __always_inline enum step scan_enter_hmap(struct scratch *s, const struct gotap_lookup *l)
{
	struct map_scan *m = &s->scan;
	struct pair buckets;
	__u8 log2 = 0;

	m->tables = 0;
	if (bpf_probe_read_user(&log2, 1, (const void *)(s->value + l->log2_buckets)) ||
	    bpf_probe_read_user(&buckets, 16, (const void *)(s->value + l->buckets)))
		return STEP_UNREAD;
	m->groups = buckets.first;
	m->old = buckets.second;
	if (!m->groups)
		return STEP_ABSENT;
	m->n = 1U << (log2 & 15);
	return STEP_AGAIN;
}

static __always_inline __u64 group_size(const struct gotap_lookup *l)
{
	return l->swiss ? 8 + 8 * (__u64)l->slot_size : (__u64)l->overflow + 8;
}

/* The next group in this table, the next table, or the old buckets. */
static __always_inline enum step scan_advance(struct scratch *s, const struct gotap_lookup *l)
{
	struct map_scan *m = &s->scan;
	struct pair groups;
	__u64 table;

	m->slot = 0;
	if (m->at < m->n) {
		m->group = m->groups + m->at * group_size(l);
		m->at++;
		return STEP_AGAIN;
	}
	if (m->old && !l->swiss) {
		m->groups = m->old; /* what has moved is marked there */
		m->old = 0;
		m->at = 0;
		return STEP_AGAIN;
	}
	if (!m->tables)
		return STEP_ABSENT;
	m->tables--;
	if (read_word(&table, m->dir) ||
	    bpf_probe_read_user(&groups, 16, (const void *)(table + l->table_groups)))
		return STEP_UNREAD;
	m->dir += 8;
	if (m->groups == groups.first) /* one table may stand at several places */
		return STEP_AGAIN;
	m->groups = groups.first;
	m->n = (__u32)groups.second + 1; /* lengthMask */
	m->at = 0;
	return STEP_AGAIN;
}

/*
 * @len bytes at @addr, of which a page may hold nothing: Go takes fresh memory as it is, and
 * until it is written to there is none, which cannot be read. Slots that are in use have
 * been written to.
 */
static __noinline long group_read_parts(struct scratch *s, __u64 len, __u64 addr)
{
	enum { PAGE = 4096 };
	__u64 first = PAGE - (addr & (PAGE - 1)), rest = len - first;

	if (first >= len)
		return -1;
	AT_MOST(first, sizeof(s->group));
	AT_MOST(rest, sizeof(s->group));
	if (bpf_probe_read_user(s->group, first, (const void *)addr))
		return -1;
	bpf_probe_read_user(s->group + first, rest, (const void *)(addr + first)); /* or zeros */
	return 0;
}

/* Copies the group's control bytes and keys, unless the copy is there already. */
static __always_inline long scan_fetch(struct scratch *s, __u64 stride)
{
	__u64 len = 8 + 8 * stride;

	if (s->group_of.addr == s->scan.group && s->group_of.len == len)
		return 0;
	AT_MOST(len, sizeof(s->group));
	s->group_of.len = 0;
	if (bpf_probe_read_user(s->group, len, (const void *)s->scan.group) &&
	    group_read_parts(s, len, s->scan.group))
		return -1;
	s->group_of.addr = s->scan.group;
	s->group_of.len = len;
	return 0;
}

#define EACH_BYTE(b) (0x0101010101010101ULL * (b))

/* The top bit of each control byte whose slot is in use. */
static __always_inline __u64 scan_full(struct scratch *s, const struct gotap_lookup *l)
{
	__u64 w = *(__u64 *)s->group;

	if (l->swiss) /* src/internal/runtime/maps/group.go: empty and deleted have it set */
		return ~w & EACH_BYTE(0x80);
	/* src/runtime/map.go: tophash of at least minTopHash, 5 */
	return (((w & EACH_BYTE(0x7f)) + EACH_BYTE(0x80 - 5)) | w) & EACH_BYTE(0x80);
}

/*
 * The first slot from s->scan.slot on whose key has the right length; 8 if there is
 * none. Without branches, which the verifier would follow one by one.
 */
static __always_inline void scan_find(struct scratch *s, const struct gotap_lookup *l, __u64 stride)
{
	__u64 hits = 0, full = scan_full(s, l);

	AT_MOST(stride, GOTAP_MAX_STRIDE);
#pragma unroll
	for (int i = 0; i < 8; i++) {
		__u64 differ = *(__u64 *)(s->group + 16 + i * stride) ^ l->key_len;
		__u64 same = ~(differ | -differ) >> 63;

		hits |= (same & (full >> (8 * i + 7))) << i;
	}
	hits = hits >> (s->scan.slot & 15) << (s->scan.slot & 15);
	/* The compiler knows, the verifier of older kernels (6.1) does not. */
	AT_MOST(hits, sizeof(first_bit) - 1);
	s->scan.slot = first_bit[hits];
}

/* Whether the key of slot s->scan.slot is the one that is looked for. */
static __always_inline enum step scan_compare(struct scratch *s, const struct gotap_lookup *l,
					      __u64 stride)
{
	const __u64 *want = (const __u64 *)l->key;
	__u64 slot = s->scan.slot, len = l->key_len, at, differ = 0;
	__u64 key[GOTAP_MAX_KEY / 8] = { 0 };

	AT_MOST(slot, 7);
	AT_MOST(len, GOTAP_MAX_KEY);
	s->scan.slot = slot + 1;
	/* The verifier of older kernels (6.1) does not know what a product is at most. */
	at = slot * stride;
	AT_MOST(at, 7 * GOTAP_MAX_STRIDE);
	if (bpf_probe_read_user(key, len, *(void **)(s->group + 8 + at)))
		return STEP_UNREAD;
#pragma unroll
	for (int i = 0; i < GOTAP_MAX_KEY / 8; i++)
		differ |= key[i] ^ want[i];
	if (differ)
		return STEP_AGAIN;
	s->value = s->scan.group + l->elem_off + (l->swiss ? 8 : 0) + slot * l->slot_size;
	return STEP_NEXT;
}

static __always_inline enum step scan_group(struct scratch *s, const struct gotap_lookup *l)
{
	__u64 stride = l->swiss ? l->slot_size : 16;
	struct map_scan *m = &s->scan;
	__u64 overflow = 0;

	if (scan_fetch(s, stride))
		return STEP_UNREAD;
	scan_find(s, l, stride);
	if (m->slot < 8)
		return scan_compare(s, l, stride);
	if (!l->swiss && read_word(&overflow, m->group + l->overflow))
		return STEP_UNREAD;
	m->group = overflow; /* 0: on to the next one */
	m->slot = 0;
	return STEP_AGAIN;
}

/* Enters, or goes on to the next group, and looks at it: one group a step. */
static __always_inline enum step op_map(struct scratch *s, const struct gotap_op *op)
{
	__u32 index = op->imm;
	const struct gotap_lookup *l = bpf_map_lookup_elem(&lookups, &index);
	struct map_scan *m = &s->scan;
	enum step ret = STEP_AGAIN;

	if (!l)
		return STEP_ABSENT;
	if (!m->entered) {
		m->entered = 1;
		m->at = 0;
		m->group = m->groups = m->old = 0;
		ret = l->swiss ? scan_enter_swiss(s, l) : scan_enter_hmap(s, l);
	}
	if (ret == STEP_AGAIN && !m->group)
		ret = scan_advance(s, l);
	if (ret == STEP_AGAIN && m->group)
		ret = scan_group(s, l);
	if (ret != STEP_AGAIN)
		m->entered = 0;
	return ret;
}

#endif
