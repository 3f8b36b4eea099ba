/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Standard output of a program that must never hang in write(2): probes have to
 * be taken away when a signal says so, also while the reader of a full pipe
 * sleeps. A pipe is opened a second time, non-blocking, which does not change the
 * mode of what other processes hold.
 */
#ifndef GOATTACH_OUTPUT_H
#define GOATTACH_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "jsonw.h"

struct output {
	int fd;
	int stop_fd;   /* readable: give up waiting; -1: wait for ever */
	bool reopened; /* fd is ours */
	/* CLOCK_MONOTONIC, ns, 0 for never: from then on what has no room is dropped. */
	uint64_t deadline;
	uint64_t unsent; /* lines that were dropped */
};

/* @stop_fd is borrowed. */
void output_init(struct output *o, int stop_fd);
void output_release(struct output *o);
/*
 * Writes the whole lines that @w, a writer in memory, holds. 0; -EINTR when stop_fd
 * became readable while the reader was slow (the rest stays in @w); other -errno.
 */
int output_flush(struct output *o, struct jsonw *w);

#endif
