/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Go binary of a few kilobytes, made in memory as cmd/link of Go 1.26 lays one
 * out, for tests of what reads such files and as a seed for fuzzing: four
 * functions, four types, the first of them in DWARF, a symbol table. Its addresses
 * are MINIGO_BASE and the file offset. It cannot run.
 */
#ifndef GOTAP_MINIGO_H
#define GOTAP_MINIGO_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MINIGO_BASE 0x400000ull
#define MINIGO_MAX  16384
#define MINIGO_TEXT 0x400 /* offset of the first function */
#define MINIGO_FUNC 0x20  /* bytes of each */

enum minigo_flags {
	MINIGO_PIE = 1,		/* pointers are relocations, their places hold 0 */
	MINIGO_NO_SECTIONS = 2, /* no section headers */
	MINIGO_NO_GO_ID = 4,	/* no Go build id in the note */
};

struct minigo {
	uint8_t p[MINIGO_MAX];
	size_t n;
	unsigned flags;
	/* Offsets of what tests break. */
	size_t shdrs, n_shdrs, buildinfo, pclntab, funcs, types, etypes, moduledata, note;
	size_t pctab, pcdata, inltree; /* of the fourth function, into which calls are inlined */
	size_t type_t, fields_t, type_ptr, type_map, debug_info, debug_abbrev, symtab, dynamic;
	struct {
		size_t at;
		uint64_t value;
	} reloc[128];
	size_t n_relocs;
};

static inline void minigo_align(struct minigo *m, size_t n)
{
	while (m->n % n)
		m->p[m->n++] = 0;
}

static inline size_t minigo_put(struct minigo *m, const void *p, size_t n)
{
	size_t at = m->n;

	memcpy(m->p + at, p, n);
	m->n += n;
	return at;
}

static inline size_t minigo_u8(struct minigo *m, unsigned v)
{
	uint8_t b = (uint8_t)v;

	return minigo_put(m, &b, 1);
}

static inline size_t minigo_u32(struct minigo *m, uint64_t v)
{
	uint32_t w = (uint32_t)v;

	return minigo_put(m, &w, 4);
}

static inline size_t minigo_u64(struct minigo *m, uint64_t v)
{
	return minigo_put(m, &v, 8);
}

static inline void minigo_set32(struct minigo *m, size_t at, uint64_t v)
{
	uint32_t w = (uint32_t)v;

	memcpy(m->p + at, &w, 4);
}

static inline void minigo_set64(struct minigo *m, size_t at, uint64_t v)
{
	memcpy(m->p + at, &v, 8);
}

/* A pointer to file offset @to, at @at. */
static inline void minigo_set_ptr(struct minigo *m, size_t at, size_t to)
{
	bool pie = m->flags & MINIGO_PIE;

	minigo_set64(m, at, pie ? 0 : MINIGO_BASE + to);
	m->reloc[m->n_relocs].at = at;
	m->reloc[m->n_relocs++].value = MINIGO_BASE + to;
}

static inline size_t minigo_ptr(struct minigo *m, size_t to)
{
	size_t at = minigo_u64(m, 0);

	minigo_set_ptr(m, at, to);
	return at;
}

static inline size_t minigo_str(struct minigo *m, const char *s)
{
	return minigo_put(m, s, strlen(s) + 1);
}

/* A name of the type system: flags, length, bytes. */
static inline size_t minigo_name(struct minigo *m, unsigned flags, const char *s)
{
	size_t at = minigo_u8(m, flags);

	minigo_u8(m, (unsigned)strlen(s));
	minigo_put(m, s, strlen(s));
	return at;
}

static inline void minigo_notes(struct minigo *m)
{
	minigo_align(m, 4);
	m->note = m->n;
	if (!(m->flags & MINIGO_NO_GO_ID)) {
		minigo_u32(m, 4);
		minigo_u32(m, 11);
		minigo_u32(m, 4);
		minigo_put(m, "Go\0", 4);
		minigo_put(m, "action/cont\0", 12);
	}
	minigo_u32(m, 4);
	minigo_u32(m, 4);
	minigo_u32(m, NT_GNU_BUILD_ID);
	minigo_put(m, "GNU", 4);
	minigo_put(m, "\xde\xad\xbe\xef", 4);
}

