// SPDX-License-Identifier: Apache-2.0
/*
 * The reader of ELF files, on a small image with everything broken in turn, and
 * on the Go binaries named as operands or in GOTAP_TEST_BINS. `--seed FLAGS`
 * writes the image, for tests/fuzz/corpus/gobin_fuzz.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gobin.h"
#include "minigo.h"
#include "tap.h"

static struct minigo m;

static struct gobin *open_mini(int *err, struct errinfo *e)
{
	struct gobin *b = NULL;

	e->text[0] = '\0';
	*err = gobin_open_image(m.p, m.n, &b, e);
	return b;
}

static void test_good(void)
{
	struct errinfo e;
	struct gobin *b;
	const struct gobin_buildinfo *info;
	const struct gobin_segment *segs;
	uint64_t off;
	int err;

	minigo_build(&m, 0);
	b = open_mini(&err, &e);
	if (!ok(b != NULL, "the image opens"))
		return;
	info = gobin_buildinfo(b);
	is(info->go, "go1.26.8", "Go version");
	is_int(gobin_go_minor(b), 26, "its minor number");
	is(info->path, "example.com/mini", "main package");
	is(info->module, "example.com/mini", "main module");
	is(info->module_version, "v1.2.3", "its version");
	is_int((long long)info->n_deps, 2, "dependencies");
	is(info->deps[0].path, "a.b/c", "first dependency");
	is(info->deps[1].path, "d.e/f", "second one, which another one replaces, keeps its path");
	is(info->deps[1].version, "v2.0.1", "but has the version of that");
	is(gobin_go_build_id(b), "action/cont", "Go build id");
	is(gobin_gnu_build_id(b), "deadbeef", "GNU build id");
	is(gobin_id(b), "action/cont", "the Go build id names the binary");
	is(gobin_arch_name(b), "amd64", "architecture");
	ok(!gobin_is_pie(b), "no PIE");
	is(gobin_warning(b), "", "no warning");
	is_int((long long)gobin_segments(b, &segs), 3, "segments");
	ok(gobin_section(b, ".text") && !gobin_section(b, ".nothing"), "sections by name");
	ok(!gobin_offset(b, MINIGO_BASE + 0x410, &off) && off == 0x410, "offset of an address");
	is_int(gobin_offset(b, 1, &off), -ERANGE, "no offset of an address outside");
	ok(gobin_at(b, MINIGO_BASE, m.note + 1) == NULL, "no bytes across segments");
	ok(gobin_at(b, MINIGO_BASE + 5, UINT64_MAX) == NULL, "no bytes past the end");
	gobin_free(b);
}

static void test_ids(void)
{
	struct errinfo e;
	struct gobin *b;
	char first[64] = "";
	int err;

	minigo_build(&m, MINIGO_NO_GO_ID);
	b = open_mini(&err, &e);
	is(b ? gobin_id(b) : NULL, "gnu:deadbeef", "the GNU build id where there is no Go one");
	gobin_free(b);
	minigo_build(&m, 0);
	memcpy(m.p + m.note + 16, "redacted\0\0\0", 11);
	b = open_mini(&err, &e);
	is(b ? gobin_go_build_id(b) : NULL, "redacted", "a Go build id that is none");
	is(b ? gobin_id(b) : NULL, "gnu:deadbeef", "does not name the binary");
	gobin_free(b);
	minigo_build(&m, MINIGO_NO_GO_ID);
	m.p[m.note + 8] = 0;
	b = open_mini(&err, &e);
	if (b)
		snprintf(first, sizeof(first), "%s", gobin_id(b));
	ok(!strncmp(first, "text:", 5) && strlen(first) == 37, "without ids its text names it");
	gobin_free(b);
	m.p[MINIGO_TEXT]++;
	b = open_mini(&err, &e);
	ok(b && strcmp(gobin_id(b), first) != 0, "another text has another name");
	gobin_free(b);
}

static void test_words(void)
{
	struct errinfo e;
	struct gobin *b;
	uint64_t w = 0;
	int err;

	minigo_build(&m, MINIGO_PIE);
	b = open_mini(&err, &e);
	if (!ok(b && gobin_is_pie(b), "a PIE opens"))
		return;
	ok(!gobin_word(b, MINIGO_BASE + m.moduledata, &w) && w == MINIGO_BASE + m.pclntab,
	   "a word is relocated");
	ok(!gobin_word(b, MINIGO_BASE + m.moduledata + 16, &w) && w == 0, "one without is not");
	is_int(gobin_word(b, 0x10, &w), -ERANGE, "a word that is not in the file");
	gobin_free(b);
}

/* Breaks one value of a good image and says what must come of it. */
static void broken(const char *what, int want, const char *text)
{
	struct errinfo e;
	int err;
	struct gobin *b = open_mini(&err, &e);

	if (!ok(err == want && (!text || strstr(e.text, text)), "%s", what))
		printf("# got: %d, %s\n", err, e.text);
	gobin_free(b);
}

