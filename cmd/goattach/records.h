/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records that goattach makes, but for events (event.c). Each call writes one
 * line to @w.
 */
#ifndef GOATTACH_RECORDS_H
#define GOATTACH_RECORDS_H

#include <stdint.h>

#include "jsonw.h"
#include "probe.h"

struct skip {
	const char *binary, *path; /* NULL: not known */
	int pid;		   /* 0: of no one process */
	const struct probe *probe; /* NULL: the binary or process as a whole */
	const char *field;	   /* a capture, or NULL */
	const struct site *site;   /* or NULL */
	const char *reason, *detail;
};

void record_skip(struct jsonw *w, const struct skip *s);
void record_attach(struct jsonw *w, const struct probe *p, int pid, const char *how, bool apart,
		   double ms);
void record_exit(struct jsonw *w, int pid, uint64_t start);
void record_clock(struct jsonw *w);
void record_lost(struct jsonw *w, const char *where, const char *reason, uint64_t count, int pid);

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t now_ns(void);

#endif
