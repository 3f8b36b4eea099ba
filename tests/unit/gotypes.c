// SPDX-License-Identifier: Apache-2.0
/*
 * The readers of types: on a small image, whole and broken; the language's own
 * types; and the Go binaries named as operands or in GOTAP_TEST_BINS, where every
 * struct that DWARF and the descriptors both have must be the same in both.
 * `--field FILE TYPE FIELD…` prints type, field, offset and source of each, or "-".
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "bare.h"
#include "dwarf_layout.h"
#include "gotypes.h"
#include "minigo.h"
#include "rtype.h"
#include "tap.h"

static struct minigo m;

static struct gotypes *open_mini(struct gobin **b, struct errinfo *e)
{
	struct gotypes *ts = NULL;

	*b = NULL;
	e->text[0] = '\0';
	if (gobin_open_image(m.p, m.n, b, e) || gotypes_open(*b, &ts, e)) {
		printf("# %s\n", e->text);
		gobin_free(*b);
		*b = NULL;
	}
	return ts;
}

static void test_mini(unsigned flags, enum gotype_source want)
{
	const char *source = gotype_source_name(want);
	const struct gotype *t, *p;
	struct gotypes *ts;
	struct gofield f;
	struct errinfo e;
	struct gobin *b;

	minigo_build(&m, flags);
	ts = open_mini(&b, &e);
	t = ts ? gotypes_find(ts, "main.T") : NULL;
	ok(t != NULL, "main.T, flags %u", flags);
	if (!t)
		return;
	is(gotype_source_name(t->source), source, "where it is from");
	is(gotype_kind_name(t->kind), "struct", "its kind");
	is_int((long long)t->size, 32, "its size");
	is_int((long long)t->n_fields, 3, "its fields");
	is_int((long long)gotypes_descriptor(ts, t), (long long)(MINIGO_BASE + m.type_t),
	       "its descriptor");
	ok(!gotypes_field(ts, t, "S", &f, &e) && f.offset == 8 && f.source == want, "a field");
	is(f.type->name, "string", "the field's type");
	is_int(f.type->kind, GOTYPE_STRING, "and kind");
	ok(!gotypes_field(ts, t, "next", &f, &e) && f.offset == 24, "a pointer");
	is(f.type->name, "*main.T", "its type");
	is_int((long long)gotypes_descriptor(ts, f.type), (long long)(MINIGO_BASE + m.type_ptr),
	       "that one's descriptor");
	ok(gotypes_elem(ts, f.type) == t, "what it points to is the same type");
	is_int(gotypes_field(ts, t, "none", &f, &e), -ENOENT, "no such field");
	is(e.text, "main.T has no field none", "and it says so");
	p = gotypes_find(ts, "*main.T");
	ok(p && gotypes_elem(ts, p) == t, "a pointer by name");
	is_int(p ? (long long)gotypes_descriptor(ts, p) : 0, (long long)(MINIGO_BASE + m.type_ptr),
	       "its descriptor");
	ok(!gotypes_find(ts, "main.U") && !gotypes_find(ts, "*main.U"), "no such type");
	gotypes_free(ts);
	gobin_free(b);
}

static void test_mini_map(unsigned flags)
{
	const struct gotype *t;
	struct gomap_layout l = { 0 };
	struct gotypes *ts;
	struct errinfo e;
	struct gobin *b;

	minigo_build(&m, flags);
	ts = open_mini(&b, &e);
	t = ts ? gotypes_find(ts, "map[string]string") : NULL;
	if (!ok(t && !gotypes_map_layout(ts, t, &l, &e), "a map's layout, flags %u", flags))
		printf("# %s\n", e.text);
	else
		ok(l.swiss && l.slot_size == 32 && l.elem_off == 16 && l.used == 0 &&
			   l.dir_ptr == 16 && l.dir_len == 24 && l.table_groups == 8,
		   "is as the descriptors say");
	t = ts ? gotypes_find(ts, "map[int]string") : NULL;
	is_int(t ? gotypes_map_layout(ts, t, &l, &e) : 0, -ENOTSUP, "keys that are not strings");
	t = ts ? gotypes_find(ts, "map[string]int") : NULL;
	is_int(t ? gotypes_map_layout(ts, t, &l, &e) : 0, -ENOENT, "a map without descriptor");
	is_int(ts ? gotypes_map_layout(ts, gotypes_find(ts, "int"), &l, &e) : 0, -ENOENT, "no map");
	gotypes_free(ts);
	gobin_free(b);
}

static void test_disagreement(void)
{
	struct gotypes *ts;
	struct gofield f = { 0 };
	struct errinfo e;
	struct gobin *b;

	minigo_build(&m, 0);
	minigo_set64(&m, m.fields_t + 24 + 16, 16); /* the second field's offset */
	ts = open_mini(&b, &e);
	if (!ok(ts != NULL, "DWARF and descriptor disagree"))
		return;
	is_int(gotypes_field(ts, gotypes_find(ts, "main.T"), "S", &f, &e), -EUCLEAN,
	       "and that is said");
	is_int((long long)f.offset, 8, "with DWARF's word");
	is(e.text, "main.T.S is at 8 by DWARF, at 16 by its descriptor", "and both");
	gotypes_free(ts);
	gobin_free(b);
}

