/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metrics of requests, computed from all spans: for each label set of a family of
 * meter_table.h a series, with a point for each instrument. Read by whoever renders
 * them. Not thread-safe: the sink that has it locks.
 */
#ifndef GOEXPORT_METERS_H
#define GOEXPORT_METERS_H

#include "activerec.h"
#include "exphist.h"
#include "meter_table.h"
#include "resource.h"
#include "routes.h"
#include "textbuf.h"

struct exemplar {
	uint8_t trace_id[16], span_id[8];
	double value;
	uint64_t time; /* nanoseconds since 1970; 0: there is none */
};

/* What one instrument of a series has counted. */
struct point {
	uint64_t count;
	double sum, min, max;
	double total;	   /* sum in the instrument's steps: exact, where sums of seconds are not */
	uint64_t *buckets; /* n_bounds + 1 of a histogram with bounds, not cumulative */
	struct exphist *exp;	    /* of one without */
	struct exemplar *exemplars; /* one for each bucket, or one; NULL before the first */
};

struct series {
	struct series *next;	   /* of its family, in the order in which they came */
	struct resource *resource; /* held; NULL: of no process */
	struct attr attrs[METER_MAX_LABELS];
	size_t n_attrs;
	struct point *points[METER_MAX_INSTRUMENTS]; /* NULL before the first value */
	uint64_t start;				     /* nanoseconds since 1970 */
	struct textbuf text;			     /* for the renderer's use */
	/* private */
	struct series *chain;
	uint64_t hash;
	char *key;
	size_t key_len;
};

enum exemplar_filter {
	EXEMPLARS_SAMPLED, /* of spans with the sampled flag */
	EXEMPLARS_ALL,
	EXEMPLARS_NONE,
};

struct meters_config {
	uint64_t max_series; /* of one family; what is past them goes into one overflow series */
	bool exponential;
	int max_scale; /* of exponential histograms */
	enum exemplar_filter exemplars;
	const struct routes *routes; /* may be NULL */
};

struct meters;

/* @c is copied, c->routes borrowed. NULL when out of memory. */
struct meters *meters_new(const struct meters_config *c);
void meters_free(struct meters *m);

/* Counts a span whose end was seen, if it is one that a metric is about. */
void meters_span(struct meters *m, const struct spanrec *sp);

/*
 * How many requests of one kind are under way in the process @r, from now on. Past the
 * limit of series they are left out.
 */
void meters_active(struct meters *m, const struct activerec *ar, struct resource *r);

/* A request between two services. */
struct edge {
	struct text client, server;
	const char *type; /* "", "database", "messaging_system", "virtual_node" */
	bool failed;
	double client_seconds, server_seconds; /* negative: not seen */
	const struct spanrec *sp;	       /* for the exemplar; may be NULL */
};
void meters_edge(struct meters *m, const struct edge *e);

/* Forgets the series of processes that had ended by @before (clock_ms()). */
void meters_expire(struct meters *m, int64_t before);
/* All that is counted up to nothing, from now on; for sums of what came since the last time. */
void meters_restart(struct meters *m);

/* The first series of a family, borrowed; NULL if there is none. */
struct series *meters_first(const struct meters *m, enum meter_family_id id);
/* Series of all families. */
size_t meters_count(const struct meters *m);
/* The attribute key of the series for what is past the limit. */
#define METERS_OVERFLOW "otel.metric.overflow"

#endif
