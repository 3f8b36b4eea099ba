/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Closes links in threads of their own: the kernel waits for RCU meanwhile, tens of
 * milliseconds in which the ring must be drained. One descriptor tells when a set
 * is closed.
 */
#ifndef GOATTACH_REAPER_H
#define GOATTACH_REAPER_H

#include <stdbool.h>

#include "links.h"

struct reaper {
	int pipe[2]; /* done jobs, as pointers; the reading end may be polled */
	size_t busy; /* jobs that are not collected yet */
};

/* 0 or -errno. */
int reaper_init(struct reaper *r);
/* Sets that are still being closed are left to the threads, or the end of the process. */
void reaper_release(struct reaper *r);
/*
 * Takes all of @set; @tag comes back from reaper_next() once it is closed. False if
 * there is no memory: then it is closed already, and @tag does not come back.
 */
bool reaper_close(struct reaper *r, struct fdset *set, void *tag);
/* The tag of a set that is closed now, or NULL. */
void *reaper_next(struct reaper *r);

#endif
