/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of lines from a file descriptor: bounded, counting, and able to
 * wait with a time limit, so that a stage with timers of its own needs no second
 * thread. The caller owns the struct; a line is borrowed until the next call.
 */
#ifndef GOTAP_JSONL_H
#define GOTAP_JSONL_H

#include <stdbool.h>
#include <stddef.h>

/* The longest line that is accepted, without its LF. */
#define JSONL_MAX_LINE (4u << 20)

enum jsonl_status {
	JSONL_EOF = 0,
	JSONL_LINE = 1,	    /* a line, with or without a last LF */
	JSONL_TOO_LONG = 2, /* a line past JSONL_MAX_LINE, skipped to its end */
	JSONL_AGAIN = 3,    /* the time limit passed, or a signal came */
};

struct jsonl {
	int fd;
	char *buf;
	size_t start, end, cap, scanned;
	unsigned long line; /* number of the last line given out, from 1 */
	bool eof;
	bool drained;  /* the last read gave all that there was */
	bool skipping; /* inside a line that is too long */
	/* Called, if set, before the reader may block: flush the output here. */
	void (*before_block)(void *arg);
	void *arg;
};

/* @fd is borrowed. Cannot fail. */
void jsonl_init(struct jsonl *r, int fd);
void jsonl_release(struct jsonl *r);

/*
 * The next line into *@text and *@len, without its LF (a CR before it stays: it is
 * white space to jsonv, and lines are passed on as they came). @timeout_ms: -1
 * waits for ever, 0 not at all. Returns an enum jsonl_status, or -errno when
 * reading failed.
 */
int jsonl_next(struct jsonl *r, int timeout_ms, const char **text, size_t *len);

#endif
