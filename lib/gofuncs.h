/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of a Go binary: names and text ranges from the ELF symbol table
 * where it is there, else from the pclntab (stripped binaries); func ids and
 * deferreturn always from the pclntab. Used by goresolve alone.
 *
 * A struct gofuncs borrows its struct gobin, which must outlive it, and owns
 * what its functions return.
 */
#ifndef GOTAP_GOFUNCS_H
#define GOTAP_GOFUNCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "errinfo.h"
#include "gobin.h"

struct gofunc {
	uint64_t entry;	  /* virtual address, load bias 0 */
	uint64_t end;	  /* one past the last byte */
	const char *name; /* as the linker has it: "net/http.(*conn).serve", "main.Map[...]" */
	bool wrapper;	  /* an ABI wrapper (funcID_wrapper): not what a user means by the name */
	bool abi0;	  /* known to be an ABI0 (assembly) body */
	uint32_t deferreturn; /* offset from entry of the deferreturn call, 0 if none */
};

struct gofuncs;

/* -ENODATA: no pclntab; -EBADMSG: one that contradicts itself; @e says where. */
int gofuncs_load(struct gobin *b, struct gofuncs **out, struct errinfo *e);
void gofuncs_free(struct gofuncs *fs);

/* Sorted by entry. */
size_t gofuncs_count(const struct gofuncs *fs);
const struct gofunc *gofuncs_get(const struct gofuncs *fs, size_t i);
/* The function whose text holds @addr, or NULL. */
const struct gofunc *gofuncs_at(const struct gofuncs *fs, uint64_t addr);
/*
 * Bodies of exactly this name, wrappers left out, in address order: writes up to
 * @max and returns how many there are. Escaped path elements ("gopkg.in/yaml%2ev3")
 * and "…/vendor/" prefixes match the name that a user writes.
 */
size_t gofuncs_find(const struct gofuncs *fs, const char *name, const struct gofunc **out,
		    size_t max);
/* Whether @name (of a function) matches a user's glob: '*' and '?' as in fnmatch(3). */
bool gofuncs_match(const char *pattern, const char *name);
/* "symtab" or "pclntab": where names and ranges came from. */
const char *gofuncs_source(const struct gofuncs *fs);

/* moduledata, where it was found: types and etypes for the rtype reader; 0 if unknown. */
uint64_t gofuncs_moduledata(const struct gofuncs *fs);

#endif
