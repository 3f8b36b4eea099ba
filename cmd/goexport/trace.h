/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces put together of spans for the terminal. A trace is handed out when all
 * parents that are expected here have come and nothing more came for a while; or
 * when it has waited long; or when too much is held. "A while" is the time of the
 * stream, so that a recording gives the same traces in the same order however fast
 * it is read; the clock on the wall counts only while the input is idle. A trace that
 * never ends is handed out in parts. Called by sink_tree. Memory is bounded by
 * TRACES_MAX_SPANS.
 */
#ifndef GOEXPORT_TRACE_H
#define GOEXPORT_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "spanrec.h"

#define TRACES_MAX_SPANS 20000
/* Of one trace, the longest: so parents stay with their children. The rest is only counted. */
#define TRACE_MAX_SPANS 1000

/* What is shown of a span. Text is cut to what can be seen. */
struct trace_span {
	uint8_t span_id[8], parent_id[8];
	bool has_parent, remote_parent, incomplete, error;
	int64_t code; /* http.response.status_code; 0 if none */
	uint64_t start, end;
	struct text service, what, note; /* what: method and path, or the name */
	char from;			 /* how its parent was found: 's'tack, 'r'emote, … or 0 */
	uint64_t host;			 /* tells hosts apart; 0 if unknown */
	/* for whoever draws it */
	struct trace_span *parent, *child, *sibling;
	bool seen;
	bool skewed;   /* its own clock differs from its parent's */
	int64_t shift; /* nanoseconds that it is drawn later than it says */
	/* private */
	char text[];
};

struct trace {
	uint8_t id[16];
	struct trace_span **spans; /* in no order */
	unsigned n_spans;
	uint64_t more, more_failed; /* spans past TRACE_MAX_SPANS; those of them with errors */
	uint64_t start, end;	    /* of all its spans */
	bool late;		    /* spans of a trace that was handed out before */
	bool goes_on;		    /* it had no end, and is handed out as far as it has come */
	/* private */
	unsigned room;	/* for spans */
	uint64_t since; /* when its first span ended */
	bool rooted;	/* has a span without a parent here */
	struct trace *chain, *older, *newer;
	struct trace_list *list;
};

struct traces;

/* @done gets each trace that is complete, borrowed. NULL when out of memory. */
struct traces *traces_new(void (*done)(void *arg, struct trace *t), void *arg);
void traces_free(struct traces *ts);
/* 0 or -ENOMEM. */
int traces_add(struct traces *ts, const struct spanrec *sp);
/* The same, but time does not go on: nothing is handed out but by traces_finish(). */
int traces_put(struct traces *ts, const struct spanrec *sp);
/* The input has been idle until @now (clock_ms()); whether any trace is still held. */
bool traces_idle(struct traces *ts, int64_t now);
/* Hands out all that are left. */
void traces_finish(struct traces *ts);

#endif
