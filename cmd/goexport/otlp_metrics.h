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

/* Series in one request: it stays well below what receivers take, 4 MiB by gRPC. */
#define METRICS_MAX_SERIES 256

/*
 * Called with each request and how many points are in it. The text is the callee's to
 * free; failures of memory stick to it.
 */
typedef void (*metrics_take)(void *arg, struct textbuf *out, size_t points);

/* As many requests as it takes; none where there are no points. */
void otlp_metrics_requests(const struct meters *m, const struct metrics_request *rq,
			   metrics_take take, void *arg);

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
