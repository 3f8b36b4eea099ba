/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is said on stderr of processes that were not selected, and the exit status
 * that follows from it. A process that the user named by its id gets an error of
 * its own; of others only what cannot be seen from the output is told.
 */
#ifndef GOFIND_REPORT_H
#define GOFIND_REPORT_H

#include "target.h"

struct report {
	unsigned selected, unreadable;
	unsigned failed;      /* processes or ports that were named, and an error told */
	struct ports claimed; /* on which processes listen that are known */
};

/* Counts the verdict on @t and says what is to be said of it. */
void report_verdict(struct report *r, const struct looker *l, const struct target *t,
		    enum verdict v);
/* After all processes were looked at: what was not readable. 0 or -errno (/proc). */
int report_end(struct report *r, struct looker *l);

#endif
