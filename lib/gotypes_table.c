// SPDX-License-Identifier: Apache-2.0
/* Structs of which the binary says nothing, from the table of known layouts. */
#include <stdlib.h>
#include <string.h>

#include "gotypes_internal.h"
#include "offsets.h"

/* The fields that this version has, each once: a row may cover another version. */
static int add_fields(struct gotypes *ts, struct type_node *n, const struct offsets_row *rows,
		      size_t n_rows)
{
	struct offsets_answer a;

	n->fields = calloc(n_rows, sizeof(*n->fields));
	if (!n->fields)
		return -1;
	for (size_t i = 0; i < n_rows; i++) {
		const char *field = rows[i].field;

		if ((i && !strcmp(rows[i - 1].field, field)) || !strcmp(field, OFFSETS_SIZE) ||
		    offsets_find(ts->b, n->pub.name, field, &a) || a.offset == OFFSETS_ABSENT)
			continue;
		n->fields[n->pub.n_fields++] = (struct type_field){
			.name = field,
			.type = a.field_type,
			.offset = a.offset,
			.assumed = a.assumed,
		};
	}
	return n->pub.n_fields ? 0 : -1;
}

struct type_node *type_of_table(struct gotypes *ts, const char *name)
{
	struct offsets_answer size;
	struct type_node *n;
	size_t n_rows;
	const struct offsets_row *rows = offsets_type(name, &n_rows);

	if (!rows || offsets_find(ts->b, name, OFFSETS_SIZE, &size) ||
	    size.offset == OFFSETS_ABSENT)
		return NULL;
	n = type_new(ts, name);
	if (!n)
		return NULL;
	n->pub.kind = GOTYPE_STRUCT;
	n->pub.source = GOTYPE_FROM_TABLE;
	n->pub.size = size.offset;
	return add_fields(ts, n, rows, n_rows) ? NULL : n;
}
