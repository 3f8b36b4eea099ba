/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notes of slow spans, for people who look at a flight recording of the program (Go's
 * runtime/trace): goroutine and times as they stand there. Called by main and drain.c.
 */
#ifndef GOATTACH_FLIGHT_H
#define GOATTACH_FLIGHT_H

#include "errinfo.h"
#include "probe.h"

struct flight;

/*
 * Opens @path, to which lines are appended; spans of @slow_ms and more are noted. 0, or
 * -errno with @e filled.
 */
int flight_open(const char *path, unsigned int slow_ms, struct flight **out, struct errinfo *e);
void flight_close(struct flight *f);

/* A record of process @pid: if it ends a slow span that @p began, that is noted. */
void flight_note(struct flight *f, const struct gotap_event *ev, int pid, const struct probe *p);
/* Writes what was noted. 0, or -errno for good: then nothing more is noted. */
int flight_flush(struct flight *f);

#endif
