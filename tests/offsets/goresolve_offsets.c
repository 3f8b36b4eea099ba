// SPDX-License-Identifier: Apache-2.0
/*
 * goresolve_offsets MODULE < LIST: prints the table of offsets for the types of one
 * module ("std", or a module's path). Each line of LIST is a version, an
 * architecture and a binary with debugging information, oldest version first.
 *
 * Which fields there are follows from the recipes: every path in them is compiled
 * against every binary, and each field that was met goes into the table, for all
 * of the versions. Offsets are those of DWARF; see lib/offsets.h for the table.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../cmd/goresolve/compile.h"
#include "../../cmd/goresolve/recipes.h"
#include "diag.h"
#include "offsets.h"

#define MAX_BINARIES 256

struct cell {
	bool known;
	uint32_t offset;
	char *type;
};

struct item {
	char *type, *field;
	struct cell cell[MAX_BINARIES];
};

static struct version {
	char text[32], arch[8], path[512];
} list[MAX_BINARIES];
static size_t n_list;
static struct item *items;
static size_t n_items;
static struct recipe_set recipes;
static const char *module;

/* What is needed besides what paths name: of each goroutine, and of maps in both layouts. */
static const char *const always[][2] = {
	{ "runtime.g", "goid" },
	{ "runtime.g", "atomicstatus" },
	{ "runtime.g", "waitreason" },
	{ "runtime.g", "trackingSeq" },
	{ "runtime.g", "stack" },
	{ "runtime.stack", "hi" },
	{ "internal/runtime/maps.Map", "used" },
	{ "internal/runtime/maps.Map", "dirPtr" },
	{ "internal/runtime/maps.Map", "dirLen" },
	{ "internal/runtime/maps.table", "groups" },
	{ "internal/runtime/maps.groupsReference", "data" },
	{ "runtime.hmap", "count" },
	{ "runtime.hmap", "B" },
	{ "runtime.hmap", "buckets" },
};

static _Noreturn void die(const char *what)
{
	diag(DIAG_ERROR, "%s", what);
	exit(1);
}

/* Whether a type belongs to the module: an import path of std has no dot in its first element. */
static bool is_ours(const char *type)
{
	size_t n = strlen(module);
	const char *slash = strchr(type, '/');

	if (strcmp(module, "std") != 0)
		return !strncmp(type, module, n) && (type[n] == '/' || type[n] == '.');
	return strncmp(type, "main.", 5) != 0 && !strchr(type, '{') &&
	       (!slash || !memchr(type, '.', (size_t)(slash - type)));
}

static void add_item(const char *type, size_t n, const char *field)
{
	char *t = strndup(type, n), *f = strdup(field);

	if (!t || !f)
		die("out of memory");
	for (size_t i = 0; i < n_items; i++)
		if (!strcmp(items[i].type, t) && !strcmp(items[i].field, f)) {
			free(t);
			free(f);
			return;
		}
	if (is_ours(t)) {
		items = realloc(items, (n_items + 1) * sizeof(*items));
		if (!items)
			die("out of memory");
		memset(&items[n_items], 0, sizeof(*items));
		items[n_items].type = t;
		items[n_items++].field = f;
		return;
	}
	free(t);
	free(f);
}

/* What compiling has met: "net/http.Request.Method". */
static void add_met(const struct probe *pr)
{
	for (size_t i = 0; i < pr->n_fields; i++) {
		const char *name = pr->fields[i].name, *dot = strrchr(name, '.');

		if (dot && pr->fields[i].source == GOTYPE_FROM_DWARF)
			add_item(name, (size_t)(dot - name), dot + 1);
	}
}

static void try_path(struct scene *s, const struct recipe_capture *cap,
		     const struct recipe_path *path)
{
	static const enum site_at at[] = { SITE_ENTRY, SITE_RET };
	struct recipe_capture one = { .name = (char *)"", .path = *path, .max = 1 };
	struct plan_capture out;
	struct op_list ops;
	struct errinfo e;

	if (cap)
		one.name = cap->name;
	for (size_t i = 0; i < 2; i++) {
		s->at = at[i];
		memset(&out, 0, sizeof(out));
		if (cap)
			compile_capture(s, &one, &out, &e);
		else
			compile_pointer(s, path, &ops, &e);
	}
}

/* Every path of @p with the parameters of each function that it may be about. */
static void try_part(struct scene *s, const struct recipe_part *p, const struct recipe_func *funcs,
		     size_t n)
{
	for (size_t f = 0; f < n; f++) {
		s->func = &funcs[f];
		for (size_t i = 0; i < p->n_captures; i++)
			try_path(s, &p->captures[i], &p->captures[i].path);
		if (p->g)
			try_path(s, NULL, p->g);
	}
	for (size_t i = 0; i < p->n_requires; i++)
		if (p->requires[i].need == NEED_FIELD)
			add_item(p->requires[i].a, strlen(p->requires[i].a), p->requires[i].b);
}

static void try_span(struct scene *s, const struct recipe *r, const struct recipe_span *span)
{
	static const struct recipe_func none = { .symbol = (char *)"" };

	for (size_t i = 0; i <= span->n_tries; i++) {
		const struct recipe_part *p = i ? &span->tries[i - 1] : &span->common;

		try_part(s, p, &none, 1);
		try_part(s, p, r->funcs, r->n_funcs);
		try_part(s, p, span->common.funcs, span->common.n_funcs);
		try_part(s, p, p->funcs, p->n_funcs);
		/* What all alternatives share may name parameters that one declares. */
		try_part(s, &span->common, p->funcs, p->n_funcs);
	}
}

