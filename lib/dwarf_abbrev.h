/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of .debug_abbrev: what attributes an entry has, by its code, and in
 * which form. Used by the reader of entries, which owns the table.
 */
#ifndef GOTAP_DWARF_ABBREV_H
#define GOTAP_DWARF_ABBREV_H

#include "debug_section.h"

struct die_attr {
	uint32_t at, form; /* DW_AT_…, DW_FORM_… */
	int64_t implicit;  /* the value of DW_FORM_implicit_const */
};

struct die_abbrev {
	uint32_t tag; /* DW_TAG_… */
	bool has_children;
	uint32_t first, n; /* in attrs */
};

struct die_abbrevs {
	uint64_t offset; /* in the section */
	struct die_abbrev *v;
	size_t n;
	struct die_attr *attrs;
	size_t n_attrs;
};

/*
 * The table at @offset. *@budget is how many bytes of tables, in the file and in
 * memory, may still be worked on, since hostile units may share one large table. NULL with *@err
 * -EBADMSG or -ENOMEM.
 */
struct die_abbrevs *die_abbrevs_load(const struct debug_section *s, uint64_t offset,
				     uint64_t *budget, int *err);
void die_abbrevs_free(struct die_abbrevs *a);
/* NULL if there is no such code. */
const struct die_abbrev *die_abbrev_of(const struct die_abbrevs *a, uint64_t code);

#endif
