/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a variable is at one instruction, by its DW_AT_location: an expression, or
 * a list of them in .debug_loc (DWARF 4) or .debug_loclists (DWARF 5). Only what
 * Go's compiler writes for parameters is understood; all else is "nowhere", never a
 * guess. Used by the reader of functions in DWARF.
 */
#ifndef GOTAP_DWARF_LOC_H
#define GOTAP_DWARF_LOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug_section.h"
#include "dwarf_die.h"

#define DWARF_MAX_PIECES 40

enum dwarf_where {
	DWARF_NOWHERE, /* optimised away, or an expression that is not understood */
	DWARF_IN_REG,
	DWARF_ON_STACK,
};

struct dwarf_piece {
	enum dwarf_where where;
	uint64_t offset, size; /* in the variable; size 0: all of it */
	uint64_t reg;	       /* DWARF's number for it */
	int64_t stack;	       /* bytes from the canonical frame address */
};

struct dwarf_lists {
	struct debug_section addr, loc, loclists; /* empty where there is none */
	uint64_t work;				  /* entries of lists that may still be read */
};

/*
 * -ENOMEM; a section that is not there, or not readable, or that inflates to more than is left
 * of @room bytes, is empty.
 */
int dwarf_lists_load(const struct gobin *b, size_t room, struct dwarf_lists *out);
void dwarf_lists_release(struct dwarf_lists *l);

/* Entry @index of the part of .debug_addr at @base. -EBADMSG. */
int dwarf_address(const struct dwarf_lists *l, uint64_t base, uint64_t index, uint64_t *out);

struct dwarf_scope { /* of the unit that the variable is in */
	uint16_t version;
	uint64_t low_pc, addr_base;
};

/*
 * The pieces of @var at @pc, in order of offset: writes up to DWARF_MAX_PIECES and
 * returns how many; 0 if it is nowhere, or once more was read than any honest file needs.
 */
size_t dwarf_locate(struct dwarf_lists *l, const struct dwarf_scope *unit, const struct die *var,
		    uint64_t pc, struct dwarf_piece *out);

#endif