static void test_broken(void)
{
	struct gotypes *ts;
	struct errinfo e;
	struct gobin *b;
	const struct gotype *t;

	minigo_build(&m, 0);
	minigo_set32(&m, m.debug_info, 0xffffff0);
	ts = open_mini(&b, &e);
	t = ts ? gotypes_find(ts, "main.T") : NULL;
	ok(t && t->source == GOTYPE_FROM_RTYPE, "with DWARF cut short descriptors are used");
	ok(ts && strstr(gotypes_warning(ts), ".debug_info: unit of"), "and that is told");
	gotypes_free(ts);
	gobin_free(b);
	minigo_build(&m, MINIGO_NO_SECTIONS);
	minigo_set64(&m, m.type_t + 64, 70000); /* fields */
	ts = open_mini(&b, &e);
	ok(ts && !gotypes_find(ts, "main.T"), "a descriptor with too many fields is none");
	gotypes_free(ts);
	gobin_free(b);
	minigo_build(&m, MINIGO_NO_SECTIONS);
	minigo_set64(&m, m.fields_t, 0x10); /* the first field's name */
	ts = open_mini(&b, &e);
	ok(ts && !gotypes_find(ts, "main.T"), "nor one with a field's name outside");
	gotypes_free(ts);
	gobin_free(b);
	minigo_build(&m, 0);
	minigo_set64(&m, m.moduledata, 0);
	ts = open_mini(&b, &e);
	t = ts ? gotypes_find(ts, "main.T") : NULL;
	ok(t && t->source == GOTYPE_FROM_DWARF, "without moduledata DWARF is used");
	is_int(t ? (long long)gotypes_descriptor(ts, t) : 1, 0, "and descriptors are not known");
	gotypes_free(ts);
	gobin_free(b);
}

/* What must end soon: types made of themselves. */
static void test_endless(void)
{
	struct gotypes *ts;
	struct errinfo e;
	struct gobin *b;
	const struct gotype *t;

	minigo_build(&m, MINIGO_NO_SECTIONS);
	minigo_set64(&m, m.type_map + 48, MINIGO_BASE + m.type_map);
	minigo_set64(&m, m.type_map + 56, MINIGO_BASE + m.type_map);
	ts = open_mini(&b, &e);
	t = ts ? gotypes_find(ts, "map[string]string") : NULL;
	ok(t && !gotypes_descriptor(ts, t), "a map of itself and itself has no such name");
	gotypes_free(ts);
	gobin_free(b);
	minigo_build(&m, MINIGO_NO_SECTIONS);
	minigo_set64(&m, m.type_ptr + 48, MINIGO_BASE + m.type_ptr);
	ts = open_mini(&b, &e);
	t = ts ? gotypes_find(ts, "main.T") : NULL;
	for (int i = 0; t && i < 1000; i++) {
		struct gofield f;

		t = gotypes_field(ts, t, "next", &f, &e) ? gotypes_elem(ts, t) : f.type;
	}
	ok(t && t->kind == GOTYPE_PTR && gotypes_elem(ts, t) == t, "a pointer to itself");
	gotypes_free(ts);
	gobin_free(b);
}

