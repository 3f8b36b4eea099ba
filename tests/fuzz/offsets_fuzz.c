// SPDX-License-Identifier: Apache-2.0
/*
 * The table of offsets with any version, and any table with any version: the
 * answer is that of a row, and "assumed" unless the row covers the version.
 * Input: a line with a version, then lines "OLDEST NEWEST OFFSET" as a table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "offsets.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_ROWS 8

/* It must be told by a row that ends before the version or holds it. */
static void check(const struct offsets_row *rows, size_t n, const char *type, const char *field,
		  const struct goversion *v)
{
	struct offsets_answer a;
	bool held = false, below = false;

	if (offsets_lookup(rows, n, type, field, GOBIN_AMD64, v, &a))
		return;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(rows[i].type, type) != 0 || strcmp(rows[i].field, field) != 0 ||
		    rows[i].arch == GOBIN_ARM64 || rows[i].offset != a.offset)
			continue;
		if (goversion_compare(v, &rows[i].oldest) < 0)
			continue;
		below = true;
		held |= goversion_compare(v, &rows[i].newest) <= 0;
	}
	if (!below || (!held && !a.assumed) || (v->inexact && !a.assumed))
		abort();
}

static size_t read_rows(char *text, struct offsets_row *rows)
{
	size_t n = 0;

	for (char *save, *l = strtok_r(text, "\n", &save); l && n < MAX_ROWS;
	     l = strtok_r(NULL, "\n", &save)) {
		struct offsets_row *r = &rows[n];
		char oldest[32], newest[32];

		*r = (struct offsets_row){ "std", "t", "f", -1, .field_type = "" };
		if (sscanf(l, "%31s %31s %u", oldest, newest, &r->offset) != 3 ||
		    goversion_parse(oldest, &r->oldest) || goversion_parse(newest, &r->newest))
			continue;
		/* As the maker of tables writes them: in order, none over another. */
		if (goversion_compare(&r->oldest, &r->newest) > 0 ||
		    (n && goversion_compare(&r[-1].newest, &r->oldest) >= 0))
			continue;
		n++;
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size), *rest;
	struct offsets_row rows[MAX_ROWS];
	struct goversion v;
	size_t n;

	if (!text)
		return 0;
	rest = strchr(text, '\n');
	if (rest)
		*rest++ = '\0';
	if (!goversion_parse(text, &v)) {
		if (goversion_compare(&v, &v))
			abort();
		for (size_t i = 0; i < offsets_table_len; i += 37) {
			const struct offsets_row *r, *type = &offsets_table[i];

			r = offsets_type(type->type, &n);
			check(r, n, type->type, type->field, &v);
		}
		n = rest ? read_rows(rest, rows) : 0;
		check(rows, n, "t", "f", &v);
	}
	free(text);
	return 0;
}
