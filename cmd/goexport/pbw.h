/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes protobuf's wire format (protobuf.dev, "Encoding") straight into growing
 * text: no tree of messages, no second pass for sizes. A message inside is begun
 * and ended; its length is filled in at the end, which moves it only if it has
 * got longer than 127 bytes. Failures of memory stick to the text.
 *
 * Inline, because a span is some sixty calls. Called by whoever makes OTLP.
 */
#ifndef GOEXPORT_PBW_H
#define GOEXPORT_PBW_H

#include <stdint.h>
#include <string.h>

#include "textbuf.h"

enum pbw_wire {
	PBW_VARINT = 0,
	PBW_64 = 1,
	PBW_LEN = 2,
	PBW_32 = 5,
};

/* Room for a key and a varint, or a key and 8 bytes; all field numbers here are below 2048. */
#define PBW_SCALAR 12

static inline char *pbw_put_varint(char *to, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*to++ = (char)(v | 0x80);
	*to++ = (char)v;
	return to;
}

/* Bytes of @v as a varint. */
static inline size_t pbw_varint_size(uint64_t v)
{
	size_t n = 1;

	for (; v >= 0x80; v >>= 7)
		n++;
	return n;
}

/* Bytes of a field with a number below 16 that holds @len bytes. */
static inline size_t pbw_len_size(size_t len)
{
	return 1 + pbw_varint_size(len) + len;
}

static inline char *pbw_put_key(char *to, unsigned field, enum pbw_wire wire)
{
	return pbw_put_varint(to, field << 3 | wire);
}

/* The integer types (not sint): also when 0; see pbw_uint(). */
static inline void pbw_varint(struct textbuf *t, unsigned field, uint64_t v)
{
	char *to;

	if (!textbuf_reserve(t, PBW_SCALAR))
		return;
	to = pbw_put_varint(pbw_put_key(t->buf + t->len, field, PBW_VARINT), v);
	t->len = (size_t)(to - t->buf);
}

/* A field whose default is 0 is left out when it is. */
static inline void pbw_uint(struct textbuf *t, unsigned field, uint64_t v)
{
	if (v)
		pbw_varint(t, field, v);
}

static inline uint64_t pbw_zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ -(uint64_t)(v < 0);
}

/* Elements of a packed field, behind pbw_head() or pbw_begin(). */
static inline void pbw_raw64(struct textbuf *t, uint64_t v)
{
	if (!textbuf_reserve(t, 8))
		return;
	for (int i = 0; i < 8; i++)
		t->buf[t->len++] = (char)(v >> 8 * i);
}

static inline void pbw_raw_double(struct textbuf *t, double d)
{
	uint64_t bits;

	memcpy(&bits, &d, sizeof(bits));
	pbw_raw64(t, bits);
}

static inline void pbw_raw_varint(struct textbuf *t, uint64_t v)
{
	if (textbuf_reserve(t, 10))
		t->len = (size_t)(pbw_put_varint(t->buf + t->len, v) - t->buf);
}

static inline void pbw_fixed64(struct textbuf *t, unsigned field, uint64_t v)
{
	char *to;

	if (!textbuf_reserve(t, PBW_SCALAR))
		return;
	to = pbw_put_key(t->buf + t->len, field, PBW_64);
	for (int i = 0; i < 8; i++)
		*to++ = (char)(v >> 8 * i);
	t->len = (size_t)(to - t->buf);
}

static inline void pbw_fixed32(struct textbuf *t, unsigned field, uint32_t v)
{
	char *to;

	if (!textbuf_reserve(t, PBW_SCALAR))
		return;
	to = pbw_put_key(t->buf + t->len, field, PBW_32);
	for (int i = 0; i < 4; i++)
		*to++ = (char)(v >> 8 * i);
	t->len = (size_t)(to - t->buf);
}

static inline void pbw_double(struct textbuf *t, unsigned field, double d)
{
	uint64_t bits;

	memcpy(&bits, &d, sizeof(bits));
	pbw_fixed64(t, field, bits);
}

/* The key and the length; @len bytes are to follow. */
static inline void pbw_head(struct textbuf *t, unsigned field, size_t len)
{
	char *to;

	if (!textbuf_reserve(t, PBW_SCALAR))
		return;
	to = pbw_put_varint(pbw_put_key(t->buf + t->len, field, PBW_LEN), len);
	t->len = (size_t)(to - t->buf);
}

/* Text, bytes, or a message that is there already: also when empty. */
static inline void pbw_bytes(struct textbuf *t, unsigned field, const void *p, size_t len)
{
	pbw_head(t, field, len);
	if (!len || !textbuf_reserve(t, len))
		return;
	memcpy(t->buf + t->len, p, len);
	t->len += len;
}

/* The same, left out when empty. */
static inline void pbw_text(struct textbuf *t, unsigned field, const void *p, size_t len)
{
	if (len)
		pbw_bytes(t, field, p, len);
}

/* A message in @field; what is written until pbw_end() with the result is in it. */
static inline size_t pbw_begin(struct textbuf *t, unsigned field)
{
	pbw_head(t, field, 0);
	return t->len;
}

static inline void pbw_end(struct textbuf *t, size_t begin)
{
	size_t len = t->len - begin, more = pbw_varint_size(len) - 1;

	if (t->failed || (more && !textbuf_reserve(t, more)))
		return;
	if (more)
		memmove(t->buf + begin + more, t->buf + begin, len);
	pbw_put_varint(t->buf + begin - 1, len);
	t->len += more;
}

#endif
