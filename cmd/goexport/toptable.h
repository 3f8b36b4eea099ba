/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of --top as text: one line for each service and route. Made of the
 * traffic under its lock, drawn after that. Called by sink_top and topscreen.
 */
#ifndef GOEXPORT_TOPTABLE_H
#define GOEXPORT_TOPTABLE_H

#include "textbuf.h"
#include "traffic.h"

enum top_order {
	TOP_RATE,
	TOP_ERRORS,
	TOP_P50,
	TOP_P95,
	TOP_P99,
	TOP_MAX,
	TOP_NAME,
	TOP_ORDERS,
};

struct top_row {
	struct text service, name; /* borrowed from the traffic, whose routes stay */
	double rate, error_rate;
	uint64_t count, errors, p50, p95, p99, max; /* lately: of a minute or two */
	uint32_t seconds[TRAFFIC_SECONDS];	    /* the newest last */
	struct exemplar slowest, failed;
};

struct top_table {
	struct top_row *rows;
	size_t n;
	double rate, error_rate; /* of all */
	uint64_t now;		 /* seconds since 1970 */
};

/*
 * Those routes of which service or name hold @filter (whatever the case), in order.
 * Frees what @t held before. 0 or -ENOMEM.
 */
int top_table_make(struct top_table *t, const struct traffic *traffic, const char *filter,
		   enum top_order order);
void top_table_release(struct top_table *t);

/* The name of an order, as in the heads of columns. */
const char *top_order_name(enum top_order order);
/* One line each, without a line feed, exactly @width columns. */
void top_table_head(struct textbuf *b, enum top_order order, int width, bool utf8);
void top_table_row(struct textbuf *b, const struct top_row *r, int width, bool utf8);
/* The line above: time and sums. */
void top_table_sums(struct textbuf *b, const struct top_table *t);

#endif