static void open_binary(const struct version *v, struct binary *b)
{
	struct errinfo e = { .text = "" };

	if (binary_open(-1, v->path, NULL, b, &e)) {
		diag(DIAG_ERROR, "%s: %s", v->path, e.text);
		exit(1);
	}
}

static void collect(const struct version *v)
{
	struct plan plan = { .probes = NULL };
	struct probe pr = { .recipe = "" };
	struct binary b;
	struct scene s = { .b = &b, .plan = &plan, .probe = &pr };

	open_binary(v, &b);
	for (size_t i = 0; i < recipes.n; i++)
		for (size_t j = 0; j < recipes.recipe[i]->n_spans; j++)
			try_span(&s, recipes.recipe[i], &recipes.recipe[i]->spans[j]);
	add_met(&pr);
	free(pr.fields);
	plan_release(&plan);
	binary_release(&b);
}

/* The name of a field's type; of numbers and such the language's own. */
static const char *type_name(const struct gotype *t)
{
	static char buf[256];

	switch (t->kind) {
	case GOTYPE_BOOL:
	case GOTYPE_STRING:
		return gotype_kind_name(t->kind);
	case GOTYPE_INT:
	case GOTYPE_UINT:
	case GOTYPE_FLOAT:
		snprintf(buf, sizeof(buf), "%s%u", gotype_kind_name(t->kind),
			 (unsigned int)t->size * 8);
		return buf;
	case GOTYPE_INTERFACE:
		if (t->empty && strchr(t->name, '{'))
			return "any";
		return strchr(t->name, '{') ? "-" : t->name;
	default:
		return t->name[0] && !strchr(t->name, '{') ? t->name : "-";
	}
}

static void query(const struct binary *b, struct item *it, size_t column)
{
	const struct gotype *t = gotypes_find(b->types, it->type);
	struct cell *c = &it->cell[column];
	struct gofield f;

	if (!t || t->kind != GOTYPE_STRUCT || t->source != GOTYPE_FROM_DWARF)
		return;
	c->known = true;
	c->offset = OFFSETS_ABSENT;
	c->type = strdup("-");
	if (!strcmp(it->field, OFFSETS_SIZE)) {
		c->offset = (uint32_t)t->size;
	} else if (!gotypes_field(b->types, t, it->field, &f, NULL)) {
		c->offset = (uint32_t)f.offset;
		free(c->type);
		c->type = strdup(type_name(f.type));
	}
	if (!c->type)
		die("out of memory");
}

static bool same(const struct cell *a, const struct cell *b)
{
	return a->known == b->known &&
	       (!a->known || (a->offset == b->offset && !strcmp(a->type, b->type)));
}

/* Whether the architectures agree wherever both were looked at. */
static bool any_arch(const struct item *it)
{
	for (size_t i = 0; i < n_list; i++)
		for (size_t j = 0; j < i; j++)
			if (!strcmp(list[i].text, list[j].text) &&
			    !same(&it->cell[i], &it->cell[j]))
				return false;
	return true;
}

static void print_run(const struct item *it, const char *arch, size_t first, size_t last)
{
	const struct cell *c = &it->cell[first];

	if (!c->known)
		return;
	printf("%s\t%s\t%s\t%s\t%s\t%s\t", module, it->type, it->field, arch, list[first].text,
	       list[last].text);
	if (c->offset == OFFSETS_ABSENT)
		printf("-\t%s\n", c->type);
	else
		printf("%u\t%s\n", c->offset, c->type);
}

/* Runs of versions that agree; @arch NULL: all, which agree. */
static void print_item(const struct item *it, const char *arch)
{
	size_t first = SIZE_MAX, last = 0;

	for (size_t i = 0; i < n_list; i++) {
		if (arch && strcmp(arch, list[i].arch) != 0)
			continue;
		if (first != SIZE_MAX && !same(&it->cell[first], &it->cell[i])) {
			print_run(it, arch ? arch : "*", first, last);
			first = SIZE_MAX;
		}
		if (first == SIZE_MAX)
			first = i;
		last = i;
	}
	if (first != SIZE_MAX)
		print_run(it, arch ? arch : "*", first, last);
}

static int by_name(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int ret = strcmp(x->type, y->type);

	return ret ? ret : strcmp(x->field, y->field);
}

static void read_list(void)
{
	static char line[600];

	while (n_list < MAX_BINARIES && fgets(line, sizeof(line), stdin)) {
		struct version *v = &list[n_list];

		if (sscanf(line, "%31s %7s %511[^\n]", v->text, v->arch, v->path) != 3)
			die("a line is not VERSION ARCH PATH");
		n_list++;
	}
}

int main(int argc, char **argv)
{
	struct errinfo e = { .text = "" };
	size_t n;

	diag_init("goresolve_offsets");
	if (argc != 2 || recipe_set_init(&recipes, &e))
		die(argc == 2 ? e.text : "usage: goresolve_offsets MODULE < LIST");
	module = argv[1];
	read_list();
	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		add_item(always[i][0], strlen(always[i][0]), always[i][1]);
	for (size_t i = 0; i < n_list; i++)
		collect(&list[i]);
	n = n_items;
	for (size_t i = 0; i < n; i++)
		add_item(items[i].type, strlen(items[i].type), OFFSETS_SIZE);
	qsort(items, n_items, sizeof(*items), by_name);
	for (size_t i = 0; i < n_list; i++) {
		struct binary b;

		open_binary(&list[i], &b);
		for (size_t j = 0; j < n_items; j++)
			query(&b, &items[j], i);
		binary_release(&b);
	}
	for (size_t i = 0; i < n_items; i++) {
		if (any_arch(&items[i])) {
			print_item(&items[i], NULL);
			continue;
		}
		print_item(&items[i], "amd64");
		print_item(&items[i], "arm64");
	}
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
