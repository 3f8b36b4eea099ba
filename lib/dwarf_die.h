/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entries (DIEs) of .debug_info, versions 2 to 5, one at a time and with the
 * few attributes that describe types. Every read is checked. Used by the reader
 * of layouts in DWARF.
 */
#ifndef GOTAP_DWARF_DIE_H
#define GOTAP_DWARF_DIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug_section.h"

struct die_abbrevs;

struct die_unit {
	uint64_t offset, first, end; /* in .debug_info: header, first entry, end */
	uint64_t abbrev;	     /* offset of its abbreviations */
	uint16_t version;
	uint8_t addr_size, offset_size;
};

struct die_reader {
	struct debug_section info, abbrev, str, line_str; /* the last two may be empty */
	struct die_abbrevs *abbrevs;			  /* of the unit read last */
	uint64_t budget; /* work on abbreviations that may still be done: units may share them */
	uint64_t work;	 /* entries and attributes that may still be read */
};

/* Longer names are no names: what copies or compares them must not take long. */
#define DIE_MAX_NAME 65536

struct die {
	uint64_t offset, next; /* in .debug_info; @next: of the entry behind it */
	const char *name;      /* NULL if none */
	uint64_t type;	       /* offset of the entry of DW_AT_type, 0 if none */
	uint64_t byte_size;
	uint64_t count; /* DW_AT_count, or the upper bound and one */
	uint64_t member_offset;
	/* Go's own: cmd/internal/dwarf. */
	uint64_t go_key, go_elem; /* offsets of entries */
	uint64_t go_rtype;	  /* from the start of types to the descriptor, 0 if none */
	/* Of functions and parameters. */
	uint64_t origin;     /* offset of the entry of DW_AT_abstract_origin, 0 if none */
	uint64_t low_pc;     /* an address, or an index into .debug_addr: @low_pc_index */
	uint64_t addr_base;  /* of a unit's own entry: of its part of .debug_addr */
	const uint8_t *expr; /* DW_AT_location as an expression; NULL if it is none */
	uint64_t expr_len;
	uint64_t loclist; /* DW_AT_location as an offset in .debug_loc or .debug_loclists */
	bool has_low_pc, low_pc_index, has_loclist;
	bool result;	   /* DW_AT_variable_parameter */
	uint32_t tag;	   /* DW_TAG_…, 0 for the end of a list of children */
	uint16_t language; /* DW_LANG_… */
	uint8_t go_kind;   /* abi.Kind */
	bool go_embedded;
	bool has_children;
};

/* -ENODATA: no DWARF; else as debug_section_load(). Fills the caller's @r. */
int die_reader_init(struct die_reader *r, const struct gobin *b, struct errinfo *e);
void die_reader_release(struct die_reader *r);
/* How many bytes other sections may still take: what is inflated is bounded in all. */
size_t die_reader_room(const struct die_reader *r);

/*
 * The unit at @offset; -ENODATA at the end. -EBADMSG: the rest of the section
 * cannot be read. A unit of a version that is not known has version 0: skip it.
 */
int die_unit_at(const struct die_reader *r, uint64_t offset, struct die_unit *out,
		struct errinfo *e);
/*
 * The entry at @offset of @u. -ENODATA behind the last one; -EBADMSG, also once more was read
 * than any honest file needs; -ENOMEM.
 */
int die_read(struct die_reader *r, const struct die_unit *u, uint64_t offset, struct die *out);

#endif
