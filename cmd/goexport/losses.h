/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What other stages lost, summed up by place and reason, for a warning when it
 * begins, a metric, and the totals at the end. Bounded.
 */
#ifndef GOEXPORT_LOSSES_H
#define GOEXPORT_LOSSES_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"

#define LOSSES_MAX 32

struct loss {
	char where[32], reason[32];
	uint64_t count, first; /* first: of the first record alone */
};

struct losses {
	struct loss loss[LOSSES_MAX];
	unsigned n;
	uint64_t others; /* of places past LOSSES_MAX */
};

/* What a lost record says; text is cut to fit. */
struct loss loss_of(struct text where, struct text reason, uint64_t count);
/* Adds it; true if it is the first of its place and reason. */
bool losses_add(struct losses *l, const struct loss *loss);
/* Warns about the totals that grew since their first. */
void losses_report(const struct losses *l);

#endif
