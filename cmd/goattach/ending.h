/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Letting go: of a process that has ended, of an image that no process runs any
 * more, of everything at the end.
 */
#ifndef GOATTACH_ENDING_H
#define GOATTACH_ENDING_H

#include <stdbool.h>

#include "tracer.h"

/*
 * The last events of @p are read, its losses reported, and what the kernel side
 * holds for it deleted; @p is freed. Writes no exit record.
 */
void ending_process(struct tracer *t, struct process *p);

/* Notes that the exit of a process was reported; whether it was, which takes the note away. */
void ending_remember(struct tracer *t, int pid, uint64_t start);
bool ending_forget(struct tracer *t, int pid, uint64_t start);

/*
 * Closes what no process has used for a while. Returns the milliseconds until the
 * next image is due, or -1 if there is none.
 */
int ending_images(struct tracer *t, uint64_t now);
/* Lets go of @im, which no process uses, at once. */
void ending_image(struct tracer *t, struct image *im);
/* A set of links is closed: its image is freed. */
void ending_collect(struct tracer *t);
/* Takes all probes away, at once. */
void ending_detach_all(struct tracer *t);

/* Deletes scratch memory of threads that have ended. */
void ending_sweep_threads(struct tracer *t);
/* The same if much of the room for threads may be used up. To be called often. */
void ending_look_at_threads(struct tracer *t, uint64_t now);

#endif
