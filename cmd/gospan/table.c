// SPDX-License-Identifier: Apache-2.0
#include "table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BUCKETS 256

/* Doubles the buckets. Failing to grow only makes the chains longer. */
static void grow(struct table *t)
{
	size_t n = t->bucket ? (t->mask + 1) * 2 : FIRST_BUCKETS;
	struct table_node **bucket = calloc(n, sizeof(struct table_node *));

	if (!bucket)
		return;
	for (size_t i = 0; t->bucket && i <= t->mask; i++) {
		struct table_node *node = t->bucket[i], *next;

		for (; node; node = next) {
			next = node->next;
			node->next = bucket[node->hash & (n - 1)];
			bucket[node->hash & (n - 1)] = node;
		}
	}
	free(t->bucket);
	t->bucket = bucket;
	t->mask = n - 1;
}

int table_add(struct table *t, struct table_node *node, uint64_t hash)
{
	if (!t->bucket || t->count > t->mask)
		grow(t);
	if (!t->bucket)
		return -ENOMEM;
	node->hash = hash;
	node->next = t->bucket[hash & t->mask];
	t->bucket[hash & t->mask] = node;
	t->count++;
	return 0;
}

void table_remove(struct table *t, struct table_node *node)
{
	struct table_node **at = &t->bucket[node->hash & t->mask];

	while (*at != node)
		at = &(*at)->next;
	*at = node->next;
	node->next = NULL;
	t->count--;
}

static struct table_node *same_hash(struct table_node *node, uint64_t hash)
{
	while (node && node->hash != hash)
		node = node->next;
	return node;
}

struct table_node *table_find(const struct table *t, uint64_t hash)
{
	return t->bucket ? same_hash(t->bucket[hash & t->mask], hash) : NULL;
}

struct table_node *table_find_next(const struct table_node *node)
{
	return same_hash(node->next, node->hash);
}

void table_release(struct table *t)
{
	free(t->bucket);
	memset(t, 0, sizeof(*t));
}

/* The finaliser of SplitMix64: every bit of the input moves every bit of the hash. */
uint64_t hash_u64(uint64_t h, uint64_t value)
{
	h = (h ^ value) + 0x9e3779b97f4a7c15ull;
	h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9ull;
	h = (h ^ h >> 27) * 0x94d049bb133111ebull;
	return h ^ h >> 31;
}

uint64_t hash_bytes(uint64_t h, const void *data, size_t len)
{
	const char *p = data;
	uint64_t word;

	h = hash_u64(h, len);
	for (; len >= 8; p += 8, len -= 8) {
		memcpy(&word, p, 8);
		h = hash_u64(h, word);
	}
	if (!len)
		return h;
	word = 0;
	memcpy(&word, p, len);
	return hash_u64(h, word);
}
