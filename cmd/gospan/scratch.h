/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A text put together of pieces, in memory that is used again for the next one.
 * Without memory the pieces are dropped and scratch_put() says so.
 */
#ifndef GOSPAN_SCRATCH_H
#define GOSPAN_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

/* Starts as zeros; set len to 0 to begin a new text. */
struct scratch {
	char *text;
	size_t len, cap;
};

/* False without memory. */
bool scratch_put(struct scratch *s, const char *text, size_t len);
void scratch_release(struct scratch *s);

#endif
