/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The common scale of time on which a trace is drawn. Spans that the clock of another
 * host puts outside of their parents are moved into them; long times in which no span
 * ran are cut to a few columns. Called by waterfall.c.
 */
#ifndef GOEXPORT_TIMESCALE_H
#define GOEXPORT_TIMESCALE_H

#include "trace.h"

/* Of the whole: a shorter time of idleness is drawn as it is; so there are at most 3. */
#define TIMESCALE_SHARE 4
#define TIMESCALE_GAPS	3
#define TIMESCALE_WIDTH 2 /* columns of what is cut out */

struct timescale {
	uint64_t start, end; /* after clocks are put right */
	struct {
		uint64_t from, to;
	} gap[TIMESCALE_GAPS];
	int n_gaps;
};

struct timescale_bar {
	int from, to; /* columns: at least one */
};

/* From all spans of a trace in the order of their start, linked; sets their shift. */
void timescale_make(struct timescale *ts, struct trace_span **all, unsigned n);
/* Where a span is drawn, in @width columns. */
struct timescale_bar timescale_place(const struct timescale *ts, const struct trace_span *s,
				     int width);
/* Whether a column stands for time that was cut out. */
bool timescale_is_gap(const struct timescale *ts, int column, int width);
/* How much was, in nanoseconds. */
uint64_t timescale_cut(const struct timescale *ts);

#endif
