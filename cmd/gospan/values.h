/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an open call has to keep of its events until the span is written: the
 * captured values and the event's own texts, as flat copies of their JSON text,
 * so that a begin is neither parsed twice nor rendered before its end is known.
 *
 * A struct values is owned by its call and reused: values_clear() keeps the
 * memory up to a limit. Later additions of the same name win.
 */
#ifndef GOSPAN_VALUES_H
#define GOSPAN_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jsonv.h"
#include "names.h"

/* Values of one call beyond this are refused, to bound the time of finding doubles. */
#define VALUES_MAX 256

enum value_role {
	ROLE_ATTRIBUTE,	  /* a member of "values" */
	ROLE_EXTRA,	  /* a key of the event that gospan does not know */
	ROLE_SPAN,	  /* the event's "span" */
	ROLE_SYMBOL,	  /* … "symbol" */
	ROLE_PARENT_FROM, /* … "parent_from" */
	ROLE_TRACE_STATE, /* … "trace_state" */
	ROLE_TRUNCATED,	  /* one element of "truncated" */
	ROLE_UNREAD,	  /* one element of "unread" */
	ROLE_LINK,	  /* one of "links": the key is its trace id, the value its span id */
};

struct value {
	uint32_t key, key_len; /* offset in text; only where name is NAME_OTHER, and for extras */
	uint32_t text, len;    /* offset; a string's text is without its quotes */
	uint8_t type;	       /* enum jsonv_type */
	uint8_t role;	       /* enum value_role */
	uint8_t name;	       /* enum name, of an attribute */
	uint8_t escaped : 1;   /* a string that holds a backslash */
	uint8_t cut : 1;       /* text that was longer than its capture's limit */
};

/* Starts as zeros. */
struct values {
	char *text;
	size_t text_len, text_cap;
	struct value *v;
	size_t n, cap;
};

/*
 * Copies @v, with the key token @key where @name is NAME_OTHER or the role is
 * ROLE_EXTRA (else NULL). 0, -E2BIG past VALUES_MAX, -ENOMEM.
 */
int values_add(struct values *vs, enum value_role role, enum name name, const struct jsonv *key,
	       const struct jsonv *v);
/* Copies the first @n of @from, whose texts end at @text_len, into @to, which is empty. -ENOMEM. */
int values_copy(struct values *to, const struct values *from, size_t n, size_t text_len);
/* The last value with this role, NULL if there is none. */
const struct value *values_last(const struct values *vs, enum value_role role);
/* @v as the token that it was made from; it points into @vs. */
struct jsonv values_token(const struct values *vs, const struct value *v);
/* Whether a later value has the role and key of the value at index @i. */
bool values_overridden(const struct values *vs, size_t i);
/* Bytes of memory that the values use. */
size_t values_size(const struct values *vs);

void values_clear(struct values *vs);
void values_release(struct values *vs);

#endif
