/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every stage that reads records does alike: read a line, parse it, hand it
 * to the handler of its type, pass on unchanged what no handler takes, report
 * and count what is malformed. A program sets up a table of handlers and calls
 * stage_run(), or stage_step() from a loop of its own when it has timers.
 */
#ifndef GOTAP_STAGE_H
#define GOTAP_STAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "errinfo.h"
#include "jsonl.h"
#include "jsonv.h"
#include "jsonw.h"

/* One record, borrowed until the handler returns. */
struct record {
	const char *text; /* the line without its LF */
	size_t len;
	struct jsonv_doc *doc;
	const struct jsonv *root;
};

enum {
	STAGE_TAKEN = 0, /* the handler used the record up */
	STAGE_COPY = 1,	 /* pass the line on unchanged */
};

struct stage;

/*
 * Returns STAGE_TAKEN or STAGE_COPY; or -EINVAL with stage->error filled when
 * the record is malformed, which is reported and counted; any other -errno ends
 * stage_run().
 */
typedef int (*stage_fn)(struct stage *s, const struct record *r, void *ctx);

struct stage_handler {
	const char *type; /* NULL ends the table */
	stage_fn fn;
};

struct stage {
	struct jsonl in;
	struct jsonw out;
	struct jsonv_doc doc;
	const struct stage_handler *handlers;
	stage_fn untyped; /* for an object without "type" and "v"; NULL: it is malformed */
	void *ctx;
	const char *input_name; /* "stdin", for messages */
	bool strict;		/* the first malformed line ends the run */
	bool no_copy;		/* a sink: lines nobody takes are dropped */
	unsigned long good, bad;
	struct errinfo error;
};

/* From standard input to standard output. Nothing to free but stage_release(). */
void stage_init(struct stage *s, const struct stage_handler *handlers, void *ctx);
void stage_release(struct stage *s);

/*
 * Refuses a terminal on stdin with a usage message, and returns the exit status
 * for that, else 0. For programs whose stdin must be records.
 */
int stage_check_stdin(void);

/* Filters let Ctrl-C pass them by and end at end of file (see gotap(7)). */
void stage_ignore_sigint(void);

/*
 * Handles at most one line. Returns an enum jsonl_status (JSONL_TOO_LONG counts
 * as a malformed line and is reported like one), or -errno; -EBADMSG when
 * strict and a line was malformed.
 */
int stage_step(struct stage *s, int timeout_ms);

/*
 * Steps until end of input or failure, then flushes. Returns an enum gotap_exit;
 * failures have been reported.
 */
int stage_run(struct stage *s);

/*
 * Flushes, reports what failed on the way, and turns everything seen into an enum
 * gotap_exit: bad lines give 1, nothing but bad lines gives 3. @ret is what
 * stage_step() ended with.
 */
int stage_finish(struct stage *s, int ret);

#endif
