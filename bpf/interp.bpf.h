/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The interpreter of capture programs: what to read from the traced process at a
 * site is data made by goresolve, and this follows it. It knows registers,
 * dereferences, texts, slices, interfaces and Go's two kinds of map, and nothing
 * about any library. Memory that cannot be read is noted and skipped.
 *
 * One flat loop of at most GOTAP_MAX_STEPS steps, an op or a map's group each,
 * with all its state in map memory: so each step looks the same to the verifier.
 */
#ifndef GOTAP_INTERP_BPF_H
#define GOTAP_INTERP_BPF_H

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

static __always_inline enum step op_window(struct scratch *s, const struct gotap_op *op)
{
	__u64 len = op->max;

	AT_MOST(len, GOTAP_MAX_WINDOW);
	s->window_of.len = 0;
	if (!bpf_probe_read_user(s->window, len, (const void *)s->value)) {
		s->window_of.addr = s->value;
		s->window_of.len = len;
	}
	return STEP_NEXT; /* what cannot be read will be noted where it is needed */
}

static __always_inline enum step op_slice(struct scratch *s, const struct gotap_op *op)
{
	__u64 index = (__u64)op->imm >> 32, size = (__u32)op->imm;
	struct pair slice;

	if (fetch(s, s->value, 16, &slice))
		return STEP_UNREAD;
	if (index >= slice.second)
		return STEP_ABSENT;
	s->value = slice.first + index * size;
	return STEP_NEXT;
}

/* Number of the lowest bit that is set, 8 for 0. */
#define FIRST_2(n)  n, 0
#define FIRST_4(n)  FIRST_2(n), 1, 0
#define FIRST_8(n)  FIRST_4(n), 2, 0, 1, 0
#define FIRST_16(n) FIRST_8(n), 3, 0, 1, 0, 2, 0, 1, 0
#define FIRST_32(n) FIRST_16(n), FIRST_16(4)
#define FIRST_64(n) FIRST_32(n), FIRST_32(5)
const __u8 first_bit[256] = { FIRST_64(8), FIRST_64(6), FIRST_64(7), FIRST_64(6) };

/* --- Go maps with string keys -------------------------------------------- */

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

/* Copies the group's control bytes and keys, unless the copy is there already. */
static __always_inline long scan_fetch(struct scratch *s, __u64 stride)
{
	__u64 len = 8 + 8 * stride;

	if (s->group_of.addr == s->scan.group && s->group_of.len == len)
		return 0;
	AT_MOST(len, sizeof(s->group));
	s->group_of.len = 0;
	if (bpf_probe_read_user(s->group, len, (const void *)s->scan.group))
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
	s->scan.slot = first_bit[hits & 0xff];
}

