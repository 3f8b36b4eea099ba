/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that the Go compiler inlined: the runtime keeps for each function a tree of
 * them, which no stripping removes, so that stack traces can name what is no longer
 * there. A probe on the inlined function sees none of these calls.
 *
 * FUNCDATA_InlTree and PCDATA_InlTreeIndex of src/internal/abi/symtab.go;
 * src/cmd/link/internal/ld/pcln.go (genInlTreeSym) writes them and
 * src/runtime/symtabinl.go reads them. Forms of Go 1.17, 1.18, and 1.20 to 1.27.
 * Used by goresolve alone. Nothing is kept between calls; names are in the file.
 */
#ifndef GOTAP_INLTREE_H
#define GOTAP_INLTREE_H

#include <stdint.h>

#include "errinfo.h"
#include "gobin.h"
#include "gofuncs.h"

struct inlined {
	const char *name;	 /* of the function that was inlined: equal names, equal pointers */
	const struct gofunc *in; /* whose text has it now, perhaps through others */
	uint64_t addr;		 /* the first of its instructions there */
};

/*
 * Calls @fn for each inlined call of which an instruction is left, functions in order of
 * addresses, until it returns other than 0. Returns what @fn returned last; -ENODATA
 * if the binary has no trees that could be found; -EBADMSG, with @e saying where, if
 * they contradict themselves; -ENOMEM.
 */
int inltree_each(const struct gobin *b, const struct gofuncs *fs,
		 int (*fn)(void *arg, const struct inlined *call), void *arg, struct errinfo *e);

#endif
