/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many HTTP requests are under way, by process and by the attributes of the
 * conventions' metrics http.server.active_requests and http.client.active_requests:
 * counted among the open calls when a report is due, so that a begin and an end cost
 * nothing. Called by pair.
 */
#ifndef GOSPAN_ACTIVE_H
#define GOSPAN_ACTIVE_H

#include "calls.h"
#include "list.h"
#include "span.h"
#include "table.h"

/* Kinds of requests told apart at a time; those past it are left out. */
#define ACTIVE_MAX 4096

struct active {
	struct table table;
	struct list groups;
	uint64_t at;	  /* of the last report, CLOCK_MONOTONIC ns */
	bool changed;	  /* calls have begun or ended since */
	struct jsonw key; /* what tells the groups apart */
};

/* Cannot fail. */
void active_init(struct active *a);
void active_release(struct active *a);

/* Whether it is time for a report at @now (CLOCK_MONOTONIC ns). */
bool active_due(const struct active *a, const struct calls *cs, uint64_t now);
/*
 * Writes an active record for each number that is another than in the last report.
 * Returns the calls that were left out.
 */
uint64_t active_report(struct active *a, const struct calls *cs, struct span_writer *sw,
		       uint64_t now);

#endif
