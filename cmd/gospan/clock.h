/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From CLOCK_MONOTONIC to CLOCK_REALTIME by the stream's clock records. A call
 * is dated once, when it begins; its length is monotonic time, so that a step of
 * the real clock never makes a span longer, shorter or negative.
 */
#ifndef GOSPAN_CLOCK_H
#define GOSPAN_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Starts as zeros. */
struct clock {
	int64_t real_minus_mono; /* ns; modulo 2^64, so that any two times have one */
	bool known;
};

static inline void clock_set(struct clock *c, uint64_t mono, uint64_t real)
{
	c->real_minus_mono = (int64_t)(real - mono);
	c->known = true;
}

/* The real time of @mono, ns since 1970. */
static inline uint64_t clock_real(const struct clock *c, uint64_t mono)
{
	return mono + (uint64_t)c->real_minus_mono;
}

#endif
