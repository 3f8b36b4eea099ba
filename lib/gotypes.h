/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layout of Go types in one binary, from its own DWARF where it has some and
 * from its runtime type descriptors (which a stripped binary keeps); last, for what
 * neither has, from the table of offsets.h. Used by goresolve alone. Types are
 * found by the name that source code has, with the whole import path:
 * "net/http.Request", "*net/http.response", "string".
 *
 * A struct gotypes borrows its struct gobin and owns every struct gotype. Types
 * are read when they are asked for; DWARF is indexed by name, never parsed whole.
 */
#ifndef GOTAP_GOTYPES_H
#define GOTAP_GOTYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "errinfo.h"
#include "gobin.h"

enum gotype_kind {
	GOTYPE_UNKNOWN,
	GOTYPE_BOOL,
	GOTYPE_INT,  /* signed, size says how wide */
	GOTYPE_UINT, /* unsigned, uintptr too */
	GOTYPE_FLOAT,
	GOTYPE_COMPLEX,
	GOTYPE_STRING,
	GOTYPE_SLICE,	  /* elem */
	GOTYPE_ARRAY,	  /* elem, count */
	GOTYPE_PTR,	  /* elem; unsafe.Pointer has none */
	GOTYPE_STRUCT,	  /* fields */
	GOTYPE_MAP,	  /* key, elem */
	GOTYPE_INTERFACE, /* empty says whether it is an eface */
	GOTYPE_CHAN,
	GOTYPE_FUNC,
};

enum gotype_source {
	GOTYPE_FROM_NONE,
	GOTYPE_FROM_DWARF,
	GOTYPE_FROM_RTYPE,
	GOTYPE_FROM_TABLE,   /* offsets.h: a struct has just the fields that are known */
	GOTYPE_FROM_BUILTIN, /* string, int, …: the language says so */
};

struct gotype {
	const char *name; /* with whole import paths: "*net/url.URL"; "" if it has none */
	enum gotype_kind kind;
	enum gotype_source source;
	uint64_t size;	 /* bytes */
	uint64_t count;	 /* elements of an array */
	size_t n_fields; /* of a struct */
	bool empty;	 /* an interface without methods */
};

struct gofield {
	const char *name;	   /* of an embedded field: its type's last element */
	uint64_t offset;	   /* bytes from the start of the struct */
	const struct gotype *type; /* never NULL; kind UNKNOWN if it cannot be resolved */
	enum gotype_source source;
	bool embedded;
	bool assumed; /* from the table, which has not seen just this version */
};

/* How maps of this binary are built (src/internal/runtime/maps, src/runtime/map.go). */
struct gomap_layout {
	bool swiss;		   /* Go 1.24 and later, without GOEXPERIMENT=noswissmap */
	uint32_t slot_size;	   /* swiss: bytes of a key/elem pair; else of an elem */
	uint32_t elem_off;	   /* swiss: of the elem in a slot; else of elems in a bucket */
	uint32_t used;		   /* swiss: in maps.Map; else of count in hmap */
	uint32_t dir_ptr, dir_len; /* swiss: in maps.Map */
	uint32_t table_groups;	   /* swiss: of groups.data in maps.table */
	uint32_t buckets, log2_buckets, overflow; /* old: in hmap, and in a bucket */
};

struct gotypes;

/*
 * Never fails for want of types: a binary that has neither source just knows
 * none. -ENOMEM, or -EBADMSG if both sources are unreadable.
 */
int gotypes_open(struct gobin *b, struct gotypes **out, struct errinfo *e);
void gotypes_free(struct gotypes *ts);
/* Why DWARF that is there is not used, for a warning; "" if all is well. */
const char *gotypes_warning(const struct gotypes *ts);

/*
 * By name; NULL if the binary does not have it. Pointers to, slices and arrays of
 * known types are made, and the language's own types ("string", "any", "error",
 * "func(…)", "chan …") are always there.
 */
const struct gotype *gotypes_find(struct gotypes *ts, const char *name);
/*
 * Calls @fn with the name of each struct type that has one and that the binary itself
 * describes, in no order, perhaps twice, until it returns other than 0. Returns what @fn
 * returned last. The name is good during the call only.
 */
int gotypes_each(struct gotypes *ts, int (*fn)(void *arg, const char *name), void *arg);
/* A type that embeds an interface, itself or by other structs that it embeds. */
struct gotype_embedding {
	uint64_t descriptor; /* virtual address, as an interface that holds the type has it */
	bool has_via;
	uint64_t via;	 /* offset of the pointer to an embedded struct on the way */
	uint64_t offset; /* of the interface: in that struct, or in the type */
};

/*
 * Calls @fn for each type whose value in an interface is the address of a struct that
 * embeds the named interface type @name, until it returns other than 0, which is
 * returned. By descriptors alone: a type without one is in no interface.
 */
int gotypes_each_embedding(struct gotypes *ts, const char *name,
			   int (*fn)(void *arg, const struct gotype_embedding *e), void *arg);
/* Likewise for the field @field of the struct type @type, which need not be embedded. */
int gotypes_each_holder(struct gotypes *ts, const char *type, const char *field,
			int (*fn)(void *arg, const struct gotype_embedding *e), void *arg);
/* Of a pointer, slice, array, map or channel; NULL if it has none. UNKNOWN in kind if
 * the binary does not say what it is. */
const struct gotype *gotypes_elem(struct gotypes *ts, const struct gotype *t);
const struct gotype *gotypes_key(struct gotypes *ts, const struct gotype *t);
/* -ENOENT if there is no such index. */
int gotypes_field_at(struct gotypes *ts, const struct gotype *t, size_t i, struct gofield *out);
/*
 * By name, through embedded structs too (offset is then from the outer one, if no
 * pointer is on the way). -ENOENT; -EUCLEAN with @e when DWARF and the
 * descriptors disagree (@out is then DWARF's word).
 */
int gotypes_field(struct gotypes *ts, const struct gotype *t, const char *name, struct gofield *out,
		  struct errinfo *e);
/*
 * The virtual address (load bias 0) of the runtime type descriptor, as it stands
 * in an interface's type word or at itab+8; 0 if unknown.
 */
uint64_t gotypes_descriptor(struct gotypes *ts, const struct gotype *t);
/* The virtual address of the section that names of types are counted from; 0 if unknown. */
uint64_t gotypes_base(const struct gotypes *ts);
/* -ENOENT if the layout of @map cannot be told; -ENOTSUP if keys are not strings. */
int gotypes_map_layout(struct gotypes *ts, const struct gotype *map, struct gomap_layout *out,
		       struct errinfo *e);

const char *gotype_source_name(enum gotype_source s); /* "dwarf", "rtype", … */
const char *gotype_kind_name(enum gotype_kind k);

#endif