static void test_language(void)
{
	static const struct {
		const char *name;
		enum gotype_kind kind;
		unsigned size;
		bool empty;
	} types[] = {
		{ "string", GOTYPE_STRING, 16, false },
		{ "uint16", GOTYPE_UINT, 2, false },
		{ "rune", GOTYPE_INT, 4, false },
		{ "uintptr", GOTYPE_UINT, 8, false },
		{ "complex128", GOTYPE_COMPLEX, 16, false },
		{ "error", GOTYPE_INTERFACE, 16, false },
		{ "any", GOTYPE_INTERFACE, 16, true },
		{ "unsafe.Pointer", GOTYPE_PTR, 8, false },
		{ "func(int) string", GOTYPE_FUNC, 8, false },
		{ "<-chan int", GOTYPE_CHAN, 8, false },
		{ "[]string", GOTYPE_SLICE, 24, false },
		{ "[3]string", GOTYPE_ARRAY, 48, false },
		{ "**int", GOTYPE_PTR, 8, false },
		{ "map[string][]string", GOTYPE_MAP, 8, false },
	};
	static const char *const none[] = { "[]main.U",
					    "[18446744073709551615]string",
					    "[x]string",
					    "map[string",
					    "map[main.U]int",
					    "",
					    "***************************int" };
	struct gotypes *ts;
	struct errinfo e;
	struct gobin *b;

	minigo_build(&m, 0);
	ts = open_mini(&b, &e);
	for (size_t i = 0; ts && i < sizeof(types) / sizeof(types[0]); i++) {
		const struct gotype *t = gotypes_find(ts, types[i].name);

		ok(t && t->kind == types[i].kind && t->size == types[i].size &&
			   t->empty == types[i].empty && !strcmp(t->name, types[i].name) &&
			   gotypes_find(ts, types[i].name) == t,
		   "%s", types[i].name);
	}
	for (size_t i = 0; ts && i < sizeof(none) / sizeof(none[0]); i++)
		ok(!gotypes_find(ts, none[i]), "no type: '%s'", none[i]);
	gotypes_free(ts);
	gobin_free(b);
}

struct both {
	struct godwarf *dwarf;
	struct rtypes *rtypes;
	unsigned compared, differ, descriptors;
};

static bool same_fields(const struct both *both, const struct rtype *t,
			const struct godwarf_field *f, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct rtype_field rf;

		if (rtype_field(both->rtypes, t, i, &rf) || rf.offset != f[i].offset ||
		    rf.embedded != f[i].embedded || rf.name.len != strlen(f[i].name) ||
		    memcmp(rf.name.p, f[i].name, rf.name.len) != 0)
			return false;
	}
	return true;
}

static int compare(void *arg, uint64_t die, const char *name)
{
	struct both *both = arg;
	uint64_t rt = rtypes_find(both->rtypes, name);
	struct godwarf_field *f = NULL;
	struct godwarf_type t = { 0 };
	struct rtype r;
	size_t n = 0;

	if (!rt)
		return 0;
	both->compared++;
	if (rtype_read(both->rtypes, rt, &r) || godwarf_type(both->dwarf, die, &t) ||
	    godwarf_fields(both->dwarf, die, &f, &n) || r.count != n || r.size != t.size ||
	    !same_fields(both, &r, f, n)) {
		printf("# differs: %s\n", name);
		both->differ++;
	}
	both->descriptors += t.rtype && t.rtype + rtypes_base(both->rtypes) != rt;
	free(f);
	return 0;
}

static void compare_all(const struct gobin *b)
{
	struct errinfo e = { "" };
	struct both both = { 0 };

	if (!godwarf_open(b, &both.dwarf, &e) && !rtypes_open(b, &both.rtypes, &e)) {
		godwarf_each_struct(both.dwarf, compare, &both);
		ok(both.compared > 100, "%u structs in both sources", both.compared);
		is_int(both.differ, 0, "in which none differs");
		is_int(both.descriptors, 0, "DWARF names the same descriptors");
	}
	rtypes_free(both.rtypes);
	godwarf_free(both.dwarf);
}

static void test_map(struct gotypes *ts, int minor)
{
	const struct gotype *t = gotypes_find(ts, "map[string][]string");
	struct errinfo e = { "" };
	struct gomap_layout l = { 0 };

	if (!t) /* a program without net/http may not have it */
		return;
	if (!ok(!gotypes_map_layout(ts, t, &l, &e), "layout of map[string][]string"))
		printf("# %s\n", e.text);
	else if (minor >= 24)
		ok(l.swiss && l.slot_size == 40 && l.elem_off == 16, "in groups");
	else
		ok(!l.swiss && l.slot_size == 24 && l.elem_off == 8 + 8 * 16, "in buckets");
}

