/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of known layouts: where fields are in versions of Go and of modules
 * that were looked at when gotap was built (lib/offsets/, made by "make offsets"). It is
 * the last source, for types that a binary says nothing about. The table is
 * constant; nothing here can fail but by not knowing.
 */
#ifndef GOTAP_OFFSETS_H
#define GOTAP_OFFSETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gobin.h"
#include "goversion.h"

#define OFFSETS_ABSENT UINT32_MAX
#define OFFSETS_SIZE   "=" /* the field of a row that holds the type's size */

/* A field over a run of versions that agree; rows of one field stand together, oldest first. */
struct offsets_row {
	const char *module; /* "std", or a module's path */
	const char *type, *field;
	int8_t arch;			 /* enum gobin_arch, -1: any */
	struct goversion oldest, newest; /* first and last version that was looked at */
	uint32_t offset;		 /* bytes; OFFSETS_ABSENT: these versions do not have it */
	const char *field_type;		 /* as gotypes_find() takes it; "" */
};
extern const struct offsets_row offsets_table[];
extern const size_t offsets_table_len;

struct offsets_answer {
	uint32_t offset; /* bytes; OFFSETS_ABSENT */
	const char *field_type;
	/* Not seen in just this version: it is newer than all that were, between a seen
	 * one and the next release, or inexact. */
	bool assumed;
};

/*
 * Looks in @rows. 0; -ENOENT if the table does not know the field, or knows it for
 * later versions only, or two versions between which this one lies disagree.
 */
int offsets_lookup(const struct offsets_row *rows, size_t n, const char *type, const char *field,
		   enum gobin_arch arch, const struct goversion *v, struct offsets_answer *out);
/* The same by the compiled-in table, with the version that @b's build information has. */
int offsets_find(const struct gobin *b, const char *type, const char *field,
		 struct offsets_answer *out);
/* The rows of @type in the compiled-in table: the first one, and how many; NULL. */
const struct offsets_row *offsets_type(const char *type, size_t *n);

#endif
