/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What gospan counts: its totals, which its stats record gives, and what was
 * lost, which lost records give as it grows.
 */
#ifndef GOSPAN_COUNTS_H
#define GOSPAN_COUNTS_H

#include <stdint.h>

#include "jsonw.h"

/* X(NAME, "key in counters") */
#define COUNTERS(X)                                                                                \
	X(EVENTS, "events")	    /* event records read */                                       \
	X(SPANS, "spans")	    /* span records written */                                     \
	X(INCOMPLETE, "incomplete") /* of them, without an end */                                  \
	X(COVERED, "covered")	    /* calls that the program has spans of its own for */          \
	X(REPEATED, "repeated")	    /* begins of a call that was open: the same event again */     \
	X(REVERSED, "reversed")	    /* ends before their begin, set to its time */                 \
	X(IDS_MADE, "ids_made")	    /* begins that had no trace or span id */

/* X(NAME, "where", "reason") */
#define LOSSES(X)                                                                                  \
	X(NO_BEGIN, "pairs", "no-begin")   /* ends whose begin is not open */                      \
	X(LIMIT, "open-calls", "limit")	   /* calls given up to make room */                       \
	X(UNDATED, "clock", "missing")	   /* spans that no clock record dates */                  \
	X(VALUES, "values", "limit")	   /* values past the limit of one call */                 \
	X(VALUE_TYPE, "values", "type")	   /* values no attribute can have */                      \
	X(LINKS, "links", "type")	   /* links without good ids, or past the limit */         \
	X(PROBES, "probes", "limit")	   /* probes not remembered */                             \
	X(PROCESSES, "processes", "limit") /* processes not remembered */                          \
	X(ACTIVE, "active", "limit")	   /* calls under way that active records leave out */

enum counter {
#define X(name, key) COUNT_##name,
	COUNTERS(X)
#undef X
		COUNTER_COUNT,
};

enum loss {
#define X(name, where, reason) LOST_##name,
	LOSSES(X)
#undef X
		LOSS_COUNT,
};

/* Starts as zeros. */
struct counts {
	uint64_t total[COUNTER_COUNT];
	uint64_t lost[LOSS_COUNT]; /* since the last counts_write_lost() */
};

/* A lost record for each kind of loss since the last call. */
void counts_write_lost(struct counts *c, struct jsonw *w);
/* The stats record; @open is the number of calls open now. */
void counts_write_stats(const struct counts *c, uint64_t open, struct jsonw *w);

#endif
