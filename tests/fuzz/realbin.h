/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Real Go binaries for fuzz targets. They are too large to be inputs, so an input
 * says which of them and what is changed in it: a byte that chooses the binary,
 * then patches of six bytes and more, each for one of the regions that the target
 * names. realbin_open() applies them to the binary in memory, realbin_close() undoes
 * them. The binaries are built by tests/fuzz.sh; $GOTAP_FUZZ_BINARIES names them,
 * separated by colons.
 */
#ifndef GOTAP_REALBIN_H
#define GOTAP_REALBIN_H

#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gobin.h"
#include "gofuncs.h"
#include "moduledata.h"
#include "pclntab.h"

#define REALBIN_MAX	  16
#define REALBIN_MAX_UNDO  64
#define REALBIN_MAX_BYTES 64

enum realbin_region {
	REGION_EHDR,
	REGION_PHDRS,
	REGION_SHDRS,
	REGION_DYNAMIC,
	REGION_BUILDINFO,
	REGION_NOTES,
	REGION_PCLN_HEAD, /* the header of the pclntab */
	REGION_PCLN,	  /* all of it */
	REGION_FUNCTAB,
	REGION_MODULEDATA,
	REGION_TYPES,
	REGION_RODATA,
	REGION_TEXT,
	REGION_SYMTAB,
	REGION_STRTAB,
	REGION_ABBREV,
	REGION_INFO,
	REGION_ADDR,
	REGION_LOC,
	REGION_LOCLISTS,
	REGION_DEBUG_STR,
	REGION_RELA,
	N_REGIONS,
};

struct realbin {
	uint8_t *p;
	size_t n;
	struct {
		size_t at, len;
	} region[N_REGIONS];
};

static struct realbin realbins[REALBIN_MAX];
static size_t n_realbins;

static struct {
	uint8_t *at;
	uint8_t old[REALBIN_MAX_BYTES];
	size_t n;
} realbin_undo[REALBIN_MAX_UNDO];
static size_t n_realbin_undo;

static inline void realbin_region(struct realbin *r, enum realbin_region which, uint64_t at,
				  uint64_t len)
{
	if (at >= r->n)
		return;
	r->region[which].at = at;
	r->region[which].len = len < r->n - at ? len : r->n - at;
}

static inline void realbin_sections(struct realbin *r, const struct gobin *b)
{
	static const struct {
		const char *name;
		enum realbin_region region;
	} names[] = {
		{ ".dynamic", REGION_DYNAMIC },
		{ ".go.buildinfo", REGION_BUILDINFO },
		{ ".note.go.buildid", REGION_NOTES },
		{ ".gopclntab", REGION_PCLN },
		{ ".data.rel.ro.gopclntab", REGION_PCLN },
		{ ".rodata", REGION_RODATA },
		{ ".data.rel.ro", REGION_RODATA },
		{ ".text", REGION_TEXT },
		{ ".symtab", REGION_SYMTAB },
		{ ".strtab", REGION_STRTAB },
		{ ".debug_abbrev", REGION_ABBREV },
		{ ".debug_info", REGION_INFO },
		{ ".debug_addr", REGION_ADDR },
		{ ".debug_loc", REGION_LOC },
		{ ".debug_loclists", REGION_LOCLISTS },
		{ ".debug_str", REGION_DEBUG_STR },
		{ ".rela", REGION_RELA },
		{ ".rela.dyn", REGION_RELA },
	};
	const struct gobin_section *s;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		s = gobin_section(b, names[i].name);
		if (s && s->type != SHT_NOBITS)
			realbin_region(r, names[i].region, s->offset, s->size);
	}
}

