/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans whose goroutine is blocked for long (--stuck), and what it waits for. Looked at
 * from time to time, in the memory of the traced process; that needs what the right to
 * attach a debugger needs, CAP_SYS_PTRACE for processes of others, and no more than goattach
 * has anyway. Called by loop.c.
 */
#ifndef GOATTACH_STUCK_H
#define GOATTACH_STUCK_H

#include <stdbool.h>
#include <stdint.h>

struct tracer;

struct stuck {
	uint64_t limit, every; /* ns; 0: not asked for */
	uint64_t next;	       /* CLOCK_MONOTONIC, ns; UINT64_MAX: never */
	void *before, *now;    /* trees of what was blocked at the last look, and is at this one */
	bool refused;	       /* memory could not be read, which has been said */
};

/* @seconds 0: nothing is looked at. */
void stuck_start(struct stuck *s, unsigned int seconds, uint64_t now);
void stuck_release(struct stuck *s);
/* Looks at all open calls, and writes a stuck record for those that are due. */
void stuck_look(struct tracer *t, uint64_t now);

#endif
