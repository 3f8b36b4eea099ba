/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runtime type descriptors (src/internal/abi/type.go), which a stripped binary
 * keeps: every type that is ever allocated, converted to an interface or part of
 * such a type has one, and a struct's lists all of its fields. Go 1.17 to 1.27.
 * Used by the reader of types.
 *
 * A struct rtypes borrows its struct gobin. A descriptor is named by its virtual
 * address (load bias 0), 0 is none.
 */
#ifndef GOTAP_RTYPE_H
#define GOTAP_RTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "errinfo.h"
#include "gobin.h"

/* abi.Kind */
enum rtype_kind {
	RTYPE_BOOL = 1,
	RTYPE_INT = 2, /* to INT64 6 */
	RTYPE_INT64 = 6,
	RTYPE_UINT = 7, /* to UINTPTR 12 */
	RTYPE_UINTPTR = 12,
	RTYPE_FLOAT32 = 13,
	RTYPE_FLOAT64 = 14,
	RTYPE_COMPLEX64 = 15,
	RTYPE_COMPLEX128 = 16,
	RTYPE_ARRAY = 17,
	RTYPE_CHAN = 18,
	RTYPE_FUNC = 19,
	RTYPE_INTERFACE = 20,
	RTYPE_MAP = 21,
	RTYPE_PTR = 22,
	RTYPE_SLICE = 23,
	RTYPE_STRING = 24,
	RTYPE_STRUCT = 25,
	RTYPE_UNSAFE_PTR = 26,
};

struct rtype {
	uint64_t addr;
	uint64_t size; /* bytes, of a value */
	enum rtype_kind kind;
	bool named;
	uint64_t count; /* elements of an array, fields of a struct, methods of an interface */
	uint64_t elem;	/* of an array, channel, map, pointer, slice */
	uint64_t key;	/* of a map */
	uint64_t group; /* of a map: its group of slots (1.24 and later), or bucket */
};

struct rtype_text { /* in the file, not terminated */
	const char *p;
	size_t len;
};

struct rtype_field {
	struct rtype_text name;
	uint64_t type;
	uint64_t offset; /* bytes */
	bool embedded;
};

struct rtypes;

/* -ENODATA: no moduledata, or no place of types in it; -EBADMSG; -ENOMEM. */
int rtypes_open(const struct gobin *b, struct rtypes **out, struct errinfo *e);
void rtypes_free(struct rtypes *rs);
/* Where descriptors begin: what DWARF's DW_AT_go_runtime_type counts from. */
uint64_t rtypes_base(const struct rtypes *rs);

/* The descriptor at @addr, checked. -EBADMSG if none can be there. */
int rtype_read(const struct rtypes *rs, uint64_t addr, struct rtype *out);
/* Field @i of a struct that rtype_read() gave. -ENOENT; -EBADMSG. */
int rtype_field(const struct rtypes *rs, const struct rtype *t, uint64_t i,
		struct rtype_field *out);
/*
 * The name with the whole import path ("net/http.Request", "*net/url.URL",
 * "map[string][]string"), to be freed by the caller; of other types without a
 * name ("func(…)", "struct { … }") with short package names. NULL: out of memory
 * or not to be told.
 */
char *rtype_name(const struct rtypes *rs, uint64_t addr);

/*
 * The named type of this name; 0 if there is none, or if there are several
 * (types declared inside functions). The first call to one of these reads all
 * descriptors once.
 */
uint64_t rtypes_find(struct rtypes *rs, const char *name);
/* The pointer type to @elem, the map type of this name; 0 if there is none. */
uint64_t rtypes_pointer_to(struct rtypes *rs, uint64_t elem);
uint64_t rtypes_find_map(struct rtypes *rs, const char *name);
/* Calls @fn for each named type, in order of addresses, until it returns other than 0. */
int rtypes_each(struct rtypes *rs, int (*fn)(void *arg, uint64_t addr), void *arg);

#endif
