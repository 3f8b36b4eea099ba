// SPDX-License-Identifier: Apache-2.0
/*
 * Words as the loader would leave them with a load bias of 0. RELR and REL need
 * nothing here, because their addends are in place; RELA's are in the table.
 * The table is found through PT_DYNAMIC: sections have other names in internally
 * linked PIE, or none.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gobin_internal.h"
#include "le.h"

/* The largest programs have a million; sorting more takes long. */
#define MAX_RELOCS (8u << 20)

struct gobin_relocs {
	const uint8_t *rela; /* the table in the file, NULL if there is none */
	size_t n;
	const uint8_t *syms; /* DT_SYMTAB, as far as the file goes */
	uint64_t n_syms;
	uint32_t *order; /* entries by address; NULL if the table is sorted */
};

static Elf64_Rela rela_at(const struct gobin_relocs *r, size_t i)
{
	Elf64_Rela rela;

	memcpy(&rela, r->rela + i * sizeof(rela), sizeof(rela));
	return rela;
}

static void read_dynamic(const struct gobin *b, struct gobin_relocs *r)
{
	const uint8_t *d = b->dyn_size ? gobin_at(b, b->dyn_addr, b->dyn_size) : NULL;
	uint64_t rela = 0, size = 0, ent = sizeof(Elf64_Rela), syms = 0;

	for (uint64_t off = 0; d && b->dyn_size - off >= sizeof(Elf64_Dyn);
	     off += sizeof(Elf64_Dyn)) {
		uint64_t tag = le64(d + off), val = le64(d + off + 8);

		if (tag == DT_NULL)
			break;
		if (tag == DT_RELA)
			rela = val;
		else if (tag == DT_RELASZ)
			size = val;
		else if (tag == DT_RELAENT)
			ent = val;
		else if (tag == DT_SYMTAB)
			syms = val;
	}
	if (rela && ent == sizeof(Elf64_Rela)) {
		uint64_t there = gobin_extent(b, rela);

		r->n = (size < there ? size : there) / sizeof(Elf64_Rela);
		r->n = r->n < MAX_RELOCS ? r->n : MAX_RELOCS;
		r->rela = r->n ? gobin_at(b, rela, r->n * sizeof(Elf64_Rela)) : NULL;
	}
	if (syms) {
		r->n_syms = gobin_extent(b, syms) / sizeof(Elf64_Sym);
		r->syms = r->n_syms ? gobin_at(b, syms, r->n_syms * sizeof(Elf64_Sym)) : NULL;
	}
}

static int by_address(const void *a, const void *b, void *arg)
{
	const struct gobin_relocs *r = arg;
	uint64_t x = rela_at(r, *(const uint32_t *)a).r_offset;
	uint64_t y = rela_at(r, *(const uint32_t *)b).r_offset;

	return x < y ? -1 : x > y;
}

static int sort_relocs(struct gobin_relocs *r)
{
	uint64_t last = 0;
	bool sorted = true;

	for (size_t i = 0; i < r->n && sorted; i++) {
		uint64_t addr = rela_at(r, i).r_offset;

		sorted = addr >= last;
		last = addr;
	}
	if (sorted)
		return 0;
	r->order = malloc(r->n * sizeof(*r->order));
	if (!r->order)
		return -ENOMEM;
	for (size_t i = 0; i < r->n; i++)
		r->order[i] = (uint32_t)i;
	qsort_r(r->order, r->n, sizeof(*r->order), by_address, r);
	return 0;
}

static struct gobin_relocs *get_relocs(const struct gobin *b, int *err)
{
	struct gobin_relocs *r = b->lazy->relocs;

	if (r)
		return r;
	r = calloc(1, sizeof(*r));
	*err = -ENOMEM;
	if (!r)
		return NULL;
	read_dynamic(b, r);
	*err = sort_relocs(r);
	if (*err) {
		free(r);
		return NULL;
	}
	b->lazy->relocs = r;
	return r;
}

static Elf64_Rela sorted_at(const struct gobin_relocs *r, size_t i)
{
	return rela_at(r, r->order ? r->order[i] : i);
}

