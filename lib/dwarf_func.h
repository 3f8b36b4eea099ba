/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions in the DWARF of a Go binary, found by their entry address, and the
 * parameters and results that they have there. Used by goargs.h. The index is made
 * when it is first needed: it takes one more walk over all entries.
 *
 * A struct dwarf_funcs borrows the reader, which must outlive it.
 */
#ifndef GOTAP_DWARF_FUNC_H
#define GOTAP_DWARF_FUNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf_loc.h"

struct dwarf_param {
	const char *name; /* in DWARF; "" if none */
	uint64_t type;	  /* offset of its entry */
	bool result;
	bool fixed; /* the place is said once for all of the function */
	size_t n;   /* 0: nowhere at the function's first instruction */
	struct dwarf_piece piece[DWARF_MAX_PIECES];
};

struct dwarf_funcs;

/* -ENOMEM; -EBADMSG if the entries cannot be read. */
int dwarf_funcs_new(const struct gobin *b, struct die_reader *r, struct dwarf_funcs **out);
void dwarf_funcs_free(struct dwarf_funcs *fs);
/*
 * The parameters, then results, of the function that begins at @entry, in the order
 * that DWARF has, which up to Go 1.21 leaves parameters named "_" out. @shaped: it is an instance
 * of a generic function, and a dictionary may be among its parameters that (up to Go 1.26) is
 * not told. An array that the caller frees. -ENOENT: DWARF has no such function; -EBADMSG; -ENOMEM.
 */
int dwarf_func_params(struct dwarf_funcs *fs, uint64_t entry, struct dwarf_param **out, size_t *n,
		      bool *shaped);

#endif
