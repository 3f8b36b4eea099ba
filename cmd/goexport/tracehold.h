/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lets through the traces that a filter wants, whole: the spans of a trace are held
 * until one of them is wanted (then all go out, and those that still come, too) or no
 * more are expected (then all are dropped). By the time of the stream, so that a
 * recording gives the same however fast it is read; bounded. Called by the exporter.
 */
#ifndef GOEXPORT_TRACEHOLD_H
#define GOEXPORT_TRACEHOLD_H

#include "filter.h"
#include "keptspan.h"

/* Spans held, and bytes of them; past that the oldest traces are given up undecided. */
#define TRACEHOLD_SPANS 200000
#define TRACEHOLD_BYTES (128u << 20)
/* Wanted traces that are remembered, for their late spans. */
#define TRACEHOLD_WANTED 50000

struct tracehold;

/* @out gets each span that is wanted; @f is borrowed. NULL when out of memory. */
struct tracehold *tracehold_new(const struct filter *f,
				void (*out)(void *arg, const struct spanrec *sp), void *arg);
void tracehold_free(struct tracehold *h);
/* 0 or -ENOMEM. */
int tracehold_span(struct tracehold *h, const struct spanrec *sp);
/* The input has been idle until @now (clock_ms()); whether any span is held. */
bool tracehold_idle(struct tracehold *h, int64_t now);
/* No more spans come: says how many traces were let through. */
void tracehold_finish(struct tracehold *h);

#endif
