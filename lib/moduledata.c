// SPDX-License-Identifier: Apache-2.0
#include "moduledata.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/*
 * Word numbers in struct moduledata (src/runtime/symtab.go): pcHeader, six
 * slices, findfunctab, minpc, maxpc, text, etext in Go 1.16 to 1.27. Of types and
 * etypes there are three arrangements.
 */
enum {
	W_NAMES = 1,
	W_SLICES = 1,
	N_SLICES = 6,
	W_TEXT = 22,
	W_ETEXT = 23,
	W_SECTS_FIRST = 35, /* textsectmap is somewhere in these words */
	W_SECTS_LAST = 48,
	MAX_TRIES = 65536, /* words that lead to the pclntab: there are two or three */
};

enum { OF_1_17, OF_1_20, OF_1_27, N_ARRANGEMENTS };

static const struct {
	uint8_t types, etypes;
} arrangements[N_ARRANGEMENTS] = {
	[OF_1_17] = { 35, 36 }, [OF_1_20] = { 37, 38 }, [OF_1_27] = { 37, 39 }, /* typedesclen is
										   between */
};

struct search {
	const struct gobin *b;
	uint64_t names;
	struct moduledata *out;
	unsigned tries;
};

static uint64_t word(const struct gobin *b, uint64_t addr, unsigned n)
{
	uint64_t w;

	return gobin_word(b, addr + 8 * (uint64_t)n, &w) ? 0 : w;
}

static bool plausible(const struct gobin *b, uint64_t addr, uint64_t names)
{
	uint64_t text = word(b, addr, W_TEXT), etext = word(b, addr, W_ETEXT);

	if (word(b, addr, W_NAMES) != names || text >= etext || !gobin_extent(b, text))
		return false;
	for (unsigned i = 0; i < N_SLICES; i++) {
		uint64_t len = word(b, addr, W_SLICES + 3 * i + 1);
		uint64_t cap = word(b, addr, W_SLICES + 3 * i + 2);

		if (len > cap || cap > UINT32_MAX)
			return false;
	}
	return true;
}

static bool types_at(const struct gobin *b, struct moduledata *m, size_t i)
{
	uint64_t types = word(b, m->addr, arrangements[i].types);
	uint64_t etypes = word(b, m->addr, arrangements[i].etypes);

	/* In one segment, unless it is another table or a length. lld puts it before text. */
	if (!types || types >= etypes || gobin_extent(b, types) < etypes - types)
		return false;
	m->types = types;
	m->etypes = etypes;
	return true;
}

/* The version's own arrangement first, because the words of others can look right too. */
static void find_types(const struct gobin *b, struct moduledata *m)
{
	int minor = gobin_go_minor(b);
	size_t first = minor < 0 ? OF_1_20 : minor < 20 ? OF_1_17 : minor < 27 ? OF_1_20 : OF_1_27;

	for (size_t i = 0; i < N_ARRANGEMENTS; i++)
		if (types_at(b, m, (first + i) % N_ARRANGEMENTS))
			return;
}

/* The slice of text sections is the one whose first element is {0, end, text}. */
static void find_sects(const struct gobin *b, struct moduledata *m)
{
	for (unsigned i = W_SECTS_FIRST; i <= W_SECTS_LAST; i++) {
		uint64_t p = word(b, m->addr, i), n = word(b, m->addr, i + 1);

		if (!p || !n || n > word(b, m->addr, i + 2) || n > MODULEDATA_MAX_SECTS ||
		    word(b, p, 0) != 0 || word(b, p, 1) == 0 || word(b, p, 2) != m->text)
			continue;
		for (unsigned j = 0; n > 1 && j < n; j++)
			m->sects[m->n_sects++] = (struct moduledata_textsect){
				.vaddr = word(b, p, 3 * j),
				.end = word(b, p, 3 * j + 1),
				.base = word(b, p, 3 * j + 2),
			};
		return;
	}
}

static int consider(void *arg, uint64_t addr)
{
	struct search *s = arg;

	if (!plausible(s->b, addr, s->names))
		return ++s->tries < MAX_TRIES ? 0 : -EBADMSG;
	s->out->addr = addr;
	s->out->text = word(s->b, addr, W_TEXT);
	s->out->etext = word(s->b, addr, W_ETEXT);
	find_types(s->b, s->out);
	find_sects(s->b, s->out);
	return 1;
}

int moduledata_find(const struct gobin *b, uint64_t pclntab, uint64_t names, struct moduledata *out,
		    struct errinfo *e)
{
	struct search s = { b, names, out, 0 };
	int r;

	memset(out, 0, sizeof(*out));
	r = gobin_each_word(b, pclntab, consider, &s);
	if (r < 0)
		return errinfo_set(e, r, "words that lead to the pclntab: %s", strerror(-r));
	if (!r)
		return errinfo_set(e, -ENODATA,
				   "no moduledata refers to the pclntab at address 0x%llx",
				   (unsigned long long)pclntab);
	return 0;
}

uint64_t moduledata_text_addr(const struct moduledata *m, uint64_t off)
{
	for (size_t i = 0; i < m->n_sects; i++) {
		const struct moduledata_textsect *s = &m->sects[i];

		/* The end itself belongs to the last one: the table's end sentinel. */
		if (off >= s->vaddr && (off < s->end || (off == s->end && i + 1 == m->n_sects)))
			return s->base + (off - s->vaddr);
	}
	return m->text + off;
}
