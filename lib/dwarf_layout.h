/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types in the DWARF of a Go binary (versions 4 and 5), found by name. Entries
 * of other languages are passed over. Used by the reader of types.
 *
 * A struct godwarf owns what its functions return, unless they say otherwise. A
 * type is named by the offset of its entry in .debug_info, 0 is none.
 */
#ifndef GOTAP_DWARF_LAYOUT_H
#define GOTAP_DWARF_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "errinfo.h"
#include "gobin.h"

struct godwarf_type {
	const char *name; /* "" if none; of the typedef where there is one */
	uint8_t kind;	  /* abi.Kind (enum rtype_kind), 0 if unknown */
	uint64_t size;	  /* bytes */
	uint64_t count;	  /* elements of an array */
	uint64_t elem;	  /* of an array, channel, map, pointer, slice */
	uint64_t key;	  /* of a map */
	uint64_t inner;	  /* of a map: the pointer that it is; of an interface: its struct */
	uint64_t rtype;	  /* its descriptor, counted from the start of types; 0 unknown */
};

struct godwarf_field {
	const char *name;
	uint64_t type;
	uint64_t offset; /* bytes */
	bool embedded;
};

struct godwarf;
struct die_reader;

/*
 * Indexes the types by name: of the one unit that has them, where it is as Go's linker
 * has it, else of all units. -ENODATA: no DWARF; -EBADMSG, -EFBIG, -ENOTSUP: none that
 * can be read, @e says why; -ENOMEM.
 */
int godwarf_open(const struct gobin *b, struct godwarf **out, struct errinfo *e);
void godwarf_free(struct godwarf *d);

/* What it reads entries with, borrowed: for the reader of functions. */
struct die_reader *godwarf_reader(struct godwarf *d);

/* By the whole name; 0 if there is none. */
uint64_t godwarf_find(const struct godwarf *d, const char *name);
/* -ENOENT: no type there; -EBADMSG; -ENOMEM. */
int godwarf_type(struct godwarf *d, uint64_t type, struct godwarf_type *out);
/* The fields of a struct (also of those that strings, slices and interfaces are),
 * an array that the caller frees. -EBADMSG; -ENOMEM. */
int godwarf_fields(struct godwarf *d, uint64_t type, struct godwarf_field **out, size_t *n);
/* Calls @fn for each struct type that has a name, until it returns other than 0. */
int godwarf_each_struct(struct godwarf *d, int (*fn)(void *arg, uint64_t type, const char *name),
			void *arg);

#endif
