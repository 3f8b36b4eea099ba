/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metrics of requests as an ExportMetricsServiceRequest (opentelemetry-proto v1.11.0,
 * metrics/v1), in protobuf or JSON. Called by sink_otlp_metrics.
 */
#ifndef GOEXPORT_OTLP_METRICS_H
#define GOEXPORT_OTLP_METRICS_H

#include "meters.h"
#include "textbuf.h"

struct metrics_request {
	bool json;
	bool delta;    /* temporality: what came since the start of each series */
	uint64_t time; /* now, nanoseconds since 1970 */
};

/*
 * Into @out, which is empty. How many points are in it; 0 is no request. Failures of
 * memory stick to @out.
 */
size_t otlp_metrics_request(const struct meters *m, const struct metrics_request *rq,
			    struct textbuf *out);

/* A metric of one resource: those of @series (NULL-ended by @n) that have a point for @i. */
struct metric_view {
	const struct meter_family *family;
	const struct instrument *in;
	int i;
	struct series *const *series;
	size_t n;
};

/* For otlp_metrics.c: one Metric, appended; how many points that were. */
size_t otlp_metrics_pb(const struct metric_view *v, const struct metrics_request *rq,
		       struct textbuf *out);
size_t otlp_metrics_json(const struct metric_view *v, const struct metrics_request *rq,
			 struct textbuf *out);

#endif
