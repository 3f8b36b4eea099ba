// SPDX-License-Identifier: Apache-2.0
/*
 * All type descriptors of a binary, found by looking at each aligned address of
 * their region: a walk in sequence, or from typelinks, misses some in Go 1.27.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rtype_internal.h"

#define HEAD 48
/* The largest programs have some ten thousand. */
#define MAX_ENTRIES (1u << 20)

static int push(struct rtype_entries *es, uint64_t key, uint64_t addr)
{
	if (es->n == es->cap) {
		size_t cap = es->cap ? 2 * es->cap : 256;
		struct rtype_entry *v = cap > MAX_ENTRIES ? NULL : realloc(es->v, cap * sizeof(*v));

		if (!v)
			return -ENOMEM;
		es->v = v;
		es->cap = cap;
	}
	es->v[es->n++] = (struct rtype_entry){ key, addr };
	return 0;
}

static uint64_t hash(uint64_t h, const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		h = (h ^ (uint8_t)p[i]) * 0x100000001b3ull;
	return h;
}

#define HASH_START 0xcbf29ce484222325ull

static bool printable(const struct rtype_text *t)
{
	for (size_t i = 0; i < t->len; i++)
		if ((uint8_t)t->p[i] < ' ')
			return false;
	return true;
}

/* Whether all fields of a struct can be right; *@budget bounds the work of all. */
static bool fields_plausible(const struct rtypes *rs, const struct rtype *t, uint64_t *budget)
{
	struct rtype_field f;
	uint64_t last = 0;

	for (uint64_t i = 0; i < t->count; i++) {
		if (!*budget || rtype_field(rs, t, i, &f) || f.offset < last ||
		    f.name.len > *budget)
			return false;
		*budget -= 1 + f.name.len;
		if (!printable(&f.name))
			return false;
		last = f.offset;
	}
	return true;
}

/* Whether values of this kind can have a type of the language itself: "string", "int". */
static bool is_basic(enum rtype_kind kind)
{
	return kind <= RTYPE_COMPLEX128 || kind == RTYPE_STRING;
}

static int add(struct rtypes *rs, uint64_t addr, uint64_t *budget)
{
	struct rtype_text path, base, text;
	struct rtype t;

	if (rtype_read(rs, addr, &t) || rtype_string(rs, addr, &text) || text.len > *budget)
		return 0;
	*budget -= text.len;
	if (!printable(&text) || (t.kind == RTYPE_STRUCT && !fields_plausible(rs, &t, budget)))
		return 0;
	if (!t.named) {
		if (t.kind == RTYPE_PTR && text.p[0] == '*')
			return push(&rs->pointers, t.elem, addr);
		if (t.kind == RTYPE_MAP && text.len > 4 && !memcmp(text.p, "map[", 4))
			return push(&rs->maps, addr, addr);
		return 0;
	}
	if (rtype_own_name(rs, &t, &path, &base))
		return is_basic(t.kind) && !memchr(text.p, '.', text.len)
			       ? push(&rs->named, hash(HASH_START, text.p, text.len), addr)
			       : 0;
	if (path.len > *budget || !printable(&path))
		return 0;
	*budget -= path.len;
	return push(&rs->named,
		    hash(hash(hash(HASH_START, path.p, path.len), ".", 1), base.p, base.len), addr);
}

static int by_key(const void *a, const void *b)
{
	const struct rtype_entry *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static void sort(struct rtype_entries *es)
{
	if (es->n)
		qsort(es->v, es->n, sizeof(*es->v), by_key);
}

static void build(struct rtypes *rs)
{
	uint64_t size = rs->end - rs->start, budget = 8 * size;

	rs->indexed = true;
	for (uint64_t i = -rs->start & 7; size >= HEAD && i <= size - HEAD && budget; i += 8)
		if (rtype_head_plausible(rs->p + i) && add(rs, rs->start + i, &budget))
			break; /* out of memory or of bounds: what is there is right, if not all */
	sort(&rs->named);
	sort(&rs->pointers);
	sort(&rs->maps);
}

/* The first entry with a key not below @key. */
static size_t lower_bound(const struct rtype_entries *es, uint64_t key)
{
	size_t lo = 0, hi = es->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (es->v[mid].key < key)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool has_name(const struct rtypes *rs, uint64_t addr, const char *name)
{
	char *s = rtype_name(rs, addr);
	bool same = s && !strcmp(s, name);

	free(s);
	return same;
}

uint64_t rtypes_find(struct rtypes *rs, const char *name)
{
	uint64_t key = hash(HASH_START, name, strlen(name)), found = 0;

	if (!rs->indexed)
		build(rs);
	for (size_t i = lower_bound(&rs->named, key); i < rs->named.n; i++) {
		if (rs->named.v[i].key != key)
			break;
		if (!has_name(rs, rs->named.v[i].addr, name))
			continue;
		if (found)
			return 0;
		found = rs->named.v[i].addr;
	}
	return found;
}

uint64_t rtypes_pointer_to(struct rtypes *rs, uint64_t elem)
{
	size_t i;

	if (!rs->indexed)
		build(rs);
	i = lower_bound(&rs->pointers, elem);
	return i < rs->pointers.n && rs->pointers.v[i].key == elem ? rs->pointers.v[i].addr : 0;
}

uint64_t rtypes_find_map(struct rtypes *rs, const char *name)
{
	if (!rs->indexed)
		build(rs);
	for (size_t i = 0; i < rs->maps.n; i++)
		if (has_name(rs, rs->maps.v[i].addr, name))
			return rs->maps.v[i].addr;
	return 0;
}

static int by_addr(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

int rtypes_each(struct rtypes *rs, int (*fn)(void *arg, uint64_t addr), void *arg)
{
	uint64_t *addrs;
	int r = 0;

	if (!rs->indexed)
		build(rs);
	addrs = malloc((rs->named.n + 1) * sizeof(*addrs));
	if (!addrs)
		return -ENOMEM;
	for (size_t i = 0; i < rs->named.n; i++)
		addrs[i] = rs->named.v[i].addr;
	qsort(addrs, rs->named.n, sizeof(*addrs), by_addr);
	for (size_t i = 0; i < rs->named.n && !r; i++)
		r = fn(arg, addrs[i]);
	free(addrs);
	return r;
}

void rtypes_free_index(struct rtypes *rs)
{
	free(rs->named.v);
	free(rs->pointers.v);
	free(rs->maps.v);
}
