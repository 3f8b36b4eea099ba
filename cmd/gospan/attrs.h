/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call's values seen as attributes: by name, the last one of each, with their
 * text ready to be written. Borrows everything; lives while one span is written.
 */
#ifndef GOSPAN_ATTRS_H
#define GOSPAN_ATTRS_H

#include <stdbool.h>
#include <stdint.h>

#include "httptext.h"
#include "jsonv.h"
#include "jsonw.h"
#include "names.h"
#include "values.h"

struct attrs {
	const struct values *vs;
	struct jsonv_doc *doc; /* for the memory of unescaped strings */
	const struct value *known[NAME_RAW];
};

void attrs_init(struct attrs *a, const struct values *vs, struct jsonv_doc *doc);

/*
 * The text of @v: escapes resolved, and if it was cut at its capture's limit
 * without the piece of a character that the cut left. Nothing if it is no string.
 */
struct slice attrs_text(const struct attrs *a, const struct value *v);
/* The text of the attribute @name; nothing if it is absent, no string, or empty. */
struct slice attrs_get(const struct attrs *a, enum name name);
/* A number, or a string of digits, as gotap-jsonl(5) writes them. */
bool attrs_i64(const struct attrs *a, enum name name, int64_t *out);
/* Whether @name is true, a number other than 0, or a string that is not empty. */
bool attrs_true(const struct attrs *a, enum name name);
/* Whether "unread" or "truncated" (@role) names @name. */
bool attrs_listed(const struct attrs *a, enum value_role role, enum name name);

/* Writes the attribute as it came, if it is there. */
void attrs_write(const struct attrs *a, enum name name, struct jsonw *w);
/* The parts of an item of the span record: the key of @v, and its value (no array or object). */
void attrs_write_key(const struct attrs *a, const struct value *v, struct jsonw *w);
void attrs_write_value(const struct attrs *a, const struct value *v, const char *key,
		       struct jsonw *w);
/* Writes every attribute that is not in the table of names, as it came. */
void attrs_write_others(const struct attrs *a, struct jsonw *w);

#endif