/* Names, entries and structs _func: three bodies, one of them with a wrapper. */
static inline void minigo_pclntab(struct minigo *m)
{
	static const char *const names[] = { "main.main", "main.(*T).Get", "main.Map[...]",
					     "main.(*T).Get" };
	static const uint8_t ids[] = { 13, 0, 0, 23 };
	size_t off[4] = { 0 }, names_at, table;

	minigo_align(m, 32);
	m->pclntab = m->n;
	minigo_u32(m, 0xfffffff1);
	minigo_put(m, "\0\0\1\10", 4);
	for (int i = 0; i < 8; i++)
		minigo_u64(m, i == 0 ? 4 : 0);
	names_at = m->n;
	for (int i = 0; i < 4; i++)
		off[i] = i == 3 ? off[1] : minigo_str(m, names[i]) - names_at;
	minigo_set64(m, m->pclntab + 32, names_at - m->pclntab);
	for (int i = 4; i < 7; i++)
		minigo_set64(m, m->pclntab + 8 + 8 * (size_t)i, m->n - m->pclntab);
	/* Bytes 0 to 3: itself; 4 to 11: node 0; 12 to 19: node 1; the rest: itself. */
	m->pctab = m->n + 1;
	minigo_put(m, "\0\0\4\2\10\2\10\3\14", 10);
	minigo_align(m, 8);
	table = m->n;
	m->funcs = table;
	minigo_set64(m, m->pclntab + 64, table - m->pclntab);
	for (unsigned i = 0; i < 4; i++) {
		minigo_u32(m, i * MINIGO_FUNC);
		minigo_u32(m, 4 * 8 + 4 + i * 44);
	}
	minigo_u32(m, 4 * MINIGO_FUNC);
	for (unsigned i = 0; i < 4; i++) {
		minigo_u32(m, i * MINIGO_FUNC);
		minigo_u32(m, off[i]);
		minigo_u32(m, 0);
		minigo_u32(m, i == 1 ? 9 : 0); /* deferreturn */
		for (int j = 0; j < 6; j++)
			minigo_u32(m, i == 3 && j == 3 ? 3 : 0); /* pcdata */
		minigo_u8(m, ids[i]);
		minigo_put(m, i == 3 ? "\0\0\4" : "\0\0\0", 3); /* funcdata */
	}
	m->pcdata = m->n;
	for (int i = 0; i < 7; i++)
		minigo_u32(m, i == 2 ? 1 : i == 6 ? 0 : UINT32_MAX);
	m->inltree = m->n;
	for (unsigned i = 0; i < 2; i++) {
		minigo_u32(m, 0);
		minigo_u32(m, off[i ? 0 : 2]);
		minigo_u32(m, i ? 5 : 2); /* parentPc */
		minigo_u32(m, 1);
	}
}

/* abi.Type up to its name; returns where it begins. */
static inline size_t minigo_type(struct minigo *m, unsigned kind, uint64_t size, unsigned tflag,
				 size_t name)
{
	size_t at;

	minigo_align(m, 8);
	at = m->n;
	minigo_u64(m, size);
	minigo_u64(m, 0);
	minigo_u32(m, 0x12345678);
	minigo_u8(m, tflag);
	minigo_u8(m, 8);
	minigo_u8(m, 8);
	minigo_u8(m, kind);
	minigo_u64(m, 0);
	minigo_u64(m, 0);
	minigo_u32(m, name - m->types);
	minigo_u32(m, 0);
	return at;
}

struct minigo_field {
	const char *name; /* NULL ends a list */
	size_t type;	  /* offset of its descriptor; 0: set later */
	uint64_t offset;
};

