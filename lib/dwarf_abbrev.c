// SPDX-License-Identifier: Apache-2.0
#include "dwarf_abbrev.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf_cursor.h"

/* Go has about 50 abbreviations, other compilers some thousands a unit. */
#define MAX_ABBREVS 65536
#define MAX_ATTRS   (1u << 20)
/* die_abbrev.n of a code that no abbreviation has. */
#define NOT_THERE UINT32_MAX

void die_abbrevs_free(struct die_abbrevs *a)
{
	if (!a)
		return;
	free(a->attrs);
	free(a->v);
	free(a);
}

/* The attributes of one abbreviation, counted where @a->attrs is NULL, else stored. */
static size_t read_attrs(struct cursor *c, struct die_abbrevs *a)
{
	size_t n = 0;

	while (!c->bad) {
		struct die_attr at = { .at = (uint32_t)cursor_uleb(c) };

		at.form = (uint32_t)cursor_uleb(c);
		if (at.form == DW_FORM_implicit_const)
			at.implicit = cursor_sleb(c);
		if (!at.at && !at.form)
			break;
		if (a->attrs)
			a->attrs[a->n_attrs] = at;
		a->n_attrs++;
		n++;
	}
	return n;
}

/* One pass over the table at a->offset, to count, and another to store. */
static int pass(const struct debug_section *s, struct die_abbrevs *a, uint64_t *budget)
{
	struct cursor c = { s->p + a->offset, s->p + s->len, false };
	uint64_t code, used;
	bool store = a->v != NULL;
	size_t max = 0;

	a->n_attrs = 0;
	while (!c.bad && c.p < c.end && (code = cursor_uleb(&c)) != 0) {
		struct die_abbrev v = { .tag = (uint32_t)cursor_uleb(&c) };

		v.has_children = cursor_get(&c, 1);
		v.first = (uint32_t)a->n_attrs;
		v.n = (uint32_t)read_attrs(&c, a);
		if (code >= MAX_ABBREVS || a->n_attrs > MAX_ATTRS)
			return -EBADMSG;
		if (store)
			a->v[code] = v;
		max = code > max ? code : max;
	}
	if (!store)
		a->n = max + 1;
	/* One entry of a high code makes a large table of few bytes. */
	used = (uint64_t)(c.p - s->p) - a->offset + a->n * sizeof(*a->v);
	if (c.bad || used > *budget)
		return -EBADMSG;
	*budget -= used;
	return 0;
}

struct die_abbrevs *die_abbrevs_load(const struct debug_section *s, uint64_t offset,
				     uint64_t *budget, int *err)
{
	struct die_abbrevs *a;

	*err = -EBADMSG;
	if (offset >= s->len)
		return NULL;
	a = calloc(1, sizeof(*a));
	*err = -ENOMEM;
	if (!a)
		return NULL;
	a->offset = offset;
	*err = pass(s, a, budget);
	if (!*err) {
		a->v = malloc(a->n * sizeof(*a->v));
		a->attrs = malloc((a->n_attrs + 1) * sizeof(*a->attrs));
		if (!a->v || !a->attrs)
			*err = -ENOMEM;
	}
	if (!*err) {
		memset(a->v, 0xff, a->n * sizeof(*a->v));
		*err = pass(s, a, budget);
	}
	if (*err) {
		die_abbrevs_free(a);
		return NULL;
	}
	return a;
}

const struct die_abbrev *die_abbrev_of(const struct die_abbrevs *a, uint64_t code)
{
	return code < a->n && a->v[code].n != NOT_THERE ? &a->v[code] : NULL;
}