/* Whether the key of slot s->scan.slot is the one that is looked for. */
static __always_inline enum step scan_compare(struct scratch *s, const struct gotap_lookup *l,
					      __u64 stride)
{
	const __u64 *want = (const __u64 *)l->key;
	__u64 slot = s->scan.slot, len = l->key_len, differ = 0;
	__u64 key[GOTAP_MAX_KEY / 8] = { 0 };

	AT_MOST(slot, 7);
	AT_MOST(len, GOTAP_MAX_KEY);
	AT_MOST(stride, GOTAP_MAX_STRIDE);
	s->scan.slot = slot + 1;
	if (bpf_probe_read_user(key, len, *(void **)(s->group + 8 + slot * stride)))
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

/* --- reads ----------------------------------------------------------------- */

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

/* @len bytes at @addr: into the record, no more than op->max and than there is room for. */
static __always_inline enum step text_emit(struct scratch *s, const struct gotap_op *op, __u64 addr,
					   __u64 len)
{
	__u64 off = s->ev.used, n = op->max;
	__u16 bit = 1U << (op->capture & 15);

	if (off > GOTAP_MAX_DATA) {
		s->ev.truncated |= bit;
		return STEP_NEXT;
	}
	if (len > n)
		s->ev.truncated |= bit;
	else
		n = len;
	AT_MOST(off, GOTAP_MAX_DATA);
	AT_MOST(n, GOTAP_MAX_TEXT);
	*(__u16 *)(s->data + off) = n;
	if (n && bpf_probe_read_user(s->data + off + 2, n, (void *)addr)) {
		s->ev.truncated &= ~bit;
		return STEP_UNREAD;
	}
	s->ev.present |= bit;
	s->ev.used = (off + 2 + n + 7) & ~7U;
	return STEP_NEXT;
}

static __always_inline enum step op_text(struct scratch *s, const struct gotap_op *op)
{
	struct pair text = { s->value, s->regs[op->size & (GOTAP_REGS - 1)] };

	if (op->code == GOTAP_OP_TEXT && fetch(s, s->value + op->imm, 16, &text))
		return STEP_UNREAD;
	if ((__s64)text.second < 0)
		return STEP_UNREAD;
	if (op->role == GOTAP_ROLE_TRACEPARENT)
		return text_traceparent(s, text.first, text.second);
	return text_emit(s, op, text.first, text.second);
}

static __always_inline enum step op_number(struct scratch *s, const struct gotap_op *op)
{
	__u64 size = op->size;
	struct pair got;

	AT_MOST(size, 8);
	if (fetch(s, s->value + op->imm, size, &got))
		return STEP_UNREAD;
	s->number = size < 8 ? got.first & ((1ULL << (8 * size)) - 1) : got.first;
	return STEP_NEXT;
}

static __always_inline enum step op_nonzero(struct scratch *s, const struct gotap_op *op)
{
	__u64 size = op->size, any = 0;

#pragma unroll
	for (int i = 0; i < GOTAP_MAX_NONZERO / 8; i++)
		s->text[i] = 0;
	AT_MOST(size, sizeof(s->text));
	if (bpf_probe_read_user(s->text, size, (void *)(s->value + op->imm)))
		return STEP_UNREAD;
#pragma unroll
	for (int i = 0; i < GOTAP_MAX_NONZERO / 8; i++)
		any |= s->text[i];
	s->number = any != 0;
	return STEP_NEXT;
}

static __always_inline enum step number_use(struct scratch *s, const struct gotap_op *op)
{
	__u64 off = s->ev.used;

	switch (op->role) {
	case GOTAP_ROLE_EMIT:
		if (off > GOTAP_MAX_DATA)
			return STEP_ABSENT;
		AT_MOST(off, GOTAP_MAX_DATA);
		*(__u64 *)(s->data + off) = s->number;
		s->ev.present |= 1U << (op->capture & 15);
		s->ev.used = off + 8;
		break;
	case GOTAP_ROLE_KEEP0:
		s->keep[0] = s->number;
		s->kept |= 1;
		break;
	case GOTAP_ROLE_KEEP1:
		s->keep[1] = s->number;
		s->kept |= 2;
		break;
	case GOTAP_ROLE_UNWIND_SP:
		s->unwind_sp = s->number;
		s->has_unwind_sp = 1;
		break;
	case GOTAP_ROLE_GOEXIT:
		s->goexit = s->number ? 2 : 1;
		break;
	}
	return STEP_NEXT;
}

static __always_inline enum step op_read(struct scratch *s, const struct gotap_op *op)
{
	enum step ret = STEP_NEXT;

	if (op->code == GOTAP_OP_TEXT || op->code == GOTAP_OP_REGTEXT)
		return op_text(s, op);
	if (op->code == GOTAP_OP_NUMBER)
		ret = op_number(s, op);
	else if (op->code == GOTAP_OP_NONZERO)
		ret = op_nonzero(s, op);
	else
		s->number = s->value;
	return ret == STEP_NEXT ? number_use(s, op) : ret;
}

/* --- the loop -------------------------------------------------------------- */

static __always_inline enum step op_step(struct scratch *s, const struct gotap_op *op)
{
	struct pair got;

	if (op->base != GOTAP_REG_NONE)
		s->value = s->regs[op->base & (GOTAP_REGS - 1)];
	if (!s->value && op->code != GOTAP_OP_VALUE && op->code != GOTAP_OP_REGTEXT)
		return STEP_ABSENT;
	switch (op->code) {
	case GOTAP_OP_WINDOW:
		return op_window(s, op);
	case GOTAP_OP_ADD:
		s->value += op->imm;
		return STEP_NEXT;
	case GOTAP_OP_LOAD:
		if (fetch(s, s->value + op->imm, 8, &got))
			return STEP_UNREAD;
		s->value = got.first;
		return STEP_NEXT;
	case GOTAP_OP_ITAB:
		if (read_word(&got.first, s->value + 8))
			return STEP_UNREAD;
		return got.first == op->imm + s->bias ? STEP_NEXT : STEP_ABSENT;
	case GOTAP_OP_EFACE:
		return s->value == op->imm + s->bias ? STEP_NEXT : STEP_ABSENT;
	case GOTAP_OP_SLICE:
		return op_slice(s, op);
	case GOTAP_OP_MAP:
		return op_map(s, op);
	default:
		return op_read(s, op);
	}
}

enum { STEPS_A_RUN = 32 };

/*
 * Up to STEPS_A_RUN steps of this thread's capture program; 1 if there are more. Not
 * static: so the verifier looks at it once, by itself, which keeps within its limits
 * (8192 pending branches).
 */
__noinline int interpret_some(__u64 thread)
{
	struct scratch *s = bpf_map_lookup_elem(&threads, &thread);
	__u32 at;

	if (!s)
		return 0;
	at = s->pc;
	for (int i = 0; i < STEPS_A_RUN; i++) {
		const struct gotap_op *op;
		enum step ret;

		if (at >= s->end)
			return 0;
		op = bpf_map_lookup_elem(&code, &at);
		if (!op)
			return 0;
		ret = op_step(s, op);
		if (ret == STEP_UNREAD)
			s->ev.unread |= 1U << (op->capture & 15);
		if (ret == STEP_NEXT)
			at++;
		else if (ret != STEP_AGAIN)
			at += op->next;
	}
	s->pc = at;
	return 1;
}

/* Runs the ops from s->pc to s->end; s->regs and s->ev are ready. 1 if it had to stop early. */
static __always_inline int interpret(struct scratch *s, __u64 thread)
{
	s->scan.entered = 0;
	s->scan.map = 0;
	s->window_of.len = s->group_of.len = 0;
	for (int i = 0; i < GOTAP_MAX_STEPS / STEPS_A_RUN; i++)
		if (!interpret_some(thread))
			return 0;
	return 1;
}

#endif