static void test_broken_headers(void)
{
	static const struct {
		const char *what;
		size_t at, len;
		int value, want;
		const char *text;
	} cases[] = {
		{ "no ELF magic", 1, 1, 'e', -ENOEXEC, "not an ELF" },
		{ "32 bits", EI_CLASS, 1, 1, -ENOEXEC, "64-bit" },
		{ "big-endian", EI_DATA, 1, 2, -ENOEXEC, "little-endian" },
		{ "a relocatable file", 16, 1, 1, -ENOEXEC, "no executable" },
		{ "another machine", 18, 1, 3, -ENOEXEC, "machine 3" },
		{ "program headers outside", 32, 8, 0xff, -EBADMSG, "program headers" },
		{ "too many program headers", 56, 2, 0xff, -EBADMSG, "65535 program headers" },
		{ "program headers of another size", 54, 2, 0xff, -EBADMSG, "program headers" },
		{ "no program headers", 56, 2, 0, -EBADMSG, "no program headers" },
		{ "a segment outside", 64 + 8, 8, 0xff, -EBADMSG, "segment 0" },
		{ "a segment too large", 64 + 32, 8, 0xff, -EBADMSG, "segment 0" },
		{ "a segment past the last address", 64 + 16, 8, 0xff, -EBADMSG, "segment 0" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		minigo_build(&m, 0);
		memset(m.p + cases[i].at, cases[i].value, cases[i].len);
		broken(cases[i].what, cases[i].want, cases[i].text);
	}
}

static void test_broken_buildinfo(void)
{
	minigo_build(&m, 0);
	m.p[m.buildinfo]++;
	broken("no build information", -EPROTONOSUPPORT, "without build information");
	minigo_build(&m, 0);
	m.p[m.buildinfo + 32] = 0xff;
	m.p[m.buildinfo + 33] = 0xff;
	m.p[m.buildinfo + 34] = 0x7f;
	broken("a version too long", -EBADMSG, ".go.buildinfo at address");
	minigo_build(&m, 0);
	m.p[m.buildinfo + 32] = 0;
	broken("an empty version", -ENODATA, "without a version");
	minigo_build(&m, 0);
	m.p[m.buildinfo + 15] = 0; /* by pointer, which is 0 */
	broken("a version by a null pointer", -ENODATA, "without a version");
	minigo_build(&m, 0);
	m.p[m.buildinfo + 15] = 0;
	m.p[m.buildinfo + 14] = 4;
	broken("pointers of 4 bytes", -EBADMSG, ".go.buildinfo");
}

/* As up to Go 1.17: pointers to strings, here to nowhere for the modules. */
static void test_pointers(void)
{
	size_t at;
	struct errinfo e;
	struct gobin *b;
	int err;

	minigo_build(&m, 0);
	at = m.buildinfo;
	m.p[at + 14] = 8;
	m.p[at + 15] = 0;
	minigo_set64(&m, at + 16, MINIGO_BASE + at + 48);
	minigo_set64(&m, at + 24, MINIGO_BASE + at + 64);
	minigo_set64(&m, at + 48, MINIGO_BASE + at + 33);
	minigo_set64(&m, at + 56, 8);
	minigo_set64(&m, at + 64, 1);
	minigo_set64(&m, at + 72, 5);
	b = open_mini(&err, &e);
	ok(b && !strcmp(gobin_buildinfo(b)->go, "go1.26.8") && !*gobin_buildinfo(b)->path &&
		   !gobin_buildinfo(b)->n_deps,
	   "a version by pointer, without modules");
	gobin_free(b);
}

/* Section headers are not needed: without them, or with wrong ones, all else is there. */
static void test_sections(void)
{
	struct errinfo e;
	struct gobin *b;
	int err;

	minigo_build(&m, MINIGO_NO_SECTIONS);
	b = open_mini(&err, &e);
	ok(b && !gobin_section(b, ".text") && !*gobin_warning(b), "no section headers");
	is(b ? gobin_buildinfo(b)->go : NULL, "go1.26.8", "the build information is found");
	gobin_free(b);
	minigo_build(&m, 0);
	memset(m.p + 40, 0xff, 8);
	b = open_mini(&err, &e);
	is(b ? gobin_buildinfo(b)->go : NULL, "go1.26.8", "section headers outside the file");
	ok(b && strstr(gobin_warning(b), "section headers"), "are warned of");
	gobin_free(b);
	minigo_build(&m, 0);
	memset(m.p + m.shdrs, 0xff, m.n_shdrs * sizeof(Elf64_Shdr));
	b = open_mini(&err, &e);
	is(b ? gobin_buildinfo(b)->go : NULL, "go1.26.8", "section headers of all ones");
	gobin_free(b);
}

static void test_truncated(unsigned flags)
{
	size_t opened = 0, silent = 0;

	minigo_build(&m, flags);
	for (size_t n = 0; n < m.n; n++) {
		struct errinfo e = { "" };
		uint8_t *copy = malloc(n + 1); /* so that a sanitizer sees one byte too far */
		struct gobin *b = NULL;

		if (!copy)
			break;
		memcpy(copy, m.p, n);
		if (!gobin_open_image(copy, n, &b, &e))
			opened++;
		else if (!e.text[0])
			silent++;
		gobin_free(b);
		free(copy);
	}
	ok(opened < m.n - m.moduledata, "a file cut before its data never opens (flags %u)", flags);
	is_int((long long)silent, 0, "and is never refused without a text");
}

static void test_files(void)
{
	struct errinfo e;
	struct gobin *b;
	int fds[2];

	is_int(gobin_open("/nonexistent", &b, &e), -ENOENT, "no such file");
	is_int(gobin_open("/", &b, &e), -EISDIR, "a directory");
	is_int(gobin_open("/dev/null", &b, &e), -ENOEXEC, "a device");
	if (!pipe(fds)) {
		is_int(gobin_open_fd(fds[0], &b, &e), -ENOEXEC, "a pipe");
		close(fds[0]);
		close(fds[1]);
	}
	is_int(gobin_open("/proc/self/exe", &b, &e), -ENODATA, "a C program");
}

/* Files that are written to, cut, or left alone while they are open. */
static void test_changes(void)
{
	static const struct timespec times[2] = { { .tv_nsec = UTIME_NOW }, { .tv_sec = 1 } };
	char path[] = "/tmp/gobin.XXXXXX";
	int fd = mkstemp(path);
	struct errinfo e;
	struct gobin *b;

	minigo_build(&m, 0);
	ok(fd >= 0 && write(fd, m.p, m.n) == (ssize_t)m.n && !futimens(fd, times), "a file");
	if (!ok(!gobin_open_fd(fd, &b, &e), "opens"))
		return;
	ok(!gobin_changed(b), "it is as it was");
	ok(!fchmod(fd, 0755) && !unlink(path) && !gobin_changed(b),
	   "also with other rights and without a name");
	ok(pwrite(fd, m.p, 1, 0) == 1 && gobin_changed(b), "written to");
	gobin_free(b);
	ok(!gobin_open_fd(fd, &b, &e) && !gobin_changed(b), "opened again");
	ok(!ftruncate(fd, (off_t)m.n + 1) && !futimens(fd, times) && gobin_changed(b),
	   "of another length, whatever its time");
	gobin_free(b);
	close(fd);
	if (!gobin_open_image(m.p, m.n, &b, &e)) {
		ok(!gobin_changed(b), "what is in memory is no file");
		gobin_free(b);
	}
}

static void test_binary(const char *path)
{
	struct errinfo e = { "" };
	struct gobin *b;

	if (!ok(!gobin_open(path, &b, &e), "%s opens", path)) {
		printf("# %s\n", e.text);
		return;
	}
	ok(!strncmp(gobin_buildinfo(b)->go, "go1.", 4), "# %s", gobin_buildinfo(b)->go);
	ok(*gobin_id(b) && !strcmp(gobin_id(b), gobin_go_build_id(b)), "has a Go build id");
	gobin_free(b);
}

static int write_seed(unsigned flags)
{
	minigo_build(&m, flags);
	return fwrite(m.p, 1, m.n, stdout) == m.n && !fflush(stdout) ? 0 : 1;
}

int main(int argc, char **argv)
{
	char *bins = getenv("GOTAP_TEST_BINS"), *save = NULL;

	if (argc == 3 && !strcmp(argv[1], "--seed"))
		return write_seed((unsigned)atoi(argv[2]));
	test_good();
	test_ids();
	test_words();
	test_broken_headers();
	test_broken_buildinfo();
	test_pointers();
	test_sections();
	test_truncated(0);
	test_truncated(MINIGO_PIE);
	test_files();
	test_changes();
	for (int i = 1; i < argc; i++)
		test_binary(argv[i]);
	for (char *p = bins ? strtok_r(bins, " \n", &save) : NULL; p;
	     p = strtok_r(NULL, " \n", &save))
		test_binary(p);
	return done();
}
