// SPDX-License-Identifier: Apache-2.0
/* Runs of numbers: taken lowest first, given back in any order, never twice. */
#include "../../cmd/goattach/extents.h"

#include <errno.h>
#include <stdlib.h>

#include "tap.h"

static void simple(void)
{
	struct extents x;
	uint32_t a, b, c;

	ok(!extents_init(&x, 10), "ten numbers");
	ok(!extents_take(&x, 4, &a) && a == 0, "the first four");
	ok(!extents_take(&x, 6, &b) && b == 4, "the other six");
	ok(extents_take(&x, 1, &c) == -ENOSPC, "no more");
	ok(!extents_take(&x, 0, &c), "but none of them is always there");
	ok(!extents_give(&x, 0, 4) && !extents_take(&x, 3, &c) && c == 0, "what came back");
	ok(extents_take(&x, 2, &c) == -ENOSPC, "one is left, not two");
	ok(!extents_give(&x, 4, 6) && !extents_take(&x, 7, &c) && c == 3, "neighbours join");
	extents_release(&x);
}

static void joins(void)
{
	struct extents x;
	uint32_t at;

	extents_init(&x, 30);
	extents_take(&x, 30, &at);
	extents_give(&x, 0, 10);
	extents_give(&x, 20, 10);
	is_int((long long)x.count, 2, "two runs apart");
	extents_give(&x, 10, 10);
	is_int((long long)x.count, 1, "are one when the gap closes");
	ok(!extents_take(&x, 30, &at) && at == 0, "all of it can be had");
	extents_give(&x, 20, 10);
	extents_give(&x, 10, 10);
	ok(x.count == 1 && x.free[0].start == 10 && x.free[0].n == 20, "joined to the one behind");
	extents_release(&x);
}

/* Random takes and gives against a plain map of who owns what. */
static void storm(void)
{
	enum { N = 500, RUNS = 40 };
	static char used[N];
	struct extent held[RUNS] = { { 0, 0 } };
	struct extents x;
	int overlaps = 0, odd = 0;

	srandom(7);
	extents_init(&x, N);
	for (int i = 0; i < 20000; i++) {
		struct extent *h = &held[random() % RUNS];

		if (h->n) {
			memset(used + h->start, 0, h->n);
			extents_give(&x, h->start, h->n);
			h->n = 0;
			continue;
		}
		h->n = (uint32_t)(random() % 30 + 1);
		if (extents_take(&x, h->n, &h->start)) {
			h->n = 0;
			continue;
		}
		for (uint32_t j = 0; j < h->n; j++)
			overlaps += used[h->start + j]++ != 0;
	}
	for (size_t i = 0; i < x.count; i++)
		odd += !x.free[i].n ||
		       (i && x.free[i - 1].start + x.free[i - 1].n >= x.free[i].start);
	is_int(overlaps, 0, "no number is handed out twice");
	is_int(odd, 0, "free runs stay in order and apart");
	for (int i = 0; i < RUNS; i++)
		extents_give(&x, held[i].start, held[i].n);
	ok(x.count == 1 && x.free[0].n == N, "all comes back to one run");
	extents_release(&x);
}

int main(void)
{
	simple();
	joins();
	storm();
	return done();
}
