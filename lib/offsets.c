// SPDX-License-Identifier: Apache-2.0
#include "offsets.h"

#include <errno.h>
#include <string.h>

static bool is_field(const struct offsets_row *r, const char *type, const char *field,
		     enum gobin_arch arch)
{
	return (r->arch < 0 || r->arch == (int)arch) && !strcmp(r->field, field) &&
	       !strcmp(r->type, type);
}

static bool same_release(const struct goversion *a, const struct goversion *b)
{
	return a->n[0] == b->n[0] && a->n[1] == b->n[1];
}

static int answer(const struct offsets_row *r, bool assumed, struct offsets_answer *out)
{
	*out = (struct offsets_answer){ r->offset, r->field_type, assumed };
	return 0;
}

int offsets_lookup(const struct offsets_row *rows, size_t n, const char *type, const char *field,
		   enum gobin_arch arch, const struct goversion *v, struct offsets_answer *out)
{
	const struct offsets_row *before = NULL, *after = NULL;

	for (size_t i = 0; i < n && !after; i++) {
		const struct offsets_row *r = &rows[i];

		if (!is_field(r, type, field, arch))
			continue;
		if (goversion_compare(v, &r->oldest) < 0)
			after = r;
		else if (goversion_compare(v, &r->newest) <= 0)
			return answer(r, v->inexact, out);
		else
			before = r;
	}
	if (!before)
		return -ENOENT;
	/* Between two versions that disagree only a later patch of the first is told. */
	if (after && !same_release(v, &before->newest))
		return -ENOENT;
	return answer(before, true, out);
}

const struct offsets_row *offsets_type(const char *type, size_t *n)
{
	const struct offsets_row *first = NULL;

	*n = 0;
	for (size_t i = 0; i < offsets_table_len; i++) {
		if (strcmp(offsets_table[i].type, type) != 0) {
			if (first)
				break;
			continue;
		}
		if (!first)
			first = &offsets_table[i];
		++*n;
	}
	return first;
}

int offsets_find(const struct gobin *b, const char *type, const char *field,
		 struct offsets_answer *out)
{
	struct goversion v;
	size_t n;
	const struct offsets_row *rows = offsets_type(type, &n);

	if (!rows || goversion_of(b, rows->module, &v))
		return -ENOENT;
	return offsets_lookup(rows, n, type, field, gobin_arch(b), &v, out);
}
