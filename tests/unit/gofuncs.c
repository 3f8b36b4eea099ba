// SPDX-License-Identifier: Apache-2.0
/*
 * The reader of functions: on a small image, whole and broken; names as users
 * write them; and the Go binaries named as operands or in GOTAP_TEST_BINS, with
 * and without their section headers. `--list FILE` prints what it finds there.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "bare.h"
#include "gofuncs.h"
#include "goname.h"
#include "minigo.h"
#include "pclntab.h"
#include "tap.h"

static struct minigo m;

static void broken(const char *what, int want, const char *text);

static struct gofuncs *load_mini(struct gobin **b, int *err, struct errinfo *e)
{
	struct gofuncs *fs = NULL;

	e->text[0] = '\0';
	*b = NULL;
	*err = gobin_open_image(m.p, m.n, b, e);
	if (!*err)
		*err = gofuncs_load(*b, &fs, e);
	return fs;
}

static void test_mini(unsigned flags, const char *source)
{
	const uint64_t text = MINIGO_BASE + MINIGO_TEXT;
	const struct gofunc *found[4];
	struct errinfo e;
	struct gobin *b;
	struct gofuncs *fs;
	bool exact = !(flags & MINIGO_NO_SECTIONS);
	int err;

	minigo_build(&m, flags);
	fs = load_mini(&b, &err, &e);
	if (!ok(fs != NULL, "functions of the image, flags %u", flags)) {
		printf("# %s\n", e.text);
		return;
	}
	is(gofuncs_source(fs), source, "where the ends are from");
	is_int((long long)gofuncs_count(fs), 4, "how many");
	is_int((long long)gofuncs_moduledata(fs), (long long)(MINIGO_BASE + m.moduledata),
	       "moduledata");
	is(gofuncs_get(fs, 0)->name, "main.main", "the first one's name");
	is_int((long long)gofuncs_get(fs, 0)->entry, (long long)text, "its entry");
	is_int((long long)gofuncs_get(fs, 2)->end,
	       (long long)(text + 3 * MINIGO_FUNC - (exact ? 2 : 0)), "the third one's end");
	is_int(gofuncs_get(fs, 1)->deferreturn, 9, "the call of deferreturn");
	ok(gofuncs_get(fs, 3)->wrapper && !gofuncs_get(fs, 1)->wrapper, "the wrapper is known");
	is_int(gofuncs_get(fs, 1)->abi0, exact, "ABI0 by its symbol");
	is_int((long long)gofuncs_find(fs, "main.(*T).Get", found, 4), 1, "wrappers are left out");
	ok(found[0] == gofuncs_get(fs, 1), "of one name");
	is_int((long long)gofuncs_find(fs, "main.Map", found, 4), 1, "type arguments left out");
	is_int((long long)gofuncs_find(fs, "main.Nothing", found, 4), 0, "no such function");
	ok(gofuncs_at(fs, text + 1) == gofuncs_get(fs, 0), "the function of an address");
	ok(!gofuncs_at(fs, text - 1) && !gofuncs_at(fs, text + 4 * MINIGO_FUNC),
	   "none outside of text");
	gofuncs_free(fs);
	gobin_free(b);
}

/* Entries count on through sections of text; the image has two that adjoin, 0x100 apart. */
static void test_text_sections(void)
{
	const uint64_t text = MINIGO_BASE + MINIGO_TEXT, apart = 0x100;
	struct errinfo e;
	struct gobin *b;
	struct gofuncs *fs;
	int err;

	minigo_build(&m, 0);
	/* textsectmap: a slice, of {vaddr, end, baseaddr}. */
	minigo_set64(&m, m.moduledata + 45 * 8, MINIGO_BASE + m.moduledata + 50 * 8);
	minigo_set64(&m, m.moduledata + 46 * 8, 2);
	minigo_set64(&m, m.moduledata + 47 * 8, 2);
	minigo_set64(&m, m.moduledata + 50 * 8, 0);
	minigo_set64(&m, m.moduledata + 51 * 8, 2 * MINIGO_FUNC);
	minigo_set64(&m, m.moduledata + 52 * 8, text);
	minigo_set64(&m, m.moduledata + 53 * 8, 2 * MINIGO_FUNC + apart);
	minigo_set64(&m, m.moduledata + 54 * 8, 4 * MINIGO_FUNC + apart);
	minigo_set64(&m, m.moduledata + 55 * 8, text + 2 * MINIGO_FUNC);
	for (unsigned i = 2; i <= 4; i++)
		minigo_set32(&m, m.funcs + (size_t)8 * i, i * MINIGO_FUNC + apart);
	fs = load_mini(&b, &err, &e);
	if (ok(fs != NULL, "text in two sections"))
		for (size_t i = 0; i < 4; i++)
			ok(gofuncs_get(fs, i)->entry == text + i * MINIGO_FUNC,
			   "the entry of a function");
	else
		printf("# %s\n", e.text);
	gofuncs_free(fs);
	gobin_free(b);
	/* A section that ends before it begins is none of text: its functions are not. */
	minigo_set64(&m, m.moduledata + 54 * 8, 0);
	broken("a section of text that has no end", -EBADMSG, "not in");
}

