/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Losses, totals, and the clock: records that come by time, not by event. Called by loop.c
 * and, for the last time, by ending.c; they go to the tracer's output, whose failure is
 * noted there.
 */
#ifndef GOATTACH_REPORT_H
#define GOATTACH_REPORT_H

#include <stdint.h>

#include "tracer.h"

/* What was lost of this process since the last time, as lost records; adds up totals. */
void report_process(struct tracer *t, struct process *p);
/* The same for all processes. */
void report_losses(struct tracer *t);
/* A stats record, if anything has changed since the last one. */
void report_stats(struct tracer *t);

#endif
