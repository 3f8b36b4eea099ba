// SPDX-License-Identifier: Apache-2.0
#include "layouts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"
#include "show.h"

struct names {
	const char *pattern;
	char **name;
	size_t n, cap;
};

static int keep(void *arg, const char *name)
{
	struct names *l = arg;

	if (!gofuncs_match(l->pattern, name))
		return 0;
	if (l->n == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 64;
		char **list = realloc(l->name, cap * sizeof(*list));

		if (!list)
			return -ENOMEM;
		l->name = list;
		l->cap = cap;
	}
	l->name[l->n] = strdup(name);
	return l->name[l->n++] ? 0 : -ENOMEM;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static const char *type_name(const struct gotype *t)
{
	return t->name[0] ? t->name : gotype_kind_name(t->kind);
}

static void show(const struct binary *b, const struct gotype *t)
{
	struct gofield f;

	show_text(t->name);
	printf("  %" PRIu64 " bytes, from %s\n", t->size, gotype_source_name(t->source));
	for (size_t i = 0; !gotypes_field_at(b->types, t, i, &f); i++) {
		printf("  %6" PRIu64 "  %-7s ", f.offset, gotype_source_name(f.source));
		show_text(f.name);
		putchar(' ');
		show_text(type_name(f.type));
		puts(f.embedded ? "  (embedded)" : f.assumed ? "  (assumed)" : "");
	}
}

static void record(struct jsonw *w, const struct binary *b, const struct gotype *t)
{
	struct gofield f;

	jsonw_record(w, T_STRUCT);
	jsonw_cstr(w, K_BINARY, gobin_id(b->bin));
	jsonw_cstr(w, K_PATH, b->path);
	jsonw_cstr(w, K_NAME, t->name);
	jsonw_uint(w, K_SIZE, t->size);
	jsonw_cstr(w, K_SOURCE, gotype_source_name(t->source));
	jsonw_arr(w, K_FIELDS);
	for (size_t i = 0; !gotypes_field_at(b->types, t, i, &f); i++) {
		jsonw_obj(w, NULL);
		jsonw_cstr(w, K_FIELD, f.name);
		jsonw_uint(w, K_OFFSET, f.offset);
		jsonw_cstr(w, K_KIND, gotype_kind_name(f.type->kind));
		jsonw_cstr(w, K_NAME, type_name(f.type));
		jsonw_uint(w, K_SIZE, f.type->size);
		jsonw_cstr(w, K_SOURCE, gotype_source_name(f.source));
		if (f.embedded)
			jsonw_bool(w, K_EMBEDDED, true);
		if (f.assumed)
			jsonw_bool(w, K_ASSUMED, true);
		jsonw_end_obj(w);
	}
	jsonw_end_arr(w);
	jsonw_end_record(w);
}

int layouts_show(const struct binary *b, const char *pattern, struct jsonw *w, size_t *matches)
{
	struct names l = { .pattern = pattern };
	const struct gotype *exact = gotypes_find(b->types, pattern);
	int ret = gotypes_each(b->types, keep, &l);

	/* What only the table of offsets knows is found by its whole name. */
	if (!ret && !l.n && exact && exact->kind == GOTYPE_STRUCT)
		ret = keep(&l, pattern);
	if (l.n)
		qsort(l.name, l.n, sizeof(*l.name), by_name);
	*matches = 0;
	for (size_t i = 0; !ret && i < l.n; i++) {
		const struct gotype *t = gotypes_find(b->types, l.name[i]);

		if (!t || t->kind != GOTYPE_STRUCT || (i && !strcmp(l.name[i], l.name[i - 1])))
			continue;
		++*matches;
		if (w)
			record(w, b, t);
		else
			show(b, t);
	}
	for (size_t i = 0; i < l.n; i++)
		free(l.name[i]);
	free(l.name);
	return ret;
}
