/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metrics of requests, computed from spans: for each kind of span that the
 * semantic conventions 1.44.0 have a duration metric for, one histogram. Which
 * those are, and with what labels, is a table in redmetrics.c. Not thread-safe:
 * sink_prometheus locks.
 */
#ifndef GOEXPORT_REDMETRICS_H
#define GOEXPORT_REDMETRICS_H

#include "spanrec.h"
#include "textbuf.h"

/*
 * Most series of one metric (the specification's cardinality limit); what is past
 * it is counted in one with otel_metric_overflow="true".
 */
#define REDMETRICS_MAX_SERIES 2000

struct redmetrics;

struct redmetrics *redmetrics_new(void);
void redmetrics_free(struct redmetrics *m);

/* Counts a span whose end was seen, if it is one that a metric is about. */
void redmetrics_span(struct redmetrics *m, const struct spanrec *sp);
/* Forgets the series of processes that had ended by @before (clock_ms()). */
void redmetrics_expire(struct redmetrics *m, int64_t before);
void redmetrics_render(const struct redmetrics *m, struct textbuf *p);

#endif