static inline void realbin_tables(struct realbin *r, const struct gobin *b)
{
	struct errinfo e;
	struct pclntab t;
	uint64_t off;

	if (pclntab_find(b, &t, &e) || gobin_offset(b, t.addr, &off))
		return;
	realbin_region(r, REGION_PCLN_HEAD, off, 72);
	realbin_region(r, REGION_FUNCTAB, off + t.table, t.n_funcs * 8);
	if (t.mod.addr && !gobin_offset(b, t.mod.addr, &off))
		realbin_region(r, REGION_MODULEDATA, off, 592);
	if (t.mod.types && !gobin_offset(b, t.mod.types, &off))
		realbin_region(r, REGION_TYPES, off, t.mod.etypes - t.mod.types);
}

/*
 * Most of a small Go program is the runtime. So that an input does not take ten times as
 * long, only the first functions, types, symbols and small units of DWARF are left.
 */
#define REALBIN_FUNCS 96
#define REALBIN_TYPES 24576
#define REALBIN_UNIT  80000

static inline uint64_t realbin_word(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	memcpy(&v, p, n);
	return v;
}

static inline void realbin_set(uint8_t *p, uint64_t v)
{
	memcpy(p, &v, sizeof(v));
}

/* Units of a version that nobody knows are passed over. */
static inline void realbin_shrink_dwarf(struct realbin *r)
{
	uint8_t *info = r->p + r->region[REGION_INFO].at;
	size_t n = r->region[REGION_INFO].len;

	for (size_t at = 0; at + 6 < n; at += 4 + realbin_word(info + at, 4))
		if (realbin_word(info + at, 4) > REALBIN_UNIT)
			info[at + 4] = 0xff;
}

static inline void realbin_shrink_types(struct realbin *r, const struct moduledata *m)
{
	uint8_t *mod = r->p + r->region[REGION_MODULEDATA].at;
	size_t n = r->region[REGION_MODULEDATA].len;

	for (size_t at = 0; at + 8 <= n; at += 8)
		if (realbin_word(mod + at, 8) == m->etypes && m->etypes - m->types > REALBIN_TYPES)
			realbin_set(mod + at, m->types + REALBIN_TYPES);
}

static inline void realbin_shrink_symbols(struct realbin *r)
{
	uint8_t *p = r->p + r->region[REGION_SHDRS].at;
	size_t n = r->region[REGION_SHDRS].len / sizeof(Elf64_Shdr);

	for (size_t i = 0; i < n; i++, p += sizeof(Elf64_Shdr))
		if (realbin_word(p + offsetof(Elf64_Shdr, sh_type), 4) == SHT_SYMTAB)
			realbin_set(p + offsetof(Elf64_Shdr, sh_size), 256 * sizeof(Elf64_Sym));
}

static inline void realbin_shrink(struct realbin *r, const struct gobin *b)
{
	struct errinfo e;
	struct pclntab t;

	if (gobin_section(b, ".debug_info") &&
	    !(gobin_section(b, ".debug_info")->flags & SHF_COMPRESSED))
		realbin_shrink_dwarf(r);
	realbin_shrink_symbols(r);
	if (pclntab_find(b, &t, &e) || !r->region[REGION_PCLN_HEAD].len)
		return;
	realbin_shrink_types(r, &t.mod);
	realbin_set(r->p + r->region[REGION_PCLN_HEAD].at + 8, REALBIN_FUNCS);
	r->region[REGION_FUNCTAB].len = (size_t)16 * REALBIN_FUNCS;
}

static inline void realbin_add(const char *path)
{
	struct realbin *r = &realbins[n_realbins];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr h;
	struct errinfo e;
	struct gobin *b;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || n_realbins == REALBIN_MAX) {
		fprintf(stderr, "realbin: %s: cannot be used\n", path);
		exit(1);
	}
	r->n = (size_t)st.st_size;
	r->p = mmap(NULL, r->n, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	close(fd);
	if (r->p == MAP_FAILED || gobin_open_image(r->p, r->n, &b, &e)) {
		fprintf(stderr, "realbin: %s: cannot be read\n", path);
		exit(1);
	}
	memcpy(&h, r->p, sizeof(h));
	realbin_region(r, REGION_EHDR, 0, sizeof(h));
	realbin_region(r, REGION_PHDRS, h.e_phoff, h.e_phnum * sizeof(Elf64_Phdr));
	realbin_region(r, REGION_SHDRS, h.e_shoff, h.e_shnum * sizeof(Elf64_Shdr));
	realbin_sections(r, b);
	realbin_tables(r, b);
	realbin_shrink(r, b);
	gobin_free(b);
	n_realbins++;
}

