/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One event record, taken apart in a single pass: what pairing needs as numbers,
 * the rest as tokens of the parsed line. Everything is borrowed from the line.
 */
#ifndef GOSPAN_EVENT_H
#define GOSPAN_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "errinfo.h"
#include "jsonv.h"

enum event_kind {
	EVENT_BEGIN,
	EVENT_END,
	EVENT_UNWIND,
	EVENT_POINT,
	EVENT_AGAIN,   /* the call ends, and another one like it begins */
	EVENT_UNKNOWN, /* a kind of a later version */
};

#define EVENT_MAX_EXTRAS 32

struct event {
	enum event_kind kind;
	uint64_t t; /* CLOCK_MONOTONIC, ns */
	uint32_t pid;
	uint64_t goid;
	int64_t depth;
	uint64_t span_hash;		      /* of the type of span */
	uint64_t probe;			      /* hash of the probe's id, 0 if there is none */
	int flags;			      /* 0 to 255, -1 if there are none */
	bool has_trace, has_span, has_parent; /* a valid id that is not zero */
	uint8_t trace_id[16], span_id[8], parent_id[8];
	/* Tokens; NULL where the event has no such key or it is of another type. */
	const struct jsonv *span, *symbol, *parent_from, *trace_state, *unwind;
	const struct jsonv *values, *truncated, *unread;
	const struct jsonv *links; /* of any type */
	/* Keys (each followed by its value) that are not in gotap-jsonl(5)'s event. */
	const struct jsonv *extra[EVENT_MAX_EXTRAS];
	unsigned extras, extras_left_out;
};

/*
 * Fills *@ev from @root, an object. -EINVAL with the reason in @e when a key that
 * pairing needs is missing or no such value. Of an EVENT_UNKNOWN only the kind is
 * set.
 */
int event_read(const struct jsonv *root, struct event *ev, struct errinfo *e);

/* The hash that stands for a probe's id or a type of span; never 0. */
uint64_t event_name_hash(const struct jsonv *string);

#endif
