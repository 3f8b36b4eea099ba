/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash table whose links are inside the things that it finds, so that adding
 * and removing allocate nothing. The caller owns the nodes, computes their
 * hashes and compares keys; several nodes may have one hash. Only the bucket
 * array is owned here; it grows as nodes are added and never shrinks.
 */
#ifndef GOSPAN_TABLE_H
#define GOSPAN_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct table_node {
	struct table_node *next;
	uint64_t hash;
};

/* Starts as zeros. */
struct table {
	struct table_node **bucket;
	size_t mask; /* buckets - 1, 0 before the first table_add() */
	size_t count;
};

/* The struct of type @type that has @node as its member @member. */
#define table_entry(node, type, member) ((type *)((char *)(node)-offsetof(type, member)))

/* 0, or -ENOMEM when not even the first bucket array could be had. */
int table_add(struct table *t, struct table_node *node, uint64_t hash);
/* @node must be in the table. */
void table_remove(struct table *t, struct table_node *node);

/* The first node with @hash, and the one after @node with the same hash; or NULL. */
struct table_node *table_find(const struct table *t, uint64_t hash);
struct table_node *table_find_next(const struct table_node *node);

/* Frees the bucket array, not the nodes. */
void table_release(struct table *t);

/* Mixes @value into the hash @h; and the same for bytes. Start with any @h. */
uint64_t hash_u64(uint64_t h, uint64_t value);
uint64_t hash_bytes(uint64_t h, const void *data, size_t len);

#endif
