// SPDX-License-Identifier: Apache-2.0
/* gospan's hash table against a list, and its hash functions. */
#include "../../cmd/gospan/table.h"

#include <errno.h>
#include <stdlib.h>

#include "memlimit.h"
#include "tap.h"

#define N 20000

struct thing {
	uint64_t before;
	struct table_node node;
	int in;
};

static struct thing things[N];

static int found(const struct table *t, struct thing *x, uint64_t hash)
{
	for (struct table_node *n = table_find(t, hash); n; n = table_find_next(n))
		if (table_entry(n, struct thing, node) == x)
			return 1;
	return 0;
}

static int disagreements(const struct table *t, uint64_t (*hash)(int))
{
	int wrong = 0;

	for (int i = 0; i < N; i++)
		wrong += found(t, &things[i], hash(i)) != things[i].in;
	return wrong;
}

static uint64_t spread(int i)
{
	return hash_u64(0, (uint64_t)i);
}

/* Fifty things to a hash. */
static uint64_t crowded(int i)
{
	return (uint64_t)(i / 50);
}

static void test_against_list(uint64_t (*hash)(int), const char *name)
{
	struct table t = { 0 };
	size_t in = 0;

	memset(things, 0, sizeof(things));
	for (int i = 0; i < N; i++) {
		things[i].in = !table_add(&t, &things[i].node, hash(i));
		in += (size_t)things[i].in;
	}
	ok(t.count == N && in == N && !disagreements(&t, hash), "%s: all are found", name);
	ok(t.mask + 1 >= N && t.mask < 4 * N, "%s: a bucket for each, not many more", name);
	for (int i = 0; i < N; i++)
		if (i % 3 == 1 || i % 7 == 0) {
			table_remove(&t, &things[i].node);
			things[i].in = 0;
			in--;
		}
	ok(t.count == in && !disagreements(&t, hash), "%s: some are gone", name);
	for (int i = 0; i < N; i += 7) {
		things[i].in = !table_add(&t, &things[i].node, hash(i));
		in++;
	}
	ok(t.count == in && !disagreements(&t, hash), "%s: some are back", name);
	table_release(&t);
	ok(!t.count && !table_find(&t, hash(0)), "%s: empty after release", name);
}

static void test_without_memory(void)
{
	struct table t = { 0 };
	struct thing x = { 0 };
	void **taken = NULL, **more;
	int n = 0;

	/* Everything malloc has at hand is taken first. */
	if (!memlimit_set(0))
		return;
	for (size_t size = 1 << 10; size >= 16; size /= 8)
		for (; (more = malloc(size)); n++) {
			*more = (void *)taken;
			taken = more;
		}
	is_int(table_add(&t, &x.node, 1), -ENOMEM, "no memory for the first buckets");
	memlimit_lift();
	for (; taken; taken = more) {
		more = *taken;
		free((void *)taken);
	}
	is_int(table_add(&t, &x.node, 1), 0, "added when there is");
	ok(n >= 0 && table_find(&t, 1) == &x.node, "and found");
	table_release(&t);
}

static void test_hashes(void)
{
	uint64_t a = hash_bytes(0, "http.server", 11);
	unsigned low[256] = { 0 }, most = 0;

	ok(a == hash_bytes(0, "http.server", 11), "the same bytes, the same hash");
	ok(a != hash_bytes(0, "http.serves", 11) && a != hash_bytes(0, "http.server", 10) &&
		   a != hash_bytes(1, "http.server", 11),
	   "another byte, length or start, another hash");
	ok(hash_bytes(0, "", 0) != hash_bytes(0, "\0", 1), "a NUL counts");
	ok(hash_bytes(0, "12345678", 8) != hash_bytes(0, "12345678\0", 9), "also after a word");
	for (uint64_t i = 0; i < 256 * 256; i++)
		low[hash_u64(0, i << 20) & 255]++;
	for (int i = 0; i < 256; i++)
		most = low[i] > most ? low[i] : most;
	ok(most < 400, "regular numbers spread over the buckets"); /* 256 on average */
}

int main(void)
{
	ok(!table_find(&(struct table){ 0 }, 1), "nothing is found in an empty table");
	test_against_list(spread, "different hashes");
	test_against_list(crowded, "equal hashes");
	test_hashes();
	test_without_memory();
	return done();
}
