/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parameters and results of any function, by name and type, as its DWARF has
 * them. A parameter counts as available only where the rules of ABIInternal and the
 * compiler's own word (its location at the function's first instruction) agree:
 * the list of parameters is not always whole, nor are locations always right.
 * Locations of results in registers are never written: they are where the rules put them,
 * at the function's returns. Used by goresolve alone.
 */
#ifndef GOTAP_GOARGS_H
#define GOTAP_GOARGS_H

#include <stdbool.h>
#include <stddef.h>

#include "goabi.h"

struct goarg {
	const char *name; /* as the source has it, for a receiver too; "~r0", "~b1", "_": none */
	const struct gotype *type; /* never NULL */
	bool result;
	bool placed;		/* the rules give @slot */
	bool located;		/* DWARF has a location for it, of whatever kind */
	bool available;		/* both, and they agree; a result in registers: the rules */
	struct goabi_slot slot; /* a parameter at the first instruction, a result at a RET */
};

/*
 * In order of declaration, parameters first; an array that the caller frees (names and types
 * belong to @ts). -ENODATA: the binary has no DWARF; -ENOENT: none for this function;
 * -EBADMSG; -ENOMEM.
 */
int goargs_load(struct gotypes *ts, enum gobin_arch arch, uint64_t entry, struct goarg **out,
		size_t *n);

#endif
