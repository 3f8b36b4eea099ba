/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The settings of metrics from options and variables, for both sinks that have them. Each
 * sink owns what it has and locks it; a wrong setting fails when the sink is opened.
 */
#ifndef GOEXPORT_METERING_H
#define GOEXPORT_METERING_H

#include "errinfo.h"
#include "meters.h"
#include "options.h"

/* The metrics of one sink: series, and the graph between services. */
struct metering {
	struct meters *meters;
	struct graph *graph;
	struct routes *routes;
};

/*
 * Also read: OTEL_METRICS_EXEMPLAR_FILTER. @max_scale bounds exponential histograms.
 * 0, -EINVAL for a bad pattern of routes, or -ENOMEM, with the reason in @e; then there
 * is nothing to release.
 */
int metering_init(struct metering *m, const struct options *o, bool exponential, int max_scale,
		  struct errinfo *e);
void metering_release(struct metering *m);
/* A span that came at @now (clock_ms()). */
void metering_span(struct metering *m, const struct spanrec *sp, int64_t now);

#endif
