// SPDX-License-Identifier: Apache-2.0
/* Types by the name that source code has: from the binary, or made of its parts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "goname.h"
#include "gotypes_internal.h"

#define MAX_DEPTH 16 /* of "*[]*…" */

/* The language's own types (Go specification, "Predeclared identifiers"). */
static const struct {
	const char *name;
	enum gotype_kind kind;
	uint8_t size;
	bool empty;
} builtins[] = {
	{ "bool", GOTYPE_BOOL, 1, false },
	{ "int", GOTYPE_INT, 8, false },
	{ "int8", GOTYPE_INT, 1, false },
	{ "int16", GOTYPE_INT, 2, false },
	{ "int32", GOTYPE_INT, 4, false },
	{ "int64", GOTYPE_INT, 8, false },
	{ "rune", GOTYPE_INT, 4, false },
	{ "uint", GOTYPE_UINT, 8, false },
	{ "uint8", GOTYPE_UINT, 1, false },
	{ "byte", GOTYPE_UINT, 1, false },
	{ "uint16", GOTYPE_UINT, 2, false },
	{ "uint32", GOTYPE_UINT, 4, false },
	{ "uint64", GOTYPE_UINT, 8, false },
	{ "uintptr", GOTYPE_UINT, 8, false },
	{ "float32", GOTYPE_FLOAT, 4, false },
	{ "float64", GOTYPE_FLOAT, 8, false },
	{ "complex64", GOTYPE_COMPLEX, 8, false },
	{ "complex128", GOTYPE_COMPLEX, 16, false },
	{ "string", GOTYPE_STRING, 16, false },
	{ "unsafe.Pointer", GOTYPE_PTR, 8, false },
	{ "error", GOTYPE_INTERFACE, 16, false },
	{ "any", GOTYPE_INTERFACE, 16, true },
	{ "interface {}", GOTYPE_INTERFACE, 16, true },
	{ "interface{}", GOTYPE_INTERFACE, 16, true },
};

static bool starts(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

static struct type_node *made(struct gotypes *ts, const char *name, enum gotype_kind kind,
			      uint64_t size, enum gotype_source source)
{
	struct type_node *n = type_new(ts, name);

	if (n) {
		n->pub.kind = kind;
		n->pub.size = size;
		n->pub.source = source;
	}
	return n;
}

static struct type_node *find_builtin(struct gotypes *ts, const char *name)
{
	for (size_t i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++) {
		struct type_node *n;

		if (strcmp(name, builtins[i].name) != 0)
			continue;
		n = made(ts, name, builtins[i].kind, builtins[i].size, GOTYPE_FROM_BUILTIN);
		if (n)
			n->pub.empty = builtins[i].empty;
		return n;
	}
	if (starts(name, "func("))
		return made(ts, name, GOTYPE_FUNC, 8, GOTYPE_FROM_BUILTIN);
	if (starts(name, "chan ") || starts(name, "<-chan ") || starts(name, "chan<- "))
		return made(ts, name, GOTYPE_CHAN, 8, GOTYPE_FROM_BUILTIN);
	if (starts(name, "interface {") || starts(name, "interface{"))
		return made(ts, name, GOTYPE_INTERFACE, 16, GOTYPE_FROM_BUILTIN);
	return NULL;
}

static struct type_node *find(struct gotypes *ts, const char *name, int depth);

static struct type_node *of_elem(struct gotypes *ts, const char *name, enum gotype_kind kind,
				 uint64_t count, const char *elem_name, int depth)
{
	struct type_node *elem = find(ts, elem_name, depth + 1), *n;
	uint64_t size = kind == GOTYPE_PTR ? 8 : 24;

	if (!elem)
		return NULL;
	if (kind == GOTYPE_ARRAY && __builtin_mul_overflow(count, elem->pub.size, &size))
		return NULL;
	n = made(ts, name, kind, size, elem->pub.source);
	if (n) {
		n->elem = elem;
		n->pub.count = count;
	}
	return n;
}

/* "map[K]V" from K and V: what neither source has by this name. */
static struct type_node *make_map(struct gotypes *ts, const char *name, int depth)
{
	const char *p = name + 4;
	struct type_node *n = NULL, *key, *elem;
	int level = 1;
	char *k;

	for (; *p && level; p++)
		level += (*p == '[') - (*p == ']');
	if (level)
		return NULL;
	k = strndup(name + 4, (size_t)(p - 1 - (name + 4)));
	if (!k)
		return NULL;
	key = find(ts, k, depth + 1);
	elem = find(ts, p, depth + 1);
	free(k);
	if (key && elem)
		n = made(ts, name, GOTYPE_MAP, 8, elem->pub.source);
	if (n) {
		n->key = key;
		n->elem = elem;
	}
	return n;
}

static struct type_node *find_in_binary(struct gotypes *ts, const char *name)
{
	uint64_t die = ts->dwarf ? godwarf_find(ts->dwarf, name) : 0, rt = 0;

	if (die)
		return type_of_die(ts, die);
	if (ts->rtypes)
		rt = starts(name, "map[") ? rtypes_find_map(ts->rtypes, name)
					  : rtypes_find(ts->rtypes, name);
	return rt ? type_of_rt(ts, rt) : NULL;
}

/* A package that the standard library or a program holds a copy of. */
static struct type_node *find_vendored(struct gotypes *ts, const char *name)
{
	struct type_node *n = NULL;
	char *s;

	if (starts(name, "vendor/") || !strchr(name, '/') || asprintf(&s, "vendor/%s", name) < 0)
		return NULL;
	n = find_in_binary(ts, s);
	free(s);
	return n;
}

static struct type_node *find_new(struct gotypes *ts, const char *name, int depth)
{
	struct type_node *n = find_builtin(ts, name);
	unsigned long long count;
	char *end;

	if (n)
		return n;
	if (name[0] == '*')
		return of_elem(ts, name, GOTYPE_PTR, 0, name + 1, depth);
	if (starts(name, "[]"))
		return of_elem(ts, name, GOTYPE_SLICE, 0, name + 2, depth);
	if (name[0] == '[') {
		count = strtoull(name + 1, &end, 10);
		return *end == ']' ? of_elem(ts, name, GOTYPE_ARRAY, count, end + 1, depth) : NULL;
	}
	n = find_in_binary(ts, name);
	if (!n && starts(name, "map["))
		return make_map(ts, name, depth);
	if (!n)
		n = find_vendored(ts, name);
	return n ? n : type_of_table(ts, name);
}

static struct type_node *find(struct gotypes *ts, const char *name, int depth)
{
	uint32_t hash = goname_type_hash(name);
	struct type_node *n = type_lookup(ts, KEY_NAME, hash, name);

	if (n || depth > MAX_DEPTH)
		return n;
	n = find_new(ts, name, depth);
	/* Under its own name only: a vendored one is looked up again. */
	if (n && goname_type_equal(n->pub.name, name))
		type_link(ts, KEY_NAME, hash, n);
	return n;
}

const struct gotype *gotypes_find(struct gotypes *ts, const char *name)
{
	struct type_node *n = find(ts, name, 0);

	return n ? &n->pub : NULL;
}
