// SPDX-License-Identifier: Apache-2.0
#include "pclntab.h"

#include <errno.h>
#include <string.h>

#include "le.h"

enum {
	MAGIC_116 = 0xfffffffa,
	MAGIC_118 = 0xfffffff0,
	MAGIC_120 = 0xfffffff1,
};

/* Headers that are none, in a file without section headers. */
#define MAX_TRIES    64
#define MAX_SEARCHED (1u << 30) /* bytes that all of them may look through */
/* No name is longer, since what is between brackets is left out of it. */
#define MAX_NAME 65536

static bool known_magic(uint32_t magic)
{
	return magic == MAGIC_116 || magic == MAGIC_118 || magic == MAGIC_120;
}

static bool is_header(const struct gobin *b, const uint8_t *p)
{
	/* magic, two bytes of padding, instruction quantum, size of a pointer */
	return known_magic(le32(p)) && p[4] == 0 && p[5] == 0 &&
	       p[6] == (gobin_arch(b) == GOBIN_AMD64 ? 1 : 4) && p[7] == 8;
}

static uint64_t header_word(const struct pclntab *t, unsigned i)
{
	return le64(t->p + 8 + 8 * (uint64_t)i);
}

static uint64_t entry_size(const struct pclntab *t)
{
	return t->magic == MAGIC_116 ? 16 : 8;
}

/* Sizes and offsets of the header at @addr against its segment. */
static int read_header(struct pclntab *t, uint64_t addr, struct errinfo *e)
{
	unsigned shift;
	uint64_t n, cu, size;

	t->addr = addr;
	t->len = gobin_extent(t->b, addr);
	t->p = gobin_at(t->b, addr, 72);
	if (!t->p)
		return errinfo_set(e, -EBADMSG, "pclntab header at address 0x%llx cut short",
				   (unsigned long long)addr);
	t->magic = le32(t->p);
	if (!is_header(t->b, t->p))
		return errinfo_set(e, -EBADMSG,
				   "pclntab at address 0x%llx: unknown header, magic 0x%x",
				   (unsigned long long)addr, t->magic);
	shift = t->magic == MAGIC_116 ? 0 : 1; /* textStart */
	n = header_word(t, 0);
	t->names = header_word(t, 2 + shift);
	cu = header_word(t, 3 + shift);
	t->pctab = header_word(t, 5 + shift);
	t->table = header_word(t, 6 + shift);
	if (t->names >= t->len || cu < t->names || cu > t->len)
		return errinfo_set(e, -EBADMSG,
				   "pclntab: names at offset 0x%llx to 0x%llx, of 0x%llx bytes",
				   (unsigned long long)t->names, (unsigned long long)cu,
				   (unsigned long long)t->len);
	t->names_len = cu - t->names;
	size = entry_size(t);
	if (!n || t->table >= t->len || n > (t->len - t->table - size / 2) / size ||
	    t->len - t->table < size)
		return errinfo_set(e, -EBADMSG,
				   "pclntab: %llu functions at offset 0x%llx, of 0x%llx bytes",
				   (unsigned long long)n, (unsigned long long)t->table,
				   (unsigned long long)t->len);
	t->n_funcs = n;
	return 0;
}

static int take(struct pclntab *t, uint64_t addr, struct errinfo *e)
{
	int r = read_header(t, addr, e);

	if (r)
		return r;
	r = moduledata_find(t->b, addr, addr + t->names, &t->mod, e);
	if (r == -ENODATA && t->magic != MAGIC_116) {
		/* Go 1.18 to 1.25 have the base in the header too. */
		uint64_t text = 0;

		if (gobin_word(t->b, addr + 24, &text) || !text)
			return r;
		t->mod.text = text;
		return 0;
	}
	return r == -ENODATA ? 0 : r;
}

/* Each try looks through all of the data. */
static unsigned max_tries(const struct gobin *b)
{
	size_t size, most;

	gobin_image(b, &size);
	most = MAX_SEARCHED / (size + 1);
	return most < 1 ? 1 : most < MAX_TRIES ? (unsigned)most : MAX_TRIES;
}

