/* SPDX-License-Identifier: Apache-2.0 */
/* What the files gofuncs*.c share. Nobody else includes this. */
#ifndef GOTAP_GOFUNCS_INTERNAL_H
#define GOTAP_GOFUNCS_INTERNAL_H

#include "gofuncs.h"

/*
 * Sets ends and abi0 of the @n functions at @f (sorted by entry) from .symtab.
 * Returns how many had a symbol of their name. Cannot fail: what is wrong in a
 * symbol table is passed over.
 */
size_t gofuncs_apply_symtab(const struct gobin *b, struct gofunc *f, size_t n);

#endif
