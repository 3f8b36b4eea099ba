// SPDX-License-Identifier: Apache-2.0
/*
 * Go's build information: a blob of a 32-byte header and two strings, inline
 * (1.18 and later) or by pointer (before). The format is in Go's
 * src/debug/buildinfo/buildinfo.go, the text's in src/runtime/debug/mod.go.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gobin_internal.h"
#include "le.h"

#define HEADER_SIZE 32
#define MAGIC_SIZE  14
#define ALIGNMENT   16
#define MAX_TEXT    (16u << 20)
/* It stands before the data of a program. */
#define MAX_SEARCH (512u << 20)
/* cmd/go puts 16 bytes around the module text, so that it can be found in memory. */
#define FRAME 16

static const char magic[MAGIC_SIZE + 1] = "\xff Go buildinf:";

struct text {
	const uint8_t *p;
	uint64_t len;
};

/* The first aligned header in [addr, addr+size) of the file; 0 if there is none. */
static uint64_t search(const struct gobin *b, uint64_t addr, uint64_t size)
{
	uint64_t there = gobin_extent(b, addr), skip = -addr & (ALIGNMENT - 1), end;
	const uint8_t *p;

	if (size > there)
		size = there;
	p = gobin_at(b, addr, size);
	for (uint64_t i = skip; p && size >= HEADER_SIZE && i <= size - HEADER_SIZE;) {
		end = i + gobin_chunk(b, (uint64_t)(p - b->image) + i, size - HEADER_SIZE + 1 - i);
		for (; i < end; i += ALIGNMENT)
			if (p[i] == 0xff && !memcmp(p + i, magic, MAGIC_SIZE))
				return addr + i;
	}
	return 0;
}

/*
 * Go looks into the first writable segment only; in a PIE that is the one of
 * constants to be relocated, so we look into each.
 */
static uint64_t find_blob(const struct gobin *b)
{
	const struct gobin_section *s = gobin_section(b, ".go.buildinfo");
	uint64_t at = s ? search(b, s->addr, s->size) : 0;

	for (size_t i = 0; !at && i < b->n_segs; i++)
		if (b->segs[i].write && !b->segs[i].exec)
			at = search(b, b->segs[i].addr,
				    b->segs[i].filesz < MAX_SEARCH ? b->segs[i].filesz
								   : MAX_SEARCH);
	return at;
}

