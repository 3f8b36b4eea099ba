/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text for people on standard output, which nobody may be reading: a pager, a terminal
 * that was stopped, an ssh connection that hangs. What cannot be written within two
 * seconds stays, and from then on nothing is waited for until it can be: other sinks
 * are not held up. Called by sink_tree and sink_top.
 */
#ifndef GOEXPORT_TERMOUT_H
#define GOEXPORT_TERMOUT_H

#include <stdbool.h>

#include "textbuf.h"

struct termout {
	struct textbuf text; /* to be written; appended to by its owner */
	bool stalled;
	/* private */
	int fd;
	bool patient;
};

/* @patient: waits for the reader however long it takes. */
void termout_init(struct termout *o, bool patient);
void termout_release(struct termout *o);
/* 0 when all is written, -EAGAIN if some stays because nobody reads, else -errno. */
int termout_write(struct termout *o);
/* The same, and waits as long as it takes: for the end. */
int termout_finish(struct termout *o);

#endif
