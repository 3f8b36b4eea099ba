// SPDX-License-Identifier: Apache-2.0
#include "arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_SIZE 8192

struct arena_chunk {
	struct arena_chunk *next;
	size_t used, size;
	alignas(max_align_t) unsigned char data[];
};

static struct arena_chunk *chunk_add(struct arena *a, size_t size)
{
	struct arena_chunk *c;

	if (size < CHUNK_SIZE)
		size = CHUNK_SIZE;
	c = malloc(sizeof(*c) + size);
	if (!c)
		return NULL;
	c->next = a->chunk;
	c->used = 0;
	c->size = size;
	a->chunk = c;
	return c;
}

void *arena_take(struct arena *a, size_t size)
{
	const size_t align = alignof(max_align_t);
	struct arena_chunk *c = a->chunk;
	void *p;

	if (size > SIZE_MAX / 2)
		return NULL;
	size = (size + align - 1) / align * align;
	if (!c || c->size - c->used < size)
		c = chunk_add(a, size);
	if (!c)
		return NULL;
	p = c->data + c->used;
	c->used += size;
	return p;
}

void *arena_array(struct arena *a, size_t n, size_t size)
{
	size_t total;

	return __builtin_mul_overflow(n, size, &total) ? NULL : arena_take(a, total);
}

char *arena_copy(struct arena *a, const char *p, size_t len)
{
	char *s = len < SIZE_MAX ? arena_take(a, len + 1) : NULL;

	if (!s)
		return NULL;
	if (len)
		memcpy(s, p, len);
	s[len] = '\0';
	return s;
}

void arena_reset(struct arena *a)
{
	struct arena_chunk *keep = NULL, *next;

	for (struct arena_chunk *c = a->chunk; c; c = next) {
		next = c->next;
		if (!keep && c->size == CHUNK_SIZE) {
			keep = c;
			keep->used = 0;
		} else {
			free(c);
		}
	}
	if (keep)
		keep->next = NULL;
	a->chunk = keep;
}

void arena_release(struct arena *a)
{
	arena_reset(a);
	free(a->chunk);
	a->chunk = NULL;
}
