/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files gotypes*.c share. Nobody else includes this. Nodes belong to the struct
 * gotypes and live as long; a type that cannot be read is an error of whoever asks for it.
 */
#ifndef GOTAP_GOTYPES_INTERNAL_H
#define GOTAP_GOTYPES_INTERNAL_H

#include "dwarf_func.h"
#include "dwarf_layout.h"
#include "gotypes.h"
#include "rtype.h"

/* A field as it was read; its type is looked up when asked for. */
struct type_field {
	const char *name; /* in DWARF, or @owned */
	char *owned;	  /* NULL if in DWARF */
	uint64_t die, rt; /* one of both */
	const char *type; /* by the table: its name */
	uint64_t offset;
	bool embedded;
	bool assumed; /* by the table, for a version that it has not seen */
};

struct type_node {
	struct gotype pub; /* first: a struct gotype is its node */
	char *name;	   /* owns pub.name */
	uint64_t die, rt;  /* entry in DWARF, descriptor; 0 if none */
	bool rt_known;	   /* @rt was looked up */
	uint64_t inner;	   /* of a map: what godwarf_type() says */
	uint64_t elem_die, elem_rt, key_die, key_rt;
	const struct type_node *elem, *key; /* NULL until looked up */
	struct type_field *fields;	    /* pub.n_fields of them */
};

struct type_link { /* one way to find a node */
	uint64_t key;
	struct type_node *node;
	struct type_link *next;
};

#define TYPE_BUCKETS 1024

struct gotypes {
	struct gobin *b;
	struct godwarf *dwarf;	   /* NULL if there is none */
	struct rtypes *rtypes;	   /* likewise */
	struct dwarf_funcs *funcs; /* NULL until asked for: goargs.c */
	char warning[160];
	struct type_link *buckets[TYPE_BUCKETS];
	struct type_node **nodes; /* all of them */
	size_t n_nodes, cap;
	struct type_node unknown;
};

/* Kinds of keys of a link. */
enum type_key {
	KEY_NAME,
	KEY_DIE,
	KEY_RT,
};

/* NULL if it is not there. For KEY_NAME @v is goname_type_hash(), and @name is compared. */
struct type_node *type_lookup(const struct gotypes *ts, enum type_key kind, uint64_t v,
			      const char *name);
/* Puts @n under a key. -ENOMEM. */
int type_link(struct gotypes *ts, enum type_key kind, uint64_t v, struct type_node *n);
/* An empty node that @ts owns, with a copy of @name; NULL: out of memory. */
struct type_node *type_new(struct gotypes *ts, const char *name);

/* The node of an entry, of a descriptor; NULL if it cannot be read. Made once. */
struct type_node *type_of_die(struct gotypes *ts, uint64_t die);
struct type_node *type_of_rt(struct gotypes *ts, uint64_t rt);
/* A struct as the table of offsets has it, with the fields that it knows; NULL if it does not. */
struct type_node *type_of_table(struct gotypes *ts, const char *name);
/* The descriptor of a node, 0 if none. */
uint64_t type_descriptor(struct gotypes *ts, struct type_node *n);

#endif
