/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding new processes without the kernel's help, by listing /proc. A listing is
 * made only when the kernel has given out a new process id since the last one
 * (the last field of /proc/loadavg), and by and by the known processes are asked
 * for an exec, so that an idle machine costs next to nothing.
 */
#ifndef GOFIND_POLLER_H
#define GOFIND_POLLER_H

#include <stdbool.h>
#include <stdint.h>

#include "tracker.h"

#define POLL_MS 20

struct poller {
	int loadavg; /* -1: not to be relied on here */
	long last_pid;
	bool again; /* an id is given out before its process can be seen */
	unsigned generation;
	int64_t listed;	    /* ms: end of the last listing */
	int64_t not_before; /* ms: a long /proc is listed less often */
};

void poller_init(struct poller *p);
void poller_release(struct poller *p);

/* To be called every POLL_MS. 0 or -errno. */
int poller_tick(struct poller *p, struct tracker *t);

#endif
