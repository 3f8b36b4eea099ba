/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files gofuncs*.c share. Nobody else includes this. Functions and their names
 * belong to the struct gofuncs, bytes to the binary.
 */
#ifndef GOTAP_GOFUNCS_INTERNAL_H
#define GOTAP_GOFUNCS_INTERNAL_H

#include "gofuncs.h"

/*
 * Sets ends and abi0 of the @n functions at @f (sorted by entry) from .symtab.
 * Returns how many had a symbol of their name. Cannot fail: what is wrong in a
 * symbol table is passed over.
 */
size_t gofuncs_apply_symtab(const struct gobin *b, struct gofunc *f, size_t n);

/*
 * Calls @fn with the target of each direct call or jump in the first bytes of @f (wrappers
 * are short), and perhaps of what only looks like one, until it returns other than
 * 0. Returns what @fn returned last.
 */
int gofuncs_each_call(const struct gobin *b, const struct gofunc *f,
		      int (*fn)(void *arg, uint64_t target), void *arg);

#endif