/* A struct type of package @path; *@first is where its first field's record is. */
static inline size_t minigo_struct(struct minigo *m, const char *name, const char *path,
				   uint64_t size, const struct minigo_field *f, size_t *first)
{
	size_t n_name = minigo_name(m, 1, name), n_path = minigo_name(m, 0, path), n = 0, at;
	size_t names[8];

	for (; f[n].name; n++)
		names[n] = minigo_name(m, 1, f[n].name);
	at = minigo_type(m, 25, size, 1 | 2 | 4, n_name);
	minigo_ptr(m, n_path);
	*first = minigo_u64(m, 0);
	minigo_u64(m, n);
	minigo_u64(m, n);
	minigo_u32(m, n_path - m->types); /* uncommon */
	for (int i = 0; i < 3; i++)
		minigo_u32(m, 0);
	minigo_set_ptr(m, *first, m->n);
	*first = m->n;
	for (size_t i = 0; i < n; i++) {
		minigo_ptr(m, names[i]);
		if (f[i].type)
			minigo_ptr(m, f[i].type);
		else
			minigo_u64(m, 0);
		minigo_u64(m, f[i].offset);
	}
	return at;
}

/* map[string]string and what a layout of it needs (src/internal/runtime/maps). */
static inline void minigo_map_types(struct minigo *m, size_t t_int, size_t t_string)
{
	size_t n_slots = minigo_name(m, 0, "*[8]struct { key string; elem string }");
	size_t n_map = minigo_name(m, 0, "*map[string]string"), first, slot, slots, group, ref;

	slot = minigo_struct(m, "*map.slot", "map", 32,
			     (struct minigo_field[]){ { "key", t_string, 0 },
						      { "elem", t_string, 16 },
						      { NULL, 0, 0 } },
			     &first);
	slots = minigo_type(m, 17, 256, 2, n_slots);
	minigo_ptr(m, slot);
	minigo_u64(m, 0);
	minigo_u64(m, 8);
	group = minigo_struct(m, "*map.group", "map", 264,
			      (struct minigo_field[]){
				      { "ctrl", t_int, 0 }, { "slots", slots, 8 }, { NULL, 0, 0 } },
			      &first);
	m->type_map = minigo_type(m, 21, 8, 2, n_map);
	minigo_ptr(m, t_string);
	minigo_ptr(m, t_string);
	minigo_ptr(m, group);
	for (int i = 0; i < 5; i++)
		minigo_u64(m, 0);
	minigo_struct(m, "*maps.Map", "internal/runtime/maps", 48,
		      (struct minigo_field[]){ { "used", t_int, 0 },
					       { "dirPtr", t_int, 16 },
					       { "dirLen", t_int, 24 },
					       { NULL, 0, 0 } },
		      &first);
	ref = minigo_struct(m, "*maps.groupsReference", "internal/runtime/maps", 16,
			    (struct minigo_field[]){ { "data", t_int, 0 },
						     { "lengthMask", t_int, 8 },
						     { NULL, 0, 0 } },
			    &first);
	minigo_struct(m, "*maps.table", "internal/runtime/maps", 32,
		      (struct minigo_field[]){
			      { "used", t_int, 0 }, { "groups", ref, 8 }, { NULL, 0, 0 } },
		      &first);
}

/* int, string, main.T struct { N int; S string; next *main.T }, *main.T, a map */
static inline void minigo_types(struct minigo *m)
{
	size_t n_int, n_string, n_ptr, t_int, t_string;

	minigo_align(m, 32);
	m->types = m->n;
	minigo_u64(m, 0);
	n_int = minigo_name(m, 0, "*int");
	n_string = minigo_name(m, 0, "*string");
	n_ptr = minigo_name(m, 0, "*main.T");
	t_int = minigo_type(m, 2, 8, 2 | 4 | 8, n_int);
	t_string = minigo_type(m, 24, 16, 2 | 4, n_string);
	m->type_t = minigo_struct(m, "*main.T", "main", 32,
				  (struct minigo_field[]){ { "N", t_int, 0 },
							   { "S", t_string, 8 },
							   { "next", 0, 24 },
							   { NULL, 0, 0 } },
				  &m->fields_t);
	m->type_ptr = minigo_type(m, 22, 8, 0, n_ptr);
	minigo_ptr(m, m->type_t);
	minigo_set_ptr(m, m->fields_t + 2 * 24 + 8, m->type_ptr);
	minigo_map_types(m, t_int, t_string);
	minigo_align(m, 8);
	m->etypes = m->n;
}

