/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set of strings: the binaries whose plan has been written, so that 100 processes
 * of one binary cost one resolve.
 */
#ifndef GORESOLVE_SEEN_H
#define GORESOLVE_SEEN_H

#include <stdbool.h>
#include <stddef.h>

struct seen { /* zeros to begin with */
	char **slot;
	size_t n, cap; /* cap: a power of two, or 0 */
};

bool seen_has(const struct seen *s, const char *name);
/* 1 if @name is new, 0 if it was there; -ENOMEM. */
int seen_add(struct seen *s, const char *name);
void seen_release(struct seen *s);

#endif
