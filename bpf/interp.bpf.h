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

#include "attributes.bpf.h"
#include "fetch.bpf.h"
#include "gomap.bpf.h"
#include "texts.bpf.h"

enum { SHORT_TEXT = 64 };

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

static __always_inline enum step op_elem(struct scratch *s, const struct gotap_op *op)
{
	__u64 index = (__u64)op->imm >> 32, size = (__u32)op->imm;

	if (index >= s->regs[op->size & (GOTAP_REGS - 1)])
		return STEP_ABSENT;
	s->value += index * size;
	return STEP_NEXT;
}

/* --- reads ----------------------------------------------------------------- */

/*
 * @n bytes at @addr to s->data + @off. Short texts by way of the stack, see fetch(): the
 * record has room for what the last words hold too much.
 */
static __always_inline long text_read(struct scratch *s, __u64 off, __u64 n, __u64 addr)
{
	__u64 words[SHORT_TEXT / 8] = { 0 };

	if (n > SHORT_TEXT) {
		AT_MOST(n, GOTAP_MAX_TEXT);
		return bpf_probe_read_user(s->data + off + 2, n, (void *)addr);
	}
	AT_MOST(n, SHORT_TEXT);
	if (bpf_probe_read_user(words, n, (void *)addr))
		return -1;
#pragma unroll
	for (int i = 0; i < SHORT_TEXT / 8; i++)
		*(__u64 *)(s->data + off + 2 + 8 * i) = words[i];
	return 0;
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
	if (op->role == GOTAP_ROLE_PEER) {
		s->peer.there = 1;
		s->peer.next = off + 2;
		s->peer.end = off + 2 + n;
	}
	*(__u16 *)(s->data + off) = n;
	if (n && text_read(s, off, n, addr)) {
		s->ev.truncated &= ~bit;
		return STEP_UNREAD;
	}
	s->ev.present |= bit;
	s->ev.used = (off + 2 + n + 7) & ~7U;
	return STEP_NEXT;
}

/* Not a text, but the two words of an interface. */
static __always_inline enum step text_context(struct scratch *s, __u8 role, const struct pair *p)
{
	struct words *to = role == GOTAP_ROLE_CONTEXT ? &s->context : &s->own_context;

	to->first = p->first;
	to->second = p->second;
	return STEP_NEXT;
}

/* A scope's name, which is emitted too: its hash. */
static __always_inline void text_scope(struct scratch *s, __u64 addr, __u64 len)
{
	__u64 n = len;

	s->own_scope = 0;
	if (!len || len > sizeof(s->scope))
		return;
#pragma unroll
	for (int i = 0; i < GOTAP_SCOPE_WORDS; i++)
		s->scope[i] = 0;
	AT_MOST(n, sizeof(s->scope));
	if (!bpf_probe_read_user(s->scope, n, (const void *)addr))
		s->own_scope = gotap_scope_hash(s->scope, len);
}

static __always_inline enum step op_attributes(struct scratch *s, const struct gotap_op *op,
					       __u64 thread)
{
	struct pair slice = { s->value, s->regs[op->size & (GOTAP_REGS - 1)] };
	__u16 bit = 1U << (op->capture & 15);

	if (op->code == GOTAP_OP_ATTRS && fetch(s, s->value, 16, &slice))
		return STEP_UNREAD;
	s->attributes.at = slice.first;
	s->attributes.left = slice.second;
	s->attributes.layout = op->imm;
	s->attributes.other = 0;
	if (attributes_read(thread))
		s->ev.truncated |= bit;
	if (s->attributes.other)
		s->ev.unread |= bit;
	s->ev.present |= bit;
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
	if (op->role == GOTAP_ROLE_CONTEXT || op->role == GOTAP_ROLE_OWN_CONTEXT)
		return text_context(s, op->role, &text);
	if (op->role == GOTAP_ROLE_SCOPE)
		text_scope(s, text.first, text.second);
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
	case GOTAP_ROLE_NEW_G:
		s->new_g = s->number;
		break;
	case GOTAP_ROLE_FOREIGN:
		s->foreign = s->number;
		break;
	case GOTAP_ROLE_OBJECT:
		s->object = s->number;
		break;
	case GOTAP_ROLE_OBJECT2:
		s->object2 = s->number;
		break;
	case GOTAP_ROLE_UNLESS:
		s->unless = s->number;
		break;
	}
	return STEP_NEXT;
}

static __always_inline enum step op_read(struct scratch *s, const struct gotap_op *op)
{
	enum step ret = STEP_NEXT;

	if (op->code == GOTAP_OP_TEXT || op->code == GOTAP_OP_REGTEXT)
		return op_text(s, op);
	if (op->code == GOTAP_OP_TEXTS)
		return op_texts(s, op);
	if (op->code == GOTAP_OP_NUMBER)
		ret = op_number(s, op);
	else if (op->code == GOTAP_OP_NONZERO)
		ret = op_nonzero(s, op);
	else
		s->number = s->value;
	return ret == STEP_NEXT ? number_use(s, op) : ret;
}

/* --- the loop -------------------------------------------------------------- */

static __always_inline enum step op_step(struct scratch *s, const struct gotap_op *op, __u64 thread)
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
	case GOTAP_OP_ELEM:
		return op_elem(s, op);
	case GOTAP_OP_MAP:
		return op_map(s, op);
	case GOTAP_OP_ATTRS:
	case GOTAP_OP_REGATTRS:
		return op_attributes(s, op, thread);
	default:
		return op_read(s, op);
	}
}

enum { STEPS_A_RUN = 32, STEPS_MANY = 1024 };

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
		ret = op_step(s, op, thread);
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

/* Up to STEPS_MANY; 1 if there are more. */
__noinline int interpret_many(__u64 thread)
{
	for (int i = 0; i < STEPS_MANY / STEPS_A_RUN; i++)
		if (!interpret_some(thread))
			return 0;
	return 1;
}

/* Before the first run of a hit. */
static __always_inline void interpret_start(struct scratch *s)
{
	s->scan.map = 0;
	s->window_of.len = s->group_of.len = 0;
}

/* Runs the ops from s->pc to s->end; s->regs and s->ev are ready. 1 if it had to stop early. */
static __always_inline int interpret(struct scratch *s, __u64 thread)
{
	s->scan.entered = s->texts.entered = 0;
	for (int i = 0; i < GOTAP_MAX_STEPS / STEPS_MANY; i++)
		if (!interpret_many(thread))
			return 0;
	return 1;
}

#endif
