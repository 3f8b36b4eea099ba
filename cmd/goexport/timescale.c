// SPDX-License-Identifier: Apache-2.0
#include "timescale.h"

#include <stdlib.h>

static uint64_t moved(uint64_t t, int64_t by)
{
	return by < 0 && (uint64_t)-by > t ? 0 : t + (uint64_t)by;
}

static uint64_t start_of(const struct trace_span *s)
{
	return moved(s->start, s->shift);
}

static uint64_t end_of(const struct trace_span *s)
{
	return moved(s->end, s->shift);
}

/* How much later than it says: into the middle of its parent, or from its start on. */
static int64_t skew_of(const struct trace_span *s)
{
	const struct trace_span *up = s->parent;
	uint64_t took = s->end - s->start, room = up->end - up->start;

	if (!s->host || !up->host || s->host == up->host)
		return 0;
	if (start_of(s) >= start_of(up) && end_of(s) <= end_of(up))
		return 0;
	return (int64_t)(start_of(up) - start_of(s) + (took < room ? (room - took) / 2 : 0));
}

/* Parents before their children; one that goes round in a ring is met only once. */
static void put_right(struct trace_span *s)
{
	for (struct trace_span *c = s->child; c; c = c->sibling) {
		if (c->seen)
			continue;
		c->seen = true;
		c->shift = s->shift;
		c->shift += skew_of(c);
		c->skewed = c->shift != s->shift;
		put_right(c);
	}
}

static int by_start(const void *a, const void *b)
{
	uint64_t x = start_of(*(struct trace_span *const *)a);
	uint64_t y = start_of(*(struct trace_span *const *)b);

	return x < y ? -1 : x > y;
}

static void find_gaps(struct timescale *ts, struct trace_span **all, unsigned n)
{
	uint64_t least = (ts->end - ts->start) / TIMESCALE_SHARE, busy = start_of(all[0]);

	for (unsigned i = 0; i < n && ts->n_gaps < TIMESCALE_GAPS; i++) {
		uint64_t start = start_of(all[i]), end = end_of(all[i]);

		if (start > busy && start - busy > least) {
			ts->gap[ts->n_gaps].from = busy;
			ts->gap[ts->n_gaps++].to = start;
		}
		busy = end > busy ? end : busy;
	}
}

void timescale_make(struct timescale *ts, struct trace_span **all, unsigned n)
{
	struct trace_span **sorted = malloc((n + 1) * sizeof(struct trace_span *));

	*ts = (struct timescale){ .start = UINT64_MAX };
	for (unsigned i = 0; i < n; i++)
		all[i]->shift = all[i]->skewed = 0;
	for (unsigned i = 0; i < n; i++)
		if (!all[i]->parent)
			put_right(all[i]);
	for (unsigned i = 0; i < n; i++) {
		ts->start = start_of(all[i]) < ts->start ? start_of(all[i]) : ts->start;
		ts->end = end_of(all[i]) > ts->end ? end_of(all[i]) : ts->end;
		all[i]->seen = false;
		if (sorted)
			sorted[i] = all[i];
	}
	if (!n)
		ts->start = 0;
	if (sorted && n) {
		qsort(sorted, n, sizeof(struct trace_span *), by_start);
		find_gaps(ts, sorted, n);
	}
	free(sorted);
}

uint64_t timescale_cut(const struct timescale *ts)
{
	uint64_t ns = 0;

	for (int i = 0; i < ts->n_gaps; i++)
		ns += ts->gap[i].to - ts->gap[i].from;
	return ns;
}

/* Columns, as a fraction, from the left to the time @t. */
static double column_of(const struct timescale *ts, uint64_t t, int width)
{
	uint64_t drawn = ts->end - ts->start - timescale_cut(ts), before = t - ts->start;
	int cut = 0;

	for (int i = 0; i < ts->n_gaps; i++)
		if (t >= ts->gap[i].to) {
			before -= ts->gap[i].to - ts->gap[i].from;
			cut += TIMESCALE_WIDTH;
		}
	if (!drawn)
		return cut;
	return (double)before * (width - TIMESCALE_WIDTH * ts->n_gaps) / (double)drawn + cut;
}

struct timescale_bar timescale_place(const struct timescale *ts, const struct trace_span *s,
				     int width)
{
	struct timescale_bar bar = { (int)column_of(ts, start_of(s), width),
				     (int)(column_of(ts, end_of(s), width) + 0.5) };

	if (bar.from >= width)
		bar.from = width - 1;
	if (bar.to <= bar.from)
		bar.to = bar.from + 1;
	if (bar.to > width)
		bar.to = width;
	return bar;
}

bool timescale_is_gap(const struct timescale *ts, int column, int width)
{
	for (int i = 0; i < ts->n_gaps; i++) {
		int to = (int)column_of(ts, ts->gap[i].to, width);

		if (column >= to - TIMESCALE_WIDTH && column < to)
			return true;
	}
	return false;
}
