/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What --watch does with a process: look at it when something may have changed,
 * write a process record when it becomes a selected program and an exit record
 * when it stops being that, by ending or by exec. When to look is told by the
 * connector or the poller, by pidfds, and by the tracker's own due times.
 *
 * All functions return 0 or -errno; a failed write is in out->err as well.
 */
#ifndef GOFIND_TRACKER_H
#define GOFIND_TRACKER_H

#include <stdbool.h>
#include <stdint.h>

#include "jsonw.h"
#include "procs.h"
#include "report.h"
#include "target.h"

struct tracker {
	struct looker *l;
	struct jsonw *out;
	struct report report;
	struct procs procs;
	int epoll;	 /* pidfds are added to it, with the pid as data */
	bool remember;	 /* keep in mind processes that are of no interest too */
	bool first_scan; /* tell of what is not selected */
};

/* Looks at one process, known or new; @arg is the struct tracker. */
int tracker_look(int pid, void *arg);
/* A pidfd said that it has ended. */
int tracker_ended(struct tracker *t, int pid);
/* It is no longer in /proc. */
int tracker_drop(struct tracker *t, struct proc *p);

/* Looks at what is due, and when the next one will be (ms, or NEVER). */
int tracker_run_due(struct tracker *t);
int64_t tracker_next_due(struct tracker *t);

/*
 * Makes sure that processes which were not checked for @every milliseconds, at
 * most @max of them, still are what they were: an exec or an end may have been
 * missed.
 */
int tracker_verify(struct tracker *t, int64_t every, size_t max);

void tracker_release(struct tracker *t);

#endif