static void broken(const char *what, int want, const char *text)
{
	struct errinfo e;
	struct gobin *b;
	int err;
	struct gofuncs *fs = load_mini(&b, &err, &e);

	if (!ok(err == want && strstr(e.text, text), "%s", what))
		printf("# got: %d, %s\n", err, e.text);
	gofuncs_free(fs);
	gobin_free(b);
}

static void test_broken(void)
{
	static const struct {
		const char *what;
		size_t word; /* of the header */
		const char *text;
	} words[] = {
		{ "too many functions", 1, "functions at offset" },
		{ "names outside", 4, "names at offset" },
		{ "a table of functions outside", 8, "functions at offset" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		minigo_build(&m, 0);
		minigo_set64(&m, m.pclntab + 8 * words[i].word, UINT64_MAX);
		broken(words[i].what, -EBADMSG, words[i].text);
	}
	minigo_build(&m, 0);
	m.p[m.pclntab]++;
	broken("an unknown magic", -EBADMSG, "magic 0xfffffff2");
	minigo_build(&m, MINIGO_NO_SECTIONS);
	m.p[m.pclntab]++;
	broken("no magic and no section", -ENODATA, "no pclntab");
	minigo_build(&m, 0);
	minigo_set64(&m, m.moduledata, 0);
	broken("no moduledata", -ENODATA, "no moduledata");
	minigo_build(&m, 0);
	minigo_set32(&m, m.funcs + 8, 3 * MINIGO_FUNC);
	broken("functions not in order", -EBADMSG, "not in order");
	minigo_build(&m, 0);
	minigo_set32(&m, m.funcs + 4, 0xffffffff);
	broken("a function's data outside", -EBADMSG, "function 0 at offset");
	minigo_build(&m, 0);
	minigo_set32(&m, m.funcs + 36 + 4, 0xffffff);
	broken("a function's name outside", -EBADMSG, "name 0xffffff of function 0");
	minigo_build(&m, 0);
	minigo_set32(&m, m.funcs + 32, 0xffffff);
	broken("a function past the end of text", -EBADMSG, "not in text");
}

static void test_names(void)
{
	static const struct {
		const char *query, *name;
		bool want;
	} equal[] = {
		{ "main.Map", "main.Map[go.shape.int]", true },
		{ "main.Map[...]", "main.Map[go.shape.int]", true },
		{ "main.Map[...]", "main.Map[...]", true },
		{ "main.Map[...]", "main.Map", false },
		{ "main.Map[int]", "main.Map[go.shape.int]", false },
		{ "main.Map[go.shape.int]", "main.Map[go.shape.int]", true },
		{ "main.(*T).Get", "main.(*T[go.shape.map[string]int]).Get", true },
		{ "main.(*T).Get", "main.T.Get", false },
		{ "d.e/f.G", "a.b/c/vendor/d.e/f.G", true },
		{ "vendor/d.e/f.G", "vendor/d.e/f.G", true },
		{ "vendor/d.e/f.G", "d.e/f.G", false },
		{ "y", "main.vendor/y", false },
		{ "gopkg.in/yaml.v3.(*Decoder).Decode", "gopkg.in/yaml%2ev3.(*Decoder).Decode", true },
		{ "gopkg.in/yaml%2ev3.X", "gopkg.in/yaml.v3.X", true },
		{ "main.f.dwrap.1", "main.f\xc2\xb7"
				    "dwrap\xc2\xb7"
				    "1",
		  true },
	}, match[] = {
		{ "main.(*Store).*", "main.(*Store).Get", true },
		{ "main.(*Store).*", "main.(*Store).Get.func1", true },
		{ "main.(*Store).*", "main.(*Storex).Get", false },
		{ "main.(*Store).*", "main.Store.Get", false },
		{ "main.(*?tore).*", "main.(*Store).Get", true },
		{ "main.(*).x", "main.(T).x", false },
		{ "main.*", "main.(*Store).Get", true },
		{ "*", "x", true },
		{ "**", "", true },
		{ "", "", true },
		{ "", "x", false },
		{ "?", "", false },
		{ "[a-z]ain.x", "main.x", false },
		{ "main.x[*]", "main.x[int]", true },
		{ "main.Map", "main.Map[go.shape.int]", true },
		{ "main.M*p", "main.Map[go.shape.int]", true },
		{ "main.(*T).*", "main.(*T[go.shape.int]).Get", true },
		{ "main.(*T).Get", "main.(*T[go.shape.int]).Get.func1", false },
		{ "gopkg.in/yaml.v3.*", "gopkg.in/yaml%2ev3.Marshal", true },
		{ "gopkg.in/yaml%2ev3.*", "gopkg.in/yaml.v3.Marshal", true },
		{ "d.e/f.*", "a.b/c/vendor/d.e/f.G", true },
		{ "a.b/*/f.G", "a.b/c/vendor/d.e/f.G", true },
		{ "*.ServeHTTP", "net/http.serverHandler.ServeHTTP", true },
		{ "a*b*c", "aXbYbc", true },
		{ "a*b*c", "aXbYb", false },
	};

	for (size_t i = 0; i < sizeof(equal) / sizeof(equal[0]); i++)
		ok(goname_equal(equal[i].query, equal[i].name) == equal[i].want &&
			   (!equal[i].want ||
			    goname_hash(equal[i].query) == goname_hash(equal[i].name)),
		   "%s %s %s", equal[i].query, equal[i].want ? "names" : "does not name",
		   equal[i].name);
	for (size_t i = 0; i < sizeof(match) / sizeof(match[0]); i++)
		ok(gofuncs_match(match[i].query, match[i].name) == match[i].want, "%s %s %s",
		   match[i].query, match[i].want ? "matches" : "does not match", match[i].name);
}

/*
 * Behind the symbol's end there may only be padding: int3 or zeros. C functions,
 * which Go's own linker takes into the pclntab, are padded with nops.
 */
static bool only_padding(const struct gobin *b, const char *name, uint64_t start, uint64_t end)
{
	const uint8_t *p = gobin_at(b, start, end - start);

	for (uint64_t i = 0; p && strchr(name, '.') && i < end - start; i++)
		if (p[i] != 0xcc && p[i] != 0)
			return false;
	return p != NULL;
}

static void compare(const struct gobin *b, const struct gofuncs *a, const struct gofuncs *p)
{
	size_t n = gofuncs_count(a), names = 0, ends = 0, order = 0, found = 0;

	is_int((long long)n, (long long)gofuncs_count(p), "as many without sections");
	for (size_t i = 0; i < n && i < gofuncs_count(p); i++) {
		const struct gofunc *f = gofuncs_get(a, i), *g = gofuncs_get(p, i), *hit[64];
		size_t hits = gofuncs_find(a, f->name, hit, 64);

		names += f->entry != g->entry || strcmp(f->name, g->name) != 0;
		ends += f->end > g->end ||
			(f->end < g->end && !only_padding(b, f->name, f->end, g->end));
		order += gofuncs_at(a, f->end - 1) != f;
		for (size_t j = 0; j < hits && j < 64; j++)
			hits = hit[j] == f ? 0 : hits;
		found += hits && !f->wrapper && hits <= 64;
	}
	is_int((long long)names, 0, "with the same names and entries");
	is_int((long long)ends, 0, "and ends but for padding");
	is_int((long long)order, 0, "each is found by address");
	is_int((long long)found, 0, "and by name");
}

static void test_binary(const char *path)
{
	struct errinfo e = { "" };
	struct gobin *b, *bare;
	struct gofuncs *fs = NULL, *bare_fs = NULL;
	uint8_t *copy = NULL;
	const struct gofunc *f[2];

	if (!ok(!gobin_open(path, &b, &e) && !gofuncs_load(b, &fs, &e), "%s", path)) {
		printf("# %s\n", e.text);
		return;
	}
	bare = without_sections(b, &copy);
	if (ok(bare && !gofuncs_load(bare, &bare_fs, &e), "without section headers too"))
		compare(b, fs, bare_fs);
	is_int((long long)gofuncs_moduledata(fs), (long long)gofuncs_moduledata(bare_fs),
	       "the same moduledata");
	is_int((long long)gofuncs_find(fs, "main.main", f, 2), 1, "one main.main");
	is_int((long long)gofuncs_find(fs, "runtime.goexit1", f, 2), 1, "one runtime.goexit1");
	gofuncs_free(bare_fs);
	gobin_free(bare);
	free(copy);
	gofuncs_free(fs);
	gobin_free(b);
}

/* "ADDR SIZE NAME", as `go tool nm -size` has it; wrappers and ABI0 bodies marked. */
static int list(const char *path)
{
	struct errinfo e = { "" };
	struct gobin *b;
	struct gofuncs *fs;

	if (gobin_open(path, &b, &e) || gofuncs_load(b, &fs, &e)) {
		fprintf(stderr, "%s: %s\n", path, e.text);
		return 1;
	}
	for (size_t i = 0; i < gofuncs_count(fs); i++) {
		const struct gofunc *f = gofuncs_get(fs, i);

		printf("%llx %llu %s\n", (unsigned long long)f->entry,
		       (unsigned long long)(f->end - f->entry), f->name);
	}
	gofuncs_free(fs);
	gobin_free(b);
	return 0;
}

int main(int argc, char **argv)
{
	char *bins = getenv("GOTAP_TEST_BINS"), *save = NULL;

	if (argc == 3 && !strcmp(argv[1], "--list"))
		return list(argv[2]);
	test_mini(0, "symtab");
	test_mini(MINIGO_PIE, "symtab");
	test_mini(MINIGO_NO_SECTIONS, "pclntab");
	test_mini(MINIGO_NO_SECTIONS | MINIGO_PIE, "pclntab");
	test_text_sections();
	test_broken();
	test_names();
	for (int i = 1; i < argc; i++)
		test_binary(argv[i]);
	for (char *p = bins ? strtok_r(bins, " \n", &save) : NULL; p;
	     p = strtok_r(NULL, " \n", &save))
		test_binary(p);
	return done();
}
