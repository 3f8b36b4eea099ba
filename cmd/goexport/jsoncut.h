/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON cut into its values without being parsed, for texts too long for jsonv: where
 * does the value that begins here end? Strings and nesting are followed, nothing else
 * is checked; what is cut out is parsed by jsonv, which does. Nothing allocates.
 */
#ifndef GOEXPORT_JSONCUT_H
#define GOEXPORT_JSONCUT_H

#include <stdbool.h>
#include <stddef.h>

struct jsoncut {
	const char *p, *end; /* what is left */
	bool broken;	     /* ended in the middle of something */
};

struct jsonpiece {
	const char *p;
	size_t len;
};

/* The next value, white space and commas passed over; false at the end. */
bool jsoncut_value(struct jsoncut *c, struct jsonpiece *out);
/* Goes into a piece that is an array or object; false if it is neither. */
bool jsoncut_into(struct jsonpiece piece, char open, struct jsoncut *out);
/* The next member of an object that was gone into: key with its quotes, and value. */
bool jsoncut_member(struct jsoncut *c, struct jsonpiece *key, struct jsonpiece *value);

#endif
