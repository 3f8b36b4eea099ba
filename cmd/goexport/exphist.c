// SPDX-License-Identifier: Apache-2.0
#include "exphist.h"

#include <math.h>
#include <string.h>

void exphist_init(struct exphist *h, int scale)
{
	memset(h, 0, sizeof(*h));
	h->scale = scale;
}

/* ceil(log2(v) * 2^scale) - 1, exact where v is a power of two. */
static int64_t index_of(double v, int scale)
{
	int exponent;
	double fraction = frexp(v, &exponent); /* v = fraction * 2^exponent, 0.5 <= fraction < 1 */

	if (fraction == 0.5) { /* 2^(exponent - 1), the upper end of a bucket */
		int64_t log2 = exponent - 1;

		return scale >= 0 ? (log2 * (1LL << scale)) - 1 : ((log2 - 1) >> -scale);
	}
	if (scale <= 0)
		return (int64_t)(exponent - 1) >> -scale;
	return (int64_t)ceil(((double)exponent + log2(fraction)) * (double)(1LL << scale)) - 1;
}

/* Halves the resolution: pairs of buckets become one. */
static void coarsen(struct exphist *h)
{
	uint64_t counts[EXPHIST_BUCKETS] = { 0 };
	int32_t first = h->offset >> 1;

	for (uint32_t i = 0; i < h->n; i++)
		counts[((h->offset + (int32_t)i) >> 1) - first] += h->counts[i];
	if (h->n)
		h->n = (uint32_t)(((h->offset + (int32_t)h->n - 1) >> 1) - first) + 1;
	memcpy(h->counts, counts, sizeof(counts));
	h->offset = first;
	h->scale--;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

void exphist_record(struct exphist *h, double v)
{
	int64_t at, low, high;

	if (!(v > 0)) {
		h->zero++;
		return;
	}
	for (;;) {
		at = index_of(v, h->scale);
		low = h->n ? least(at, h->offset) : at;
		high = h->n ? most(at, (int64_t)h->offset + h->n - 1) : at;
		if (high - low < EXPHIST_BUCKETS && low >= INT32_MIN && high <= INT32_MAX)
			break;
		coarsen(h);
	}
	if (!h->n)
		h->offset = (int32_t)low;
	if (low < h->offset) {
		uint32_t by = (uint32_t)(h->offset - low);

		memmove(h->counts + by, h->counts, h->n * sizeof(*h->counts));
		memset(h->counts, 0, by * sizeof(*h->counts));
		h->offset = (int32_t)low;
	}
	h->n = (uint32_t)(high - low) + 1;
	h->counts[at - h->offset]++;
}
