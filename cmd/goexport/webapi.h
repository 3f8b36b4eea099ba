/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the page's server answers, as JSON; goexport(1) documents it. Each call takes
 * the lock of @d itself, but webapi_summary(). Times are strings of nanoseconds since
 * 1970, durations numbers of nanoseconds.
 */
#ifndef GOEXPORT_WEBAPI_H
#define GOEXPORT_WEBAPI_H

#include "filter.h"
#include "jsonw.h"
#include "webdata.h"

/* The most traces in one answer. */
#define WEBAPI_MAX_TRACES 10000

/* One trace in a list, as an item of an array. The caller holds the lock. */
void webapi_summary(struct jsonw *w, const struct stored_trace *t);

/* Up to @limit traces that @f wants, newest first. */
void webapi_traces(struct jsonw *w, struct webdata *d, const struct filter *f, size_t limit);
/* A whole trace without attributes; false if it is not there. */
bool webapi_trace(struct jsonw *w, struct webdata *d, const uint8_t id[16]);
/* One span with all that it has; false if it is not there. */
bool webapi_span(struct jsonw *w, struct webdata *d, const uint8_t trace[16], const uint8_t id[8]);
/* By service and route, with histograms. */
void webapi_routes(struct jsonw *w, struct webdata *d);
/* Who calls whom, of the newest spans. */
void webapi_graph(struct jsonw *w, struct webdata *d);
/* The pipeline's own health; @pages: how many are open. */
void webapi_health(struct jsonw *w, struct webdata *d, unsigned pages);

#endif