static inline void minigo_data(struct minigo *m)
{
	static const char mod[] = "path\texample.com/mini\nmod\texample.com/mini\tv1.2.3\t\n"
				  "dep\ta.b/c\tv0.1.0\th1:x=\ndep\td.e/f\tv2.0.0\n"
				  "=>\tg.h/f\tv2.0.1\th1:y=\nbuild\tGOARCH=amd64\n";

	minigo_align(m, 32);
	m->buildinfo = m->n;
	minigo_put(m, "\xff Go buildinf:\x08\x02", 16);
	minigo_u64(m, 0);
	minigo_u64(m, 0);
	minigo_u8(m, 8);
	minigo_put(m, "go1.26.8", 8);
	minigo_u8(m, 0x80 | ((sizeof(mod) - 1 + 32) & 0x7f));
	minigo_u8(m, (sizeof(mod) - 1 + 32) >> 7);
	minigo_put(m, "0123456789abcdef", 16);
	minigo_put(m, mod, sizeof(mod) - 1);
	minigo_put(m, "0123456789abcdef", 16);
	minigo_align(m, 32);
	m->moduledata = m->n;
	for (int i = 0; i < 50; i++)
		minigo_u64(m, 0);
	minigo_set_ptr(m, m->moduledata, m->pclntab);
	minigo_set_ptr(m, m->moduledata + 8, m->pclntab + 72);
	minigo_set_ptr(m, m->moduledata + 176, MINIGO_TEXT);
	minigo_set_ptr(m, m->moduledata + 184, MINIGO_TEXT + 4 * MINIGO_FUNC);
	minigo_set_ptr(m, m->moduledata + 296, m->types);
	minigo_set_ptr(m, m->moduledata + 304, m->etypes);
	minigo_set_ptr(m, m->moduledata + 320, m->inltree);
}

/* Where section @i of minigo_sections() begins and ends. */
struct minigo_section {
	const char *name;
	uint32_t type;
	uint64_t flags;
	size_t at, size;
	uint32_t link;
};

static inline void minigo_dwarf(struct minigo *m)
{
	/* code, tag, children, attributes; see DWARF 5, 7.5.3. */
	static const uint8_t abbrev[] = {
		1, 0x11, 1,    0x03, 0x08, 0x13, 0x0b, 0,    0, /* unit: name, language */
		2, 0x24, 0,    0x03, 0x08, 0x0b, 0x0f, 0x80, 0x52, 0x0b, 0,    0, /* base */
		3, 0x13, 1,    0x03, 0x08, 0x0b, 0x0f, 0x80, 0x52, 0x0b, 0x84, 0x52, 0x01, 0,
		0, 4,	 0x0d, 0,    0x03, 0x08, 0x38, 0x0f, 0x49, 0x10, 0x83, 0x52, 0x0c, 0,
		0, 5,	 0x0f, 0,    0x03, 0x08, 0x49, 0x10, 0x80, 0x52, 0x0b, 0,    0,	   0,
	};
	size_t d_int, d_string, d_t, ref, base;

	m->debug_abbrev = minigo_put(m, abbrev, sizeof(abbrev));
	m->debug_info = base = minigo_u32(m, 0);
	minigo_put(m, "\5\0\1\10", 4);
	minigo_u32(m, 0);
	minigo_u8(m, 1);
	minigo_str(m, "main");
	minigo_u8(m, 0x16);
	d_int = minigo_u8(m, 2);
	minigo_str(m, "int");
	minigo_put(m, "\10\2", 2);
	d_string = minigo_u8(m, 3);
	minigo_str(m, "string");
	minigo_put(m, "\20\30", 2);
	minigo_u64(m, 0);
	minigo_u8(m, 0);
	d_t = minigo_u8(m, 3);
	minigo_str(m, "main.T");
	minigo_put(m, "\40\31", 2);
	minigo_u64(m, m->type_t - m->types);
	minigo_u8(m, 4);
	minigo_str(m, "N");
	minigo_u8(m, 0);
	minigo_u32(m, d_int - base);
	minigo_u8(m, 0);
	minigo_u8(m, 4);
	minigo_str(m, "S");
	minigo_u8(m, 8);
	minigo_u32(m, d_string - base);
	minigo_u8(m, 0);
	minigo_u8(m, 4);
	minigo_str(m, "next");
	minigo_u8(m, 24);
	ref = minigo_u32(m, 0);
	minigo_u8(m, 0);
	minigo_u8(m, 0);
	minigo_set32(m, ref, m->n - base);
	minigo_u8(m, 5);
	minigo_str(m, "*main.T");
	minigo_u32(m, d_t - base);
	minigo_u8(m, 22);
	minigo_u8(m, 0);
	minigo_set32(m, base, m->n - base - 4);
}