/* S of a relocation against a symbol; only one that this file defines is known. */
static int symbol_value(const struct gobin_relocs *r, uint64_t info, uint64_t *out)
{
	uint64_t i = ELF64_R_SYM(info);
	Elf64_Sym s;

	if (i >= r->n_syms)
		return -ERANGE;
	memcpy(&s, r->syms + i * sizeof(s), sizeof(s));
	if (i && (s.st_shndx == SHN_UNDEF || s.st_shndx == SHN_COMMON))
		return -ERANGE;
	*out = i ? s.st_value : 0;
	return 0;
}

static int apply(const struct gobin *b, const struct gobin_relocs *r, const Elf64_Rela *rela,
		 uint64_t *out)
{
	bool amd64 = b->arch == GOBIN_AMD64;
	uint64_t type = ELF64_R_TYPE(rela->r_info), s = 0;
	int e;

	if (type == (amd64 ? R_X86_64_RELATIVE : R_AARCH64_RELATIVE)) {
		*out = (uint64_t)rela->r_addend;
		return 0;
	}
	if (type != (amd64 ? R_X86_64_64 : R_AARCH64_ABS64) &&
	    type != (amd64 ? R_X86_64_GLOB_DAT : R_AARCH64_GLOB_DAT))
		return 0; /* not an address of this file, or none at all */
	e = symbol_value(r, rela->r_info, &s);
	if (!e)
		*out = s + (uint64_t)rela->r_addend;
	return e;
}

int gobin_word(const struct gobin *b, uint64_t addr, uint64_t *out)
{
	const uint8_t *p = gobin_at(b, addr, 8);
	struct gobin_relocs *r;
	size_t lo = 0, hi;
	int e = 0;

	if (!p)
		return -ERANGE;
	*out = le64(p);
	if (!b->dyn_size)
		return 0;
	r = get_relocs(b, &e);
	if (!r)
		return e;
	for (hi = r->n; lo < hi;) {
		size_t mid = lo + (hi - lo) / 2;

		if (sorted_at(r, mid).r_offset < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < r->n) {
		Elf64_Rela rela = sorted_at(r, lo);

		if (rela.r_offset == addr)
			return apply(b, r, &rela, out);
	}
	return 0;
}

/* Words that hold @value in the file itself. */
static int each_raw_word(const struct gobin *b, const struct gobin_segment *s, uint64_t value,
			 int (*fn)(void *arg, uint64_t addr), void *arg)
{
	uint64_t i = -s->addr & 7, end, word;
	const uint8_t *p = b->image + s->offset;

	while (s->filesz >= 8 && i <= s->filesz - 8) {
		end = i + gobin_chunk(b, s->offset + i, s->filesz - 7 - i);
		for (; i < end; i += 8) {
			int r;

			if (le64(p + i) != value || gobin_word(b, s->addr + i, &word) ||
			    word != value)
				continue;
			r = fn(arg, s->addr + i);
			if (r)
				return r;
		}
	}
	return 0;
}

int gobin_each_word(const struct gobin *b, uint64_t value, int (*fn)(void *arg, uint64_t addr),
		    void *arg)
{
	struct gobin_relocs *r;
	uint64_t word;
	int e = 0;

	for (size_t i = 0; i < b->n_segs && !e; i++)
		if (b->segs[i].write)
			e = each_raw_word(b, &b->segs[i], value, fn, arg);
	if (e || !b->dyn_size)
		return e;
	r = get_relocs(b, &e);
	for (size_t i = 0; r && i < r->n && !e; i++) {
		Elf64_Rela rela = rela_at(r, i);

		if ((uint64_t)rela.r_addend == value && rela.r_offset % 8 == 0 &&
		    !gobin_word(b, rela.r_offset, &word) && word == value)
			e = fn(arg, rela.r_offset);
	}
	return e;
}

void gobin_relocs_free(struct gobin_relocs *r)
{
	if (!r)
		return;
	free(r->order);
	free(r);
}
