/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of a Go binary: those of the pclntab, which no stripping removes,
 * with its names, so that a stripped binary's are the same; where the ELF symbol
 * table is there, it gives the exact ends and tells ABI0 bodies. C functions of a
 * cgo binary are not among them, unless Go's own linker linked it: their names
 * have no dot. Used by goresolve alone.
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
	uint64_t entry;	      /* virtual address, load bias 0 */
	uint64_t end;	      /* one past the last byte; from the pclntab with padding behind it */
	const char *name;     /* as the runtime has it: "net/http.(*conn).serve", "main.Map[...]" */
	bool wrapper;	      /* generated (funcID_wrapper) around another body of the same name,
				 or of the same with other type arguments, or by the linker on
				 the way to one: not what a user means by the name */
	bool abi0;	      /* known to be an ABI0 (assembly) body */
	uint32_t deferreturn; /* offset from entry of the deferreturn call, 0 if none */
};

struct gofuncs;

/* -ENODATA: no pclntab; -EBADMSG: one that contradicts itself, @e says where; -ENOMEM. */
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
 * and "…/vendor/" prefixes match the name that a user writes; "main.Map" and
 * "main.Map[...]" match whatever the type arguments are, and '.' the middle dot
 * of generated names ("main.f·dwrap·1").
 */
size_t gofuncs_find(const struct gofuncs *fs, const char *name, const struct gofunc **out,
		    size_t max);
/*
 * Whether @name (of a function) matches a user's glob. '*' is any text, slashes
 * too, and '?' any character. All else is literal, because Go names hold it: '[',
 * ']', '(', ')', and a '*' right after '(': "main.(*Store).*" is all methods of
 * *Store and what is in them. Escapes, vendor prefixes and type arguments may be left out as
 * in gofuncs_find().
 */
bool gofuncs_match(const char *pattern, const char *name);
/* "symtab" or "pclntab": where the ends came from. */
const char *gofuncs_source(const struct gofuncs *fs);

/* The virtual address of runtime.moduledata, 0 if it was not found. */
uint64_t gofuncs_moduledata(const struct gofuncs *fs);

#endif
