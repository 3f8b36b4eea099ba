/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How requests go, by service and route: rates, errors and durations, over all time
 * and lately, with the traces to look at. For --top and the page. Counted are the
 * spans that enter a service: server and consumer spans, and those without a parent
 * here. "Now" is the time of the stream, so that a recording gives the same numbers
 * however fast it is read. Not locked: its owner does that.
 */
#ifndef GOEXPORT_TRAFFIC_H
#define GOEXPORT_TRAFFIC_H

#include "spanrec.h"

/* Different routes; what is past them is counted in one named "(other)". */
#define TRAFFIC_MAX	1000
#define TRAFFIC_SECONDS 60
/* All durations; from 128 ns on, eight buckets for each power of two. */
#define TRAFFIC_STEPS	8
#define TRAFFIC_BUCKETS (57 * TRAFFIC_STEPS)

struct histogram {
	uint64_t count, sum, max; /* nanoseconds */
	uint32_t bucket[TRAFFIC_BUCKETS];
};

struct exemplar {
	uint8_t trace_id[16];
	uint64_t duration;
	bool set;
};

struct route {
	struct text service, name;
	enum span_kind kind;
	uint64_t errors;
	struct histogram all;
	struct histogram recent[2]; /* of this minute and of the one before */
	uint32_t recent_errors[2];
	struct exemplar slowest[2], failed; /* slowest: as recent; failed: the last */
	uint32_t second[TRAFFIC_SECONDS], second_errors[TRAFFIC_SECONDS];
	/* private */
	struct route *chain;
};

struct traffic {
	struct route *route[TRAFFIC_MAX + 1];
	size_t n;
	uint64_t now;	/* seconds; 0: nothing has come */
	uint64_t first; /* the second of the first span */
	uint64_t spans; /* counted here */
	/* private */
	struct route *bucket[1024];
	unsigned strange;
	int64_t came_at;
};

struct traffic *traffic_new(void);
void traffic_free(struct traffic *r);
/* 0 or -ENOMEM. @now is clock_ms(). */
int traffic_span(struct traffic *r, const struct spanrec *sp, int64_t now);
/* Nothing may have come for a while, but time goes on. @now is clock_ms(). */
void traffic_idle(struct traffic *r, int64_t now);
/* Forgets everything but the names. */
void traffic_clear(struct traffic *r);

/* Whether the trace is one that a route points to. */
bool traffic_want(const struct traffic *r, const uint8_t trace_id[16]);
/* Of the last minute, a second; the second that is not over does not count. */
double traffic_rate(const struct traffic *r, const uint32_t second[TRAFFIC_SECONDS]);
/* The count @ago seconds before now. */
uint32_t traffic_at(const struct traffic *r, const uint32_t second[TRAFFIC_SECONDS], unsigned ago);
/* Of this minute and the one before. */
struct histogram route_recent(const struct route *r);
/* Nanoseconds; @q from 0 to 1. 0 where nothing is counted. */
uint64_t histogram_quantile(const struct histogram *h, double q);
/* The upper end of bucket @i, in nanoseconds. */
uint64_t histogram_bound(unsigned i);

#endif