/* Call it first; ends the program where there are no binaries. */
static inline void realbin_init(void)
{
	const char *names = getenv("GOTAP_FUZZ_BINARIES");
	char *copy, *save = NULL;

	if (n_realbins)
		return;
	copy = strdup(names ? names : "");
	for (char *p = strtok_r(copy, ":", &save); p; p = strtok_r(NULL, ":", &save))
		realbin_add(p);
	free(copy);
	if (n_realbins)
		return;
	fprintf(stderr, "realbin: GOTAP_FUZZ_BINARIES names no binaries; see tests/fuzz.sh\n");
	exit(1);
}

static inline uint8_t *realbin_place(uint8_t *p, size_t n)
{
	realbin_undo[n_realbin_undo].at = p;
	realbin_undo[n_realbin_undo].n = n;
	memcpy(realbin_undo[n_realbin_undo++].old, p, n);
	return p;
}

/* One patch at @d, of which @left bytes are there; returns how many it takes. */
static inline size_t realbin_patch(struct realbin *r, const enum realbin_region *which,
				   size_t n_which, const uint8_t *d, size_t left)
{
	size_t at = d[2] | (size_t)d[3] << 8 | (size_t)d[4] << 16, n = d[5] % REALBIN_MAX_BYTES;
	enum realbin_region region = which[d[0] % n_which];
	size_t len = r->region[region].len, used = 6;
	uint8_t *p;

	if (!len)
		return used;
	at %= len;
	n = n < len - at ? n : len - at;
	p = realbin_place(r->p + r->region[region].at + at, n);
	switch (d[1] % 4) {
	case 0: /* other bytes */
		n = n < left - used ? n : left - used;
		memcpy(p, d + used, n);
		return used + n;
	case 1:
		memset(p, 0xff, n);
		break;
	case 2:
		memset(p, 0, n);
		break;
	default: /* what is elsewhere in the region */
		memmove(p, r->p + r->region[region].at + (at * 7919) % (len - n + 1), n);
	}
	return used;
}

/*
 * The binary that @data describes, and how large it is. Only the regions in @which
 * are changed.
 */
static inline const uint8_t *realbin_open(const uint8_t *data, size_t size,
					  const enum realbin_region *which, size_t n_which,
					  size_t *len)
{
	struct realbin *r;

	realbin_init();
	r = &realbins[size ? data[0] % n_realbins : 0];
	*len = r->n;
	for (size_t at = 1; at + 6 <= size && n_realbin_undo < REALBIN_MAX_UNDO;)
		at += realbin_patch(r, which, n_which, data + at, size - at);
	return r->p;
}

static inline void realbin_close(void)
{
	while (n_realbin_undo) {
		n_realbin_undo--;
		memcpy(realbin_undo[n_realbin_undo].at, realbin_undo[n_realbin_undo].old,
		       realbin_undo[n_realbin_undo].n);
	}
}

/* What each target does with an input: @look is given what opens. */
static inline void realbin_run(const uint8_t *data, size_t size, const enum realbin_region *regions,
			       size_t n_regions, void (*look)(struct gobin *b))
{
	size_t len;
	const uint8_t *p = realbin_open(data, size, regions, n_regions, &len);
	struct errinfo e = { "" };
	struct gobin *b;

	if (!gobin_open_image(p, len, &b, &e)) {
		look(b);
		gobin_free(b);
	} else if (!e.text[0]) {
		abort();
	}
	realbin_close();
}

#endif
