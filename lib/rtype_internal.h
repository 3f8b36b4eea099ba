/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What rtype.c and rtype_index.c share. Nobody else includes this. Entries are addresses in
 * the binary, which is borrowed and may hold anything.
 */
#ifndef GOTAP_RTYPE_INTERNAL_H
#define GOTAP_RTYPE_INTERNAL_H

#include "rtype.h"

struct rtype_entry {  /* sorted by key */
	uint64_t key; /* hash of the name, or address of the element */
	uint64_t addr;
};

struct rtype_entries {
	struct rtype_entry *v;
	size_t n, cap;
};

struct rtypes {
	const struct gobin *b;
	uint64_t start, end; /* addresses of the region that holds descriptors */
	const uint8_t *p;    /* the same in the file */
	int minor;	     /* of Go's version */
	bool indexed;
	struct rtype_entries named, pointers, maps;
};

/* Whether a descriptor of @kind whose head is at @p can be one; cheap, for scanning. */
bool rtype_head_plausible(const uint8_t *p);
/* The checked name at @addr (the flag byte): its text and *@flags. -EBADMSG. */
int rtype_text_at(const struct rtypes *rs, uint64_t addr, struct rtype_text *out, uint8_t *flags);
/* The name of a named type without package, and its import path. -EBADMSG. */
int rtype_own_name(const struct rtypes *rs, const struct rtype *t, struct rtype_text *path,
		   struct rtype_text *base);
/* The text that the descriptor has, "*" of tflagExtraStar taken off. */
int rtype_string(const struct rtypes *rs, uint64_t addr, struct rtype_text *out);
void rtypes_free_index(struct rtypes *rs);

#endif