static inline void minigo_symbol(struct minigo *m, size_t name, unsigned func, uint64_t size)
{
	Elf64_Sym s = {
		.st_name = (uint32_t)name,
		.st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
		.st_shndx = 1,
		.st_value = MINIGO_BASE + MINIGO_TEXT + func * MINIGO_FUNC,
		.st_size = size,
	};

	minigo_put(m, &s, sizeof(s));
}

static inline void minigo_sections(struct minigo *m)
{
	size_t strtab = m->n, s[4], symtab, shstr, name[10];
	size_t dwarf_at, dwarf_end;

	minigo_u8(m, 0);
	s[0] = minigo_str(m, "main.main") - strtab;
	s[1] = minigo_str(m, "main.(*T).Get.abi0") - strtab;
	s[2] = minigo_str(m, "main.Map[go.shape.int]") - strtab;
	s[3] = minigo_str(m, "main.(*T).Get") - strtab;
	symtab = m->n;
	minigo_align(m, 8);
	symtab = m->symtab = m->n;
	for (unsigned i = 0; i < 4; i++)
		minigo_symbol(m, s[i], i, MINIGO_FUNC - i);
	dwarf_at = m->n;
	minigo_dwarf(m);
	dwarf_end = m->n;
	const struct minigo_section secs[] = {
		{ "", SHT_NULL, 0, 0, 0, 0 },
		{ ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, MINIGO_TEXT, 4 * MINIGO_FUNC,
		  0 },
		{ ".gopclntab", SHT_PROGBITS, SHF_ALLOC, m->pclntab, m->types - m->pclntab, 0 },
		{ ".go.buildinfo", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, m->buildinfo,
		  m->moduledata - m->buildinfo, 0 },
		{ ".symtab", SHT_SYMTAB, 0, symtab, 4 * sizeof(Elf64_Sym), 5 },
		{ ".strtab", SHT_STRTAB, 0, strtab, m->symtab - strtab, 0 },
		{ ".debug_abbrev", SHT_PROGBITS, 0, dwarf_at, m->debug_info - dwarf_at, 0 },
		{ ".debug_info", SHT_PROGBITS, 0, m->debug_info, dwarf_end - m->debug_info, 0 },
		{ ".shstrtab", SHT_STRTAB, 0, 0, 0, 0 },
	};
	const size_t n = sizeof(secs) / sizeof(secs[0]);

	shstr = m->n;
	for (size_t i = 0; i < n; i++)
		name[i] = minigo_str(m, secs[i].name) - shstr;
	minigo_align(m, 8);
	m->shdrs = m->n;
	m->n_shdrs = n;
	for (size_t i = 0; i < n; i++) {
		bool last = i == n - 1;
		Elf64_Shdr h = {
			.sh_name = (uint32_t)name[i],
			.sh_type = secs[i].type,
			.sh_flags = secs[i].flags,
			.sh_addr = secs[i].flags & SHF_ALLOC ? MINIGO_BASE + secs[i].at : 0,
			.sh_offset = last ? shstr : secs[i].at,
			.sh_size = last ? m->shdrs - shstr : secs[i].size,
			.sh_link = secs[i].link,
			.sh_addralign = 1,
		};

		minigo_put(m, &h, sizeof(h));
	}
}

