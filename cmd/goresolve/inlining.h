/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which functions of a binary were inlined, and where: of a function that has no
 * code of its own all calls are, and no probe can see any; of another some may be.
 * Read when first asked for. Belongs to a struct binary, which its pointers refer to.
 */
#ifndef GORESOLVE_INLINING_H
#define GORESOLVE_INLINING_H

#include <stddef.h>

#include "inltree.h"

struct inlining; /* of one binary */

/* All calls of one function that were inlined. */
struct inlined_name {
	const char *name;
	const struct inlined *calls; /* in order of addresses of the functions they are in */
	size_t n;
};

/* Never fails: what cannot be read counts as nothing, with a reason in inlining_error(). */
struct inlining *inlining_new(const struct gobin *b, const struct gofuncs *fs);
void inlining_free(struct inlining *in);
/* Why nothing is known, "" if all is. -ENOMEM has no other sign. */
const char *inlining_error(struct inlining *in);
/* The same, but nothing is read for it: "" too where nobody has asked for an answer. */
const char *inlining_warning(const struct inlining *in);

/* In order of names. */
size_t inlining_names(struct inlining *in, const struct inlined_name **out);
/* Of the function of exactly this name, as the binary has it; n is 0 if none was. */
struct inlined_name inlining_find(struct inlining *in, const char *name);

/* "main.f at 0x4a0, main.g at 0x4b0 and 5 more". */
void inlining_text(const struct inlined_name *n, char *buf, size_t len);

#endif
