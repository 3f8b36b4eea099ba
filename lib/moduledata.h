/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime.moduledata of a Go binary: the root from which the runtime finds its
 * functions and types, and the only place that says where both begin. Found by
 * the pclntab's address, never by a symbol. Used by the readers of functions
 * and of types.
 */
#ifndef GOTAP_MODULEDATA_H
#define GOTAP_MODULEDATA_H

#include <stddef.h>
#include <stdint.h>

#include "errinfo.h"
#include "gobin.h"

/* A section is some 100 MB (cmd/link's limit of a branch on arm64). */
#define MODULEDATA_MAX_SECTS 16

/* struct textsect of src/runtime/symtab.go; more than one only where text was split. */
struct moduledata_textsect {
	uint64_t vaddr, end; /* as function entries count them */
	uint64_t base;	     /* where it is */
};

struct moduledata {
	uint64_t addr;		/* of the struct itself */
	uint64_t text, etext;	/* addresses */
	uint64_t types, etypes; /* addresses; 0 if not found or not plausible */
	struct moduledata_textsect sects[MODULEDATA_MAX_SECTS];
	size_t n_sects; /* 0 if there is only one */
};

/*
 * @pclntab and @names are the addresses of the pclntab and of its table of
 * function names. Fills the caller's @out. -ENODATA if there is none; -ENOMEM.
 */
int moduledata_find(const struct gobin *b, uint64_t pclntab, uint64_t names, struct moduledata *out,
		    struct errinfo *e);
/* The address of a function entry (an offset from text; Go 1.18 and later). */
uint64_t moduledata_text_addr(const struct moduledata *m, uint64_t off);

#endif