/* RELATIVE relocations of all pointers, and what leads to them. */
static inline void minigo_dynamic(struct minigo *m)
{
	size_t rela;

	minigo_align(m, 8);
	rela = m->n;
	for (size_t i = m->n_relocs; i-- > 0;) { /* not sorted, on purpose */
		minigo_u64(m, MINIGO_BASE + m->reloc[i].at);
		minigo_u64(m, R_X86_64_RELATIVE);
		minigo_u64(m, m->reloc[i].value);
	}
	m->dynamic = m->n;
	minigo_u64(m, DT_RELA);
	minigo_u64(m, MINIGO_BASE + rela);
	minigo_u64(m, DT_RELASZ);
	minigo_u64(m, m->dynamic - rela);
	minigo_u64(m, DT_RELAENT);
	minigo_u64(m, sizeof(Elf64_Rela));
	minigo_u64(m, DT_NULL);
	minigo_u64(m, 0);
}

static inline void minigo_phdr(struct minigo *m, size_t i, uint32_t type, uint32_t flags, size_t at,
			       size_t end)
{
	Elf64_Phdr p = {
		.p_type = type,
		.p_flags = flags,
		.p_offset = at,
		.p_vaddr = MINIGO_BASE + at,
		.p_paddr = MINIGO_BASE + at,
		.p_filesz = end - at,
		.p_memsz = end - at,
		.p_align = 4,
	};

	memcpy(m->p + 64 + i * sizeof(p), &p, sizeof(p));
}

static inline void minigo_build(struct minigo *m, unsigned flags)
{
	Elf64_Ehdr h = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = flags & MINIGO_PIE ? ET_DYN : ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = 64,
		.e_ehsize = sizeof(h),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 5,
		.e_shentsize = sizeof(Elf64_Shdr),
	};
	size_t ro, note_end, rw, rw_end;

	memset(m, 0, sizeof(*m));
	m->flags = flags;
	m->n = MINIGO_TEXT;
	for (int i = 0; i < 4 * MINIGO_FUNC; i++)
		minigo_u8(m, i % MINIGO_FUNC == MINIGO_FUNC - 1 ? 0xc3 : 0x90);
	ro = m->n;
	minigo_notes(m);
	note_end = m->n;
	minigo_pclntab(m);
	minigo_types(m);
	rw = m->n;
	minigo_data(m);
	minigo_dynamic(m);
	rw_end = m->n;
	minigo_sections(m);
	minigo_phdr(m, 0, PT_LOAD, PF_R | PF_X, 0, ro);
	minigo_phdr(m, 1, PT_LOAD, PF_R, ro, rw);
	minigo_phdr(m, 2, PT_LOAD, PF_R | PF_W, rw, rw_end);
	minigo_phdr(m, 3, PT_NOTE, PF_R, m->note, note_end);
	minigo_phdr(m, 4, flags & MINIGO_PIE ? PT_DYNAMIC : PT_NULL, PF_R, m->dynamic, rw_end);
	if (!(flags & MINIGO_NO_SECTIONS)) {
		h.e_shoff = m->shdrs;
		h.e_shnum = (uint16_t)m->n_shdrs;
		h.e_shstrndx = (uint16_t)(m->n_shdrs - 1);
	}
	memcpy(m->p, &h, sizeof(h));
}

#endif
