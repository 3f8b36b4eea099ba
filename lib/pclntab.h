/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pclntab of a Go binary: the runtime's own table of functions, which no
 * stripping removes. Formats of Go 1.16 (also 1.17), 1.18 and 1.20 to 1.27;
 * src/internal/abi/symtab.go and src/cmd/link/internal/ld/pcln.go. Used by the
 * readers of functions and of types.
 */
#ifndef GOTAP_PCLNTAB_H
#define GOTAP_PCLNTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "errinfo.h"
#include "gobin.h"
#include "moduledata.h"

struct pclntab {
	const struct gobin *b;
	uint64_t addr;	  /* virtual, of the header */
	const uint8_t *p; /* the same in the file */
	uint64_t len;	  /* bytes from there to the end of its segment's file part */
	uint32_t magic;
	size_t n_funcs;
	uint64_t names, names_len; /* the table of names: offset from @p, bytes */
	uint64_t pctab;		   /* the tables of values by address: offset from @p */
	uint64_t table;		   /* the table of functions: offset from @p */
	struct moduledata mod;	   /* addr 0 if there is none (@mod.text may be known still) */
};

struct pclntab_func {
	uint64_t entry, end;  /* virtual addresses; @end is the next function's entry */
	const char *name;     /* in the file */
	uint32_t deferreturn; /* offset from entry of the deferreturn call, 0 if none */
	uint8_t func_id;      /* abi.FuncID */
	bool assembly;	      /* abi.FuncFlagAsm; Go 1.18 and later */
	uint8_t n_funcdata;
	uint32_t n_pcdata;
	uint64_t pcdata; /* the offsets of its pcdata: offset from @p; funcdata behind them */
};

/*
 * Finds the table by its section or, without, by its magic, and moduledata by
 * its address. Fills the caller's @out, which borrows @b. -ENODATA: there is none;
 * -EBADMSG, with @e naming the offset in it: of another form, or contradictory;
 * -ENOMEM.
 */
int pclntab_find(const struct gobin *b, struct pclntab *out, struct errinfo *e);
/* Function @i, in order of addresses. -EBADMSG. */
int pclntab_func(const struct pclntab *t, size_t i, struct pclntab_func *out, struct errinfo *e);
/* The name at offset @off of the names, in the file. -EBADMSG. */
int pclntab_name(const struct pclntab *t, uint32_t off, const char **out);

#endif
