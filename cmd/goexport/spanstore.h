/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces in memory, found by their id, newest first, within a number of bytes: when
 * that is full the oldest go and are counted. Spans join their trace whenever they
 * come. Not locked: its owner (a view) does that, because readers keep pointers.
 */
#ifndef GOEXPORT_SPANSTORE_H
#define GOEXPORT_SPANSTORE_H

#include "keptspan.h"

/* Spans that one trace keeps, and its share of the memory; the rest is counted. */
#define STORED_MAX_SPANS 100000
#define STORED_SHARE	 4
#define STORED_SERVICES	 6

struct stored_trace {
	uint8_t id[16];
	struct kept_span *spans;   /* in the order of arrival */
	const struct spanrec *top; /* that which began it, as far as is known */
	uint32_t n_spans, n_errors;
	uint64_t more;	     /* spans past what one trace may keep */
	uint64_t start, end; /* by whatever clocks */
	bool mixed;	     /* its spans are of more than one process */
	uint64_t changed;    /* the store's count of changes when a span last came */
	struct text services[STORED_SERVICES];
	unsigned n_services;		     /* different ones; past STORED_SERVICES not counted */
	struct stored_trace *older, *newer;  /* by when their first span came */
	struct stored_trace *before, *after; /* by when they changed */
	/* private */
	struct kept_span **last;
	size_t bytes;
	struct stored_trace *chain;
};

struct spanstore {
	struct stored_trace *oldest, *newest;
	struct stored_trace *longest_quiet, *just_changed;
	uint64_t n_traces, n_spans, n_errors; /* that are here */
	uint64_t changes;		      /* spans that ever came */
	uint64_t evicted_traces, evicted_spans, cut_spans;
	size_t bytes, max_bytes;
	/* Whether a trace is to be kept for longer, if that is possible; may be NULL. */
	bool (*wanted)(void *arg, const uint8_t id[16]);
	void *arg;
	/* private */
	struct stored_trace **buckets;
};

/* 0 or -ENOMEM. */
int spanstore_init(struct spanstore *s, size_t max_bytes);
void spanstore_release(struct spanstore *s);
/* 0 or -ENOMEM. */
int spanstore_add(struct spanstore *s, const struct spanrec *sp);
struct stored_trace *spanstore_find(const struct spanstore *s, const uint8_t id[16]);

#endif
