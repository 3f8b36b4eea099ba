/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fast reader of one JSON text, for the stream's hot paths. The text is split
 * into a flat array of tokens that point into it; nothing is copied until an
 * escaped string is asked for. The text must outlive the document's use and is
 * never changed, so that a line can be passed on as it came.
 *
 * The caller owns a struct jsonv_doc, initialises it with zeros, parses any
 * number of texts with it (each parse drops what the one before gave) and
 * releases it. Nesting is limited to JSONV_MAX_DEPTH and tokens to
 * JSONV_MAX_TOKENS. Bytes in strings need not be UTF-8 (text of a traced
 * program may be anything); unescaped control bytes are refused (RFC 8259, 7).
 */
#ifndef GOTAP_JSONV_H
#define GOTAP_JSONV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "errinfo.h"

#define JSONV_MAX_DEPTH	 32
#define JSONV_MAX_TOKENS (1u << 18)

enum jsonv_type {
	JSONV_NULL,
	JSONV_FALSE,
	JSONV_TRUE,
	JSONV_NUMBER,
	JSONV_STRING,
	JSONV_ARRAY,
	JSONV_OBJECT,
};

/* One value. In an object a key (a string token) stands before each value. */
struct jsonv {
	const char *text; /* first byte; for a string the one after the quote */
	uint32_t len;	  /* bytes of text, for a string without the quotes */
	uint32_t next;	  /* distance in tokens to the value after this one */
	uint32_t count;	  /* members of an object, elements of an array */
	uint8_t type;	  /* enum jsonv_type */
	uint8_t escaped;  /* a string that holds a backslash */
};

struct jsonv_chunk;

struct jsonv_doc {
	struct jsonv *tok;
	size_t n, cap;
	struct jsonv_chunk *arena; /* unescaped strings */
};

/*
 * Parses @text. 0; -EINVAL with the byte offset and reason in @e; -E2BIG past a
 * limit; -ENOMEM. White space around the value is allowed, other text is not.
 */
int jsonv_parse(struct jsonv_doc *d, const char *text, size_t len, struct errinfo *e);
void jsonv_release(struct jsonv_doc *d);

/* The outermost value, borrowed until the next parse. NULL before the first one. */
const struct jsonv *jsonv_root(const struct jsonv_doc *d);

/* The value of @key in @obj; NULL if absent, or if @obj is NULL or no object. */
const struct jsonv *jsonv_member(const struct jsonv *obj, const char *key);

/*
 * Walking: the first element (or the first key) of a container, NULL when it is
 * empty; then jsonv_after() of each value, @i counting from 0 to count - 1. For
 * an object `key` is followed in memory by its value:
 *
 *	const struct jsonv *k = jsonv_first(obj);
 *	for (uint32_t i = 0; i < obj->count; i++, k = jsonv_after(k + 1))
 *		use(k, k + 1);
 */
const struct jsonv *jsonv_first(const struct jsonv *container);
const struct jsonv *jsonv_after(const struct jsonv *v);

/*
 * The bytes of a string, escapes resolved (a lone surrogate becomes U+FFFD).
 * Not NUL-terminated; borrowed until the next parse. -EINVAL if @v is NULL or no
 * string.
 */
int jsonv_str(struct jsonv_doc *d, const struct jsonv *v, const char **s, size_t *len);
/*
 * The same as a NUL-terminated copy that the caller frees. NULL if @v is NULL, no
 * string, or holds a NUL, which would make it another text; or without memory.
 */
char *jsonv_strdup(struct jsonv_doc *d, const struct jsonv *v);
/* Whether @v is a string without escapes that equals @s. */
bool jsonv_is(const struct jsonv *v, const char *s);

/*
 * Integers: from a number, or from a string that holds decimal digits or 0x and
 * hexadecimal digits (the stream's form for 64-bit values). -EINVAL if @v is
 * NULL or no integer, -ERANGE if it does not fit.
 */
int jsonv_u64(const struct jsonv *v, uint64_t *out);
int jsonv_i64(const struct jsonv *v, int64_t *out);
/* A finite number, or -EINVAL. */
int jsonv_double(const struct jsonv *v, double *out);
/* true or false, or -EINVAL. */
int jsonv_bool(const struct jsonv *v, bool *out);
/* A string of exactly 2 * @n hexadecimal digits into @n bytes, or -EINVAL. */
int jsonv_hex(const struct jsonv *v, uint8_t *out, size_t n);

#endif
