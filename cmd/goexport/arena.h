/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that is taken in small pieces and given back all at once: what one
 * record needs, or one request, or what one resource holds for good. The owner
 * initialises the struct with zeros. Only taking can fail (NULL).
 */
#ifndef GOEXPORT_ARENA_H
#define GOEXPORT_ARENA_H

#include <stddef.h>

struct arena_chunk;

struct arena {
	struct arena_chunk *chunk;
};

/* @size bytes, aligned for any type, not zeroed. */
void *arena_take(struct arena *a, size_t size);
/* The same for an array, safe against overflow. */
void *arena_array(struct arena *a, size_t n, size_t size);
/* A copy of @len bytes and a NUL after them. */
char *arena_copy(struct arena *a, const char *p, size_t len);
/* Everything taken is gone; one chunk of ordinary size is kept for reuse. */
void arena_reset(struct arena *a);
void arena_release(struct arena *a);

#endif