/* What the runtime's own structs look like when only the descriptors are left. */
static void test_bare(const struct gobin *b, struct gotypes *ts)
{
	static const char *const names[] = { "runtime.g", "runtime.m", "net/http.Request",
					     "net/http.response", "bufio.Writer" };
	struct errinfo e = { "" };
	struct gotypes *bare_ts = NULL;
	uint8_t *copy;
	struct gobin *bare = without_sections(b, &copy);
	unsigned fields = 0, differ = 0;

	if (!bare || gotypes_open(bare, &bare_ts, &e))
		ok(0, "types without section headers: %s", e.text);
	for (size_t i = 0; bare_ts && i < sizeof(names) / sizeof(names[0]); i++) {
		const struct gotype *t = gotypes_find(ts, names[i]);
		const struct gotype *u = gotypes_find(bare_ts, names[i]);
		struct gofield f, g;

		for (size_t j = 0; t && j < t->n_fields; j++, fields++)
			differ += !u || gotypes_field_at(ts, t, j, &f) ||
				  gotypes_field_at(bare_ts, u, j, &g) || f.offset != g.offset ||
				  f.type->kind != g.type->kind || f.type->size != g.type->size ||
				  g.source != GOTYPE_FROM_RTYPE;
	}
	ok(fields > 20, "%u fields without section headers", fields);
	is_int(differ, 0, "are the same in place, kind and size");
	gotypes_free(bare_ts);
	gobin_free(bare);
	free(copy);
}

static void test_binary(const char *path)
{
	struct errinfo e = { "" };
	struct gobin *b;
	struct gotypes *ts = NULL;
	const struct gotype *g;
	struct gofield f;

	if (!ok(!gobin_open(path, &b, &e) && !gotypes_open(b, &ts, &e), "%s", path)) {
		printf("# %s\n", e.text);
		return;
	}
	g = gotypes_find(ts, "runtime.g");
	if (ok(g && g->kind == GOTYPE_STRUCT, "has runtime.g")) {
		ok(!gotypes_field(ts, g, "stack", &f, &e) && f.offset == 0, "g.stack");
		ok(!gotypes_field(ts, g, "m", &f, &e) && f.offset == 48, "g.m");
		is(f.type->name, "*runtime.m", "its type");
		is_int(gotypes_elem(ts, f.type)->kind, GOTYPE_STRUCT, "which is known");
	}
	test_map(ts, gobin_go_minor(b));
	test_bare(b, ts);
	compare_all(b);
	gotypes_free(ts);
	gobin_free(b);
}

static int print_fields(int n, char **args)
{
	struct errinfo e = { "" };
	struct gobin *b;
	struct gotypes *ts;
	const struct gotype *t;

	if (gobin_open(args[0], &b, &e) || gotypes_open(b, &ts, &e)) {
		fprintf(stderr, "%s: %s\n", args[0], e.text);
		return 1;
	}
	t = gotypes_find(ts, args[1]);
	for (int i = 2; i < n; i++) {
		struct gofield f;
		int r = t ? gotypes_field(ts, t, args[i], &f, &e) : -ENOENT;

		if (r)
			printf("%s.%s - %s\n", args[1], args[i], r == -ENOENT ? "none" : e.text);
		else
			printf("%s.%s %llu %s\n", args[1], args[i], (unsigned long long)f.offset,
			       gotype_source_name(f.source));
	}
	gotypes_free(ts);
	gobin_free(b);
	return 0;
}

int main(int argc, char **argv)
{
	char *bins = getenv("GOTAP_TEST_BINS"), *save = NULL;

	if (argc > 3 && !strcmp(argv[1], "--field"))
		return print_fields(argc - 2, argv + 2);
	test_mini(0, GOTYPE_FROM_DWARF);
	test_mini(MINIGO_PIE, GOTYPE_FROM_DWARF);
	test_mini(MINIGO_NO_SECTIONS, GOTYPE_FROM_RTYPE);
	test_mini(MINIGO_NO_SECTIONS | MINIGO_PIE, GOTYPE_FROM_RTYPE);
	test_mini_map(0);
	test_mini_map(MINIGO_NO_SECTIONS | MINIGO_PIE);
	test_disagreement();
	test_broken();
	test_endless();
	test_language();
	for (int i = 1; i < argc; i++)
		test_binary(argv[i]);
	for (char *p = bins ? strtok_r(bins, " \n", &save) : NULL; p;
	     p = strtok_r(NULL, " \n", &save))
		test_binary(p);
	return done();
}
