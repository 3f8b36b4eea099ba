/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * All texts of a slice of strings as one, joined by commas: what several header fields
 * of one name mean (RFC 9110, section 5.2). One text a step of the interpreter.
 */
#ifndef GOTAP_TEXTS_BPF_H
#define GOTAP_TEXTS_BPF_H

#include "fetch.bpf.h"
#include "traceparent.bpf.h"

/* Looks at the slice {pointer, length} at @addr. */
static __always_inline enum step texts_enter(struct scratch *s, __u64 addr)
{
	struct texts *l = &s->texts;
	struct pair slice;

	if (fetch(s, addr, 16, &slice) || (__s64)slice.second < 0)
		return STEP_UNREAD;
	if (!slice.second)
		return STEP_ABSENT;
	l->at = slice.first;
	l->left = slice.second;
	l->used = l->n = 0;
	l->entered = 1;
	return STEP_AGAIN;
}

/* Puts a text behind those that are in the record; no more than op->max bytes in all. */
static __always_inline enum step texts_append(struct scratch *s, const struct gotap_op *op,
					      __u64 addr, __u64 len)
{
	struct texts *l = &s->texts;
	__u64 at = s->ev.used + 2 + l->used, n = len;

	if (at > GOTAP_MAX_DATA || l->used + n > op->max) {
		s->ev.truncated |= 1U << (op->capture & 15);
		n = at > GOTAP_MAX_DATA || l->used > op->max ? 0 : op->max - l->used;
	}
	AT_MOST(at, GOTAP_MAX_DATA);
	AT_MOST(n, GOTAP_MAX_TEXT);
	if (n && bpf_probe_read_user(s->data + at, n, (const void *)addr))
		return STEP_UNREAD;
	l->used += n;
	at += n;
	AT_MOST(at, GOTAP_MAX_DATA + GOTAP_MAX_TEXT);
	s->data[at] = ',';
	return STEP_AGAIN;
}

static __always_inline enum step texts_leave(struct scratch *s, const struct gotap_op *op)
{
	__u64 off = s->ev.used;

	AT_MOST(off, GOTAP_MAX_DATA);
	*(__u16 *)(s->data + off) = s->texts.used;
	s->ev.present |= 1U << (op->capture & 15);
	s->ev.used = (off + 2 + s->texts.used + 7) & ~7U;
	return STEP_NEXT;
}

/* The next text; behind the last one the value is complete. */
static __always_inline enum step texts_next(struct scratch *s, const struct gotap_op *op)
{
	struct texts *l = &s->texts;
	struct pair text;

	if (!l->left || s->ev.truncated >> (op->capture & 15) & 1)
		return texts_leave(s, op);
	if (bpf_probe_read_user(&text, sizeof(text), (const void *)l->at) || (__s64)text.second < 0)
		return STEP_UNREAD;
	l->at += sizeof(text);
	l->left--;
	if (op->role == GOTAP_ROLE_TRACEPARENT)
		return text_traceparent(s, text.first, text.second);
	if (l->n++)
		l->used++; /* the comma */
	return texts_append(s, op, text.first, text.second);
}

static __always_inline enum step op_texts(struct scratch *s, const struct gotap_op *op)
{
	enum step ret = STEP_AGAIN;

	if (!s->texts.entered)
		ret = texts_enter(s, s->value + op->imm);
	/* Of several traceparents none is good (W3C Trace Context level 2, section 4.3). */
	if (ret == STEP_AGAIN && op->role == GOTAP_ROLE_TRACEPARENT && s->texts.left != 1) {
		s->traceparent_len = TRACEPARENT_BAD;
		ret = STEP_ABSENT;
	}
	if (ret == STEP_AGAIN)
		ret = texts_next(s, op);
	if (ret != STEP_AGAIN)
		s->texts.entered = 0;
	return ret;
}

#endif
