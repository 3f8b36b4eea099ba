/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the ring to event lines in the output buffer. Called by loop.c, and by tracer.c to set
 * it up; what it needs belongs to the tracer. Output that fails is noted there.
 */
#ifndef GOATTACH_DRAIN_H
#define GOATTACH_DRAIN_H

#include <stddef.h>

#include "errinfo.h"
#include "tracer.h"

int drain_init(struct tracer *t, struct errinfo *e);
void drain_release(struct tracer *t);
/*
 * Reads what is in the ring; how many records that were. Flushes when much is held;
 * a failure of that is in t->failed, and ends the reading.
 */
size_t drain(struct tracer *t);
/* All that is there now. */
void drain_all(struct tracer *t);

#endif
