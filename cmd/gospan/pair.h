/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pairing: from events to spans. Holds the open calls, what is known of processes
 * and probes, and the stream's time, and writes spans, lost and stats records to
 * the stage's output. One record at a time, one thread; the same records give
 * the same bytes.
 */
#ifndef GOSPAN_PAIR_H
#define GOSPAN_PAIR_H

#include <stddef.h>
#include <stdint.h>

#include "active.h"
#include "calls.h"
#include "clock.h"
#include "counts.h"
#include "event.h"
#include "probes.h"
#include "span.h"
#include "stage.h"

struct pairing {
	struct calls calls;
	struct probes probes;
	struct clock clock;
	struct counts counts;
	struct active active;
	struct span_writer writer;
	uint64_t timeout;  /* ns a call may be open, 0: no limit */
	uint64_t now;	   /* time of the last event or clock record, CLOCK_MONOTONIC ns */
	uint64_t reported; /* time of the last lost and stats records */
	bool started;	   /* reported is set */
	bool undated;	   /* a span could not be dated, and that was said */
};

/*
 * @out and @doc are the stage's, borrowed; @methods as in struct span_writer.
 * @timeout in ns, 0 for none. Cannot fail.
 */
void pairing_init(struct pairing *p, struct jsonw *out, struct jsonv_doc *doc, const char *methods,
		  size_t max_open, uint64_t timeout);
void pairing_release(struct pairing *p);

/* Takes in one record of each type. 0 or -ENOMEM; values that are wrong are left aside. */
int pairing_event(struct pairing *p, const struct event *ev);
void pairing_clock(struct pairing *p, uint64_t mono, uint64_t real);
/* A process record: another start time than before ends the process before. */
int pairing_process(struct pairing *p, uint32_t pid, uint64_t start);
/* An exit record; @start is NULL if it had none. */
void pairing_exit(struct pairing *p, uint32_t pid, const uint64_t *start);

/* Whether there is something to be said if nothing comes for a second, and saying it. */
bool pairing_waits(const struct pairing *p);
void pairing_idle(struct pairing *p);

/* End of input: what is open comes out incomplete, then lost and stats records. */
void pairing_finish(struct pairing *p);

#endif
