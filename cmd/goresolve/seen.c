// SPDX-License-Identifier: Apache-2.0
#include "seen.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static size_t hash(const char *s)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3;
	return (size_t)(h ^ (h >> 32));
}

/* The slot that holds @name, or the free one where it belongs. */
static char **find(char **slot, size_t cap, const char *name)
{
	size_t i = hash(name) & (cap - 1);

	while (slot[i] && strcmp(slot[i], name))
		i = (i + 1) & (cap - 1);
	return &slot[i];
}

bool seen_has(const struct seen *s, const char *name)
{
	return s->cap && *find(s->slot, s->cap, name);
}

static int grow(struct seen *s)
{
	size_t cap = s->cap ? 2 * s->cap : 16;
	char **slot = calloc(cap, sizeof(*slot));

	if (!slot)
		return -ENOMEM;
	for (size_t i = 0; i < s->cap; i++)
		if (s->slot[i])
			*find(slot, cap, s->slot[i]) = s->slot[i];
	free(s->slot);
	s->slot = slot;
	s->cap = cap;
	return 0;
}

int seen_add(struct seen *s, const char *name)
{
	char **at;

	if (seen_has(s, name))
		return 0;
	if (s->n * 2 >= s->cap && grow(s))
		return -ENOMEM;
	at = find(s->slot, s->cap, name);
	*at = strdup(name);
	if (!*at)
		return -ENOMEM;
	s->n++;
	return 1;
}

void seen_release(struct seen *s)
{
	for (size_t i = 0; i < s->cap; i++)
		free(s->slot[i]);
	free(s->slot);
	memset(s, 0, sizeof(*s));
}