/* By magic, 8-aligned, in @s; -ENODATA if nothing there leads to a moduledata. */
static int search(struct pclntab *t, const struct gobin_segment *s, unsigned *tries)
{
	const uint8_t *p = gobin_at(t->b, s->addr, s->filesz);
	uint64_t i = -s->addr & 7, end;

	while (p && s->filesz >= 72 && i <= s->filesz - 72) {
		end = i + gobin_chunk(t->b, s->offset + i, s->filesz - 71 - i);
		for (; i < end; i += 8) {
			if (p[i + 3] != 0xff || !is_header(t->b, p + i))
				continue;
			if (!take(t, s->addr + i, NULL))
				return 0;
			if (++*tries >= max_tries(t->b))
				return -ENODATA;
		}
	}
	return -ENODATA;
}

int pclntab_find(const struct gobin *b, struct pclntab *out, struct errinfo *e)
{
	static const char *const names[] = { ".gopclntab", ".data.rel.ro.gopclntab" };
	const struct gobin_segment *segs;
	size_t n = gobin_segments(b, &segs);
	unsigned tries = 0;

	memset(out, 0, sizeof(*out));
	out->b = b;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct gobin_section *s = gobin_section(b, names[i]);

		if (s)
			return take(out, s->addr, e);
	}
	for (size_t i = 0; i < n; i++)
		if (!segs[i].exec && tries < max_tries(b) && !search(out, &segs[i], &tries))
			return 0;
	return errinfo_set(e, -ENODATA, "no pclntab: no section of that name and no magic");
}

static uint64_t entry_at(const struct pclntab *t, size_t i)
{
	uint64_t off = t->table + i * entry_size(t), addr;

	if (t->magic != MAGIC_116)
		return moduledata_text_addr(&t->mod, le32(t->p + off));
	return gobin_word(t->b, t->addr + off, &addr) ? 0 : addr;
}

static uint64_t func_offset(const struct pclntab *t, size_t i)
{
	uint64_t off = t->table + i * entry_size(t);

	return t->table + (t->magic == MAGIC_116 ? le64(t->p + off + 8) : le32(t->p + off + 4));
}

int pclntab_name(const struct pclntab *t, uint32_t off, const char **out)
{
	const uint8_t *s = t->p + t->names + off;
	uint64_t left;

	if (off >= t->names_len)
		return -EBADMSG;
	left = t->names_len - off;
	*out = (const char *)s;
	return memchr(s, 0, left < MAX_NAME ? left : MAX_NAME) ? 0 : -EBADMSG;
}

int pclntab_func(const struct pclntab *t, size_t i, struct pclntab_func *out, struct errinfo *e)
{
	/* struct _func: before 1.18 the entry is a word of 8 bytes instead of 4. */
	uint64_t shift = t->magic == MAGIC_116 ? 4 : 0;
	uint64_t ids = t->magic == MAGIC_118 ? 36 : 40; /* funcID, flag */
	uint64_t off;

	if (i >= t->n_funcs)
		return errinfo_set(e, -EBADMSG, "pclntab: no function %zu of %zu", i, t->n_funcs);
	off = func_offset(t, i);
	if (off < t->table || off > t->len || t->len - off < ids + 4)
		return errinfo_set(e, -EBADMSG,
				   "pclntab: function %zu at offset 0x%llx, of 0x%llx bytes", i,
				   (unsigned long long)off, (unsigned long long)t->len);
	out->entry = entry_at(t, i);
	out->end = entry_at(t, i + 1);
	out->deferreturn = le32(t->p + off + 12 + shift);
	out->func_id = t->p[off + ids];
	out->assembly = t->magic != MAGIC_116 && t->p[off + ids + 1] & 4;
	out->n_funcdata = t->p[off + ids + 3];
	out->n_pcdata = le32(t->p + off + 28 + shift);
	out->pcdata = off + ids + 4;
	if (pclntab_name(t, le32(t->p + off + 4 + shift), &out->name))
		return errinfo_set(e, -EBADMSG, "pclntab: name 0x%x of function %zu out of bounds",
				   le32(t->p + off + 4 + shift), i);
	return 0;
}
