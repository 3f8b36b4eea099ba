// SPDX-License-Identifier: Apache-2.0
#include <elf.h>
#include <string.h>

#include "gofuncs_internal.h"

/* The largest programs have half a million. */
#define MAX_SYMBOLS (4u << 20)

struct strings {
	const char *p;
	uint64_t len;
	uint64_t budget; /* bytes that may still be compared: names may overlap */
};

/* The function that begins at @addr, or NULL. */
static struct gofunc *func_at(struct gofunc *f, size_t n, uint64_t addr)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (f[mid].entry < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && f[lo].entry == addr ? &f[lo] : NULL;
}

/*
 * Past the type arguments at @p, which end at the last bracket: that is what
 * cmd/link leaves out of the pclntab's names (Go 1.18 to 1.20), for "[...]".
 */
static const char *skip_type_arguments(struct strings *s, const char *p)
{
	size_t len = strlen(p);
	const char *last = memrchr(p, ']', len);

	s->budget -= len < s->budget ? len : s->budget;
	return last ? last + 1 : p;
}

/*
 * Whether the symbol's name is @name, and what follows it: "" or ".abi0". The
 * symbol table has '.' for the middle dot of generated names.
 */
static bool symbol_has_name(struct strings *s, const char *sym, const char *name,
			    const char **suffix)
{
	const char *start = sym;

	while (*name) {
		if (*sym == '[' && !strncmp(name, "[...]", 5)) {
			sym = skip_type_arguments(s, sym);
			name += 5;
		} else if (*sym == *name) {
			sym++;
			name++;
		} else if (*sym == '.' && !strncmp(name, "\xc2\xb7", 2)) {
			sym++;
			name += 2;
		} else {
			return false;
		}
	}
	s->budget -= (uint64_t)(sym - start) < s->budget ? (uint64_t)(sym - start) : s->budget;
	*suffix = sym;
	return !*sym || !strcmp(sym, ".abi0");
}

/*
 * Functions made for a type ("type:.eq.main.T"): a plugin's symbol table has a hash in
 * place of what follows the prefix (typeSymbolMangle of cmd/link/internal/ld/lib.go).
 */
static bool of_a_type(const char *sym, const char *name)
{
	return !strncmp(sym, "type", 4) && (sym[4] == ':' || sym[4] == '.') &&
	       !strncmp(name, sym, 5);
}

static bool apply(struct gofunc *f, size_t n, const Elf64_Sym *sym, struct strings *s)
{
	struct gofunc *g;
	const char *name, *suffix = "";
	bool named;

	if (ELF64_ST_TYPE(sym->st_info) != STT_FUNC || sym->st_shndx == SHN_UNDEF ||
	    sym->st_name >= s->len)
		return false;
	g = func_at(f, n, sym->st_value);
	name = s->p + sym->st_name;
	/* A plugin's functions have a second name, for its own calls. */
	if (!strncmp(name, "local.", 6))
		name += 6;
	named = g && symbol_has_name(s, name, g->name, &suffix);
	if (!named && (!g || !of_a_type(name, g->name)))
		return false;
	/* Of two bodies the one of ABIInternal keeps the name (mangleABIName of cmd/link); it may
	 * be assembly, as memmove is, and the other one the wrapper. */
	if (!strcmp(suffix, ".abi0"))
		g->abi0 = true;
	else if (named && name == s->p + sym->st_name)
		g->abi0 = false;
	if (sym->st_size && sym->st_size < g->end - g->entry)
		g->end = g->entry + sym->st_size;
	return true;
}

size_t gofuncs_apply_symtab(const struct gobin *b, struct gofunc *f, size_t n)
{
	const struct gobin_section *all, *symtab = gobin_section(b, ".symtab"), *strtab;
	size_t n_secs, n_syms, found = 0;
	struct strings s;
	const uint8_t *p;

	if (!symtab && gobin_debug(b)) {
		b = gobin_debug(b);
		symtab = gobin_section(b, ".symtab");
	}
	n_secs = gobin_sections(b, &all);
	if (!symtab || symtab->type != SHT_SYMTAB || symtab->link >= n_secs)
		return 0;
	strtab = &all[symtab->link];
	p = gobin_section_data(b, symtab);
	n_syms = symtab->size / sizeof(Elf64_Sym);
	n_syms = n_syms < MAX_SYMBOLS ? n_syms : MAX_SYMBOLS;
	s.p = (const char *)gobin_section_data(b, strtab);
	s.len = strtab->size;
	s.budget = 8 * s.len;
	if (!p || !s.p || !s.len || s.p[s.len - 1] != '\0')
		return 0;
	for (uint64_t i = 0; i < n_syms && s.budget; i++) {
		Elf64_Sym sym;

		memcpy(&sym, p + i * sizeof(sym), sizeof(sym));
		found += apply(f, n, &sym, &s);
	}
	gobin_section_done(b, symtab);
	gobin_section_done(b, strtab);
	return found;
}