/* A string with a varint length before it; *@addr moves past it. */
static int inline_string(const struct gobin *b, uint64_t *addr, struct text *out)
{
	uint64_t there = gobin_extent(b, *addr), len = 0, n = 0;
	const uint8_t *p = there ? gobin_at(b, *addr, there) : NULL;
	unsigned shift = 0;
	uint8_t byte;

	do {
		if (n == there || shift > 56)
			return -EBADMSG;
		byte = p[n++];
		len |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (len > there - n || len > MAX_TEXT)
		return -EBADMSG;
	*out = (struct text){ p + n, len };
	*addr += n + len;
	return 0;
}

/* A Go string whose header stands at the address that is at @addr. */
static int pointed_string(const struct gobin *b, uint64_t addr, struct text *out)
{
	uint64_t head, data, len;

	*out = (struct text){ (const uint8_t *)"", 0 };
	if (gobin_word(b, addr, &head))
		return -EBADMSG;
	if (!head)
		return 0;
	if (gobin_word(b, head, &data) || gobin_word(b, head + 8, &len) || len > MAX_TEXT)
		return -EBADMSG;
	if (!len)
		return 0;
	out->p = gobin_at(b, data, len);
	out->len = len;
	return out->p ? 0 : -EBADMSG;
}

static int read_blob(const struct gobin *b, uint64_t at, struct text *go, struct text *mod)
{
	const uint8_t *p = gobin_at(b, at, HEADER_SIZE);
	uint64_t next = at + HEADER_SIZE;
	int r;

	if (!p)
		return -EBADMSG;
	if (p[15] & 2) {
		r = inline_string(b, &next, go);
		return r ? r : inline_string(b, &next, mod);
	}
	if (p[14] != 8 || p[15] & 1)
		return -EBADMSG;
	/* Without modules the second one is a variable in .bss. */
	if (pointed_string(b, at + 24, mod))
		mod->len = 0;
	return pointed_string(b, at + 16, go);
}

/* Cuts *@s at the first @c, which is overwritten, and returns what was before it. */
static char *cut(char **s, char c)
{
	char *head = *s, *end = strchr(head, c);

	if (end)
		*end++ = '\0';
	*s = end ? end : head + strlen(head);
	return head;
}

/* What follows the first word of a line "dep\tpath\tversion\tsum" or "=>\tpath\tversion". */
static void parse_module(char *line, struct gobin_dep *out)
{
	out->path = cut(&line, '\t');
	out->version = cut(&line, '\t');
}

/* A module keeps its path where another one takes its place: all names in the program have it. */
static void parse_replacement(char *line, struct gobin_dep *of)
{
	struct gobin_dep other;

	parse_module(line, &other);
	of->version = other.version;
}

static void parse_text(struct gobin *b, char *text)
{
	struct gobin_dep main_mod = { "", "" }, *last = NULL;

	while (*text) {
		char *rest = cut(&text, '\n'), *key = cut(&rest, '\t');

		if (!strcmp(key, "path")) {
			b->info.path = rest;
		} else if (!strcmp(key, "mod")) {
			last = &main_mod;
			parse_module(rest, last);
		} else if (!strcmp(key, "dep")) {
			last = &b->deps[b->info.n_deps++];
			parse_module(rest, last);
		} else if (!strcmp(key, "=>") && last && last != &main_mod) {
			parse_replacement(rest, last);
			last = NULL;
		}
	}
	b->info.module = main_mod.path;
	b->info.module_version = main_mod.version;
	b->info.deps = b->deps;
}

static size_t count_deps(const char *text)
{
	size_t n = 0;

	for (const char *p = text; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		n += !strncmp(p, "dep", 3);
	}
	return n;
}

static int keep(struct gobin *b, struct text go, struct text mod)
{
	size_t n;
	char *text;

	if (mod.len >= 2 * FRAME + 1 && mod.p[mod.len - FRAME - 1] == '\n')
		mod = (struct text){ mod.p + FRAME, mod.len - 2 * FRAME };
	else
		mod = (struct text){ (const uint8_t *)"", 0 };
	b->info_text = malloc(go.len + mod.len + 2);
	if (!b->info_text)
		return -ENOMEM;
	text = b->info_text + go.len + 1;
	memcpy(b->info_text, go.p, go.len);
	b->info_text[go.len] = '\0';
	memcpy(text, mod.p, mod.len);
	text[mod.len] = '\0';
	n = count_deps(text);
	b->deps = calloc(n + 1, sizeof(*b->deps));
	if (!b->deps)
		return -ENOMEM;
	b->info = (struct gobin_buildinfo){ .go = b->info_text, .path = "" };
	parse_text(b, text);
	return 0;
}

int gobin_read_buildinfo(struct gobin *b, struct errinfo *e)
{
	struct text go, mod;
	uint64_t at = find_blob(b);
	int r;

	if (!at && (b->go_id || gobin_section(b, ".gopclntab")))
		return errinfo_set(e, -EPROTONOSUPPORT,
				   "made by Go, but without build information, as programs before "
				   "Go 1.13 and plugins before 1.20 are");
	if (!at)
		return errinfo_set(e, -ENODATA, "no Go build information");
	r = read_blob(b, at, &go, &mod);
	if (!r && !go.len)
		return errinfo_set(e, -ENODATA, "Go build information without a version");
	if (!r)
		r = keep(b, go, mod);
	if (r == -ENOMEM)
		return errinfo_set(e, r, "out of memory");
	if (r)
		return errinfo_set(e, r, ".go.buildinfo at address 0x%llx: strings out of bounds",
				   (unsigned long long)at);
	return 0;
}

int gobin_go_minor(const struct gobin *b)
{
	const char *p = strstr(b->info.go, "go1.");
	int n = 0;

	if (!p || p[4] < '0' || p[4] > '9')
		return -1;
	for (p += 4; *p >= '0' && *p <= '9' && n < 10000; p++)
		n = 10 * n + (*p - '0');
	return n;
}
