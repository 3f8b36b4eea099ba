/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The open calls: begun, and not ended yet. Found by (process, goroutine, depth,
 * type of span) and by span id, in order of age, and by process. Bounded by
 * count and by the bytes that their values hold; the caller makes room by
 * closing the oldest. Owns the calls and the processes.
 */
#ifndef GOSPAN_CALLS_H
#define GOSPAN_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "event.h"
#include "list.h"
#include "procs.h"
#include "table.h"
#include "values.h"

struct call {
	struct table_node by_key, by_id;
	struct list by_age, of_proc;
	struct call *next_spare;
	struct proc *proc;
	uint64_t goid;
	int64_t depth;
	uint64_t span_hash;
	uint64_t probe; /* as in struct event */
	uint64_t begin; /* CLOCK_MONOTONIC, ns */
	int64_t real_minus_mono;
	bool dated; /* a clock record came before the begin */
	bool has_parent;
	bool made_id; /* the begin had no span id; this one was made here */
	int flags;    /* -1 if there are none */
	uint8_t trace_id[16], span_id[8], parent_id[8];
	size_t bytes; /* counted in struct calls.bytes */
	struct values values;
	size_t begun, begun_text; /* how many of them, and of their bytes, its begin gave */
	unsigned int retries;	  /* how often it has been done before */
};

struct calls {
	struct table by_key, by_id;
	struct list by_age; /* the oldest first */
	struct call *spare; /* closed calls kept for reuse, by next_spare */
	size_t spares;
	size_t open, max_open;
	size_t bytes, max_bytes;
	struct procs procs;
};

/* @max_open calls, and 1 KiB of values for each on average. Cannot fail. */
void calls_init(struct calls *cs, size_t max_open);
void calls_release(struct calls *cs);

/*
 * The open call that @ev belongs to: by its span id, which an end has from its
 * begin; and by process, goroutine, depth and type of span where @ev or the
 * call's begin had no id. NULL if there is none.
 */
struct call *calls_match(const struct calls *cs, const struct event *ev);
/* The open call with @ev's process, goroutine, depth and type of span, or NULL. */
struct call *calls_at(const struct calls *cs, const struct event *ev);

/* Opens a call for the begin @ev, without values; NULL without memory. */
struct call *calls_open(struct calls *cs, const struct event *ev);
/* Counts the bytes of @c's values after they have changed. */
void calls_account(struct calls *cs, struct call *c);
/* Takes @c out; its memory is kept for another call. */
void calls_close(struct calls *cs, struct call *c);

/* Whether the open calls' values need more than they may. */
bool calls_heavy(const struct calls *cs);
/* The call opened first, NULL if none is open. */
struct call *calls_oldest(const struct calls *cs);

#endif
