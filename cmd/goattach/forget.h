/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forgetting what goroutines have inherited. Their entries go when their memory is used
 * for another goroutine, but a program may never again have as many: so they are looked
 * through, a piece at a time, and those of spans that ended long ago are deleted.
 */
#ifndef GOATTACH_FORGET_H
#define GOATTACH_FORGET_H

#include "tracer.h"

/* The next piece; @now is CLOCK_MONOTONIC. To be called about once a second. */
void forget_some(struct tracer *t, uint64_t now);

#endif
