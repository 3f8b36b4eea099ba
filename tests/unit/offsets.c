// SPDX-License-Identifier: Apache-2.0
#include "offsets.h"

#include <errno.h>
#include <string.h>

#include "tap.h"

/* "1.24.4", with " ~" where inexact; "none". */
static const char *version(const char *s)
{
	static char buf[64];
	struct goversion v;

	if (goversion_parse(s, &v))
		return "none";
	snprintf(buf, sizeof(buf), "%u.%u.%u%s", v.n[0], v.n[1], v.n[2], v.inexact ? " ~" : "");
	return buf;
}

static void test_versions(void)
{
	static const struct {
		const char *text, *want;
	} list[] = {
		{ "go1.24.4", "1.24.4" },
		{ "go1.22", "1.22.0" },
		{ "1.22", "1.22.0" },
		{ "go1.25.3 X:nocoverageredesign", "1.25.3 ~" },
		{ "go1.25-X:nodwarf5", "1.25.0 ~" },
		{ "go1.24.4-1.el9", "1.24.4" },
		{ "go1.21.3 (Red Hat 1.21.3-1.el9)", "1.21.3" },
		{ "go1.24.4-fips", "1.24.4" },
		{ "go1.28rc1", "1.28.0 ~" },
		{ "go1.21beta2", "1.21.0 ~" },
		{ "go1.25rc2 X:synctest", "1.25.0 ~" },
		{ "devel go1.28-6f3ab1c Mon Nov 2 11:12:13 2026 +0000", "1.28.0 ~" },
		{ "go1.28-devel_6f3ab1c Mon Nov 2 11:12:13 2026 +0000", "1.28.0 ~" },
		{ "go1.28-devel_6f3ab1c Mon Nov 2 11:12:13 2026 +0000 X:foo", "1.28.0 ~" },
		{ "devel +6f3ab1c Mon Nov 2 11:12:13 2020", "none" },
		{ "v1.85.0", "1.85.0" },
		{ "v1.85.0-dev", "1.85.0 ~" },
		{ "v1.9.2-0.20240101000000-6f3ab1c2d4e5", "1.9.2 ~" },
		{ "v2.0.1+incompatible", "2.0.1" },
		{ "v0.0.0-20240101000000-6f3ab1c2d4e5", "none" },
		{ "(devel)", "none" },
		{ "", "none" },
		{ "go", "none" },
		{ "go1", "none" },
		{ "go1.", "none" },
		{ "go1.99999999999999999999", "none" },
		{ "go1.2.", "1.2.0" },
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		is(version(list[i].text), list[i].want, list[i].text);
}

static void test_order(void)
{
	struct goversion a, b;

	ok(!goversion_parse("go1.9.7", &a) && !goversion_parse("go1.10", &b) &&
		   goversion_compare(&a, &b) < 0 && goversion_compare(&b, &a) > 0 &&
		   !goversion_compare(&a, &a),
	   "numbers are compared as numbers");
}

#define V(a, b, c)                                                                                 \
	{                                                                                          \
		{ a, b, c }, false                                                                 \
	}

static const struct offsets_row rows[] = {
	{ "std", "p.T", "a", -1, V(1, 17, 0), V(1, 22, 12), 8, "int64" },
	{ "std", "p.T", "a", -1, V(1, 23, 0), V(1, 27, 3), 16, "int64" },
	{ "std", "p.T", "b", -1, V(1, 17, 0), V(1, 20, 14), OFFSETS_ABSENT, "" },
	{ "std", "p.T", "b", -1, V(1, 21, 0), V(1, 27, 3), 24, "string" },
	{ "std", "p.T", "c", GOBIN_AMD64, V(1, 17, 0), V(1, 27, 3), 32, "string" },
	{ "std", "p.T", "c", GOBIN_ARM64, V(1, 19, 0), V(1, 27, 3), 40, "string" },
};

/* "16", "16 assumed", "absent", "unknown". */
static const char *look(const char *field, enum gobin_arch arch, const char *v)
{
	static char buf[64];
	struct goversion gv;
	struct offsets_answer a;

	if (goversion_parse(v, &gv) || offsets_lookup(rows, 6, "p.T", field, arch, &gv, &a))
		return "unknown";
	if (a.offset == OFFSETS_ABSENT)
		snprintf(buf, sizeof(buf), "absent%s", a.assumed ? " assumed" : "");
	else
		snprintf(buf, sizeof(buf), "%u%s", a.offset, a.assumed ? " assumed" : "");
	return buf;
}

static void test_lookup(void)
{
	is(look("a", GOBIN_AMD64, "go1.17"), "8", "the oldest version");
	is(look("a", GOBIN_AMD64, "go1.16.15"), "unknown", "an older one is not guessed");
	is(look("a", GOBIN_AMD64, "go1.22.12"), "8", "the last one of a run");
	is(look("a", GOBIN_AMD64, "go1.22.13"), "8 assumed", "a later patch of it");
	is(look("a", GOBIN_AMD64, "go1.23.0"), "16", "the next run");
	is(look("a", GOBIN_AMD64, "go1.23rc1"), "16 assumed",
	   "a pre-release counts as its release");
	is(look("a", GOBIN_AMD64, "go1.24.4 X:foo"), "16 assumed", "an experiment is not exact");
	is(look("a", GOBIN_AMD64, "go1.24.4-1.el9"), "16", "a vendor's suffix is no matter");
	is(look("a", GOBIN_AMD64, "go1.27.4"), "16 assumed", "newer than all");
	is(look("a", GOBIN_AMD64, "devel go1.29-abc"), "16 assumed", "a development version");
	is(look("b", GOBIN_ARM64, "go1.19.3"), "absent", "a field that is not there yet");
	is(look("b", GOBIN_ARM64, "go1.20.15"), "absent assumed", "in a later patch neither");
	is(look("b", GOBIN_ARM64, "go1.21.0"), "24", "and then it is");
	is(look("c", GOBIN_AMD64, "go1.20"), "32", "by architecture");
	is(look("c", GOBIN_ARM64, "go1.20"), "40", "by the other one");
	is(look("c", GOBIN_ARM64, "go1.18"), "unknown", "which begins later");
	is(look("d", GOBIN_AMD64, "go1.20"), "unknown", "a field that the table does not have");
}

static void test_gap(void)
{
	static const struct offsets_row gap[] = {
		{ "example.com/m", "m.T", "a", -1, V(1, 2, 0), V(1, 4, 0), 8, "int64" },
		{ "example.com/m", "m.T", "a", -1, V(1, 7, 0), V(1, 9, 0), 16, "int64" },
	};
	struct goversion v;
	struct offsets_answer a;

	goversion_parse("v1.5.0", &v);
	is_int(offsets_lookup(gap, 2, "m.T", "a", GOBIN_AMD64, &v, &a), -ENOENT,
	       "between two versions that disagree nothing is said");
}

/* What facts there are in the compiled-in table is checked where binaries are at hand. */
static void test_table(void)
{
	size_t n = 0;

	ok(offsets_type("runtime.g", &n) && n >= 3, "the table has runtime.g");
	ok(!offsets_type("runtime.nosuch", &n) && n == 0, "and no type that is none");
	for (size_t i = 1; i < offsets_table_len; i++) {
		const struct offsets_row *a = &offsets_table[i - 1], *b = &offsets_table[i];

		if (strcmp(a->type, b->type) != 0 || strcmp(a->field, b->field) != 0 ||
		    a->arch != b->arch)
			continue;
		if (goversion_compare(&a->newest, &b->oldest) >= 0) {
			ok(false, "the rows of %s.%s are in order", b->type, b->field);
			return;
		}
	}
	ok(true, "the rows of each field are in order");
}

int main(void)
{
	test_versions();
	test_order();
	test_lookup();
	test_gap();
	test_table();
	return done();
}
