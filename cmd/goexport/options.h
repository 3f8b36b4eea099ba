/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line and the environment of goexport, read once into plain data.
 * Called by main; sinks take what concerns them.
 */
#ifndef GOEXPORT_OPTIONS_H
#define GOEXPORT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPTIONS_MAX_SINKS 16
#define OPTIONS_MAX_LIST  64

enum sink_kind {
	SINK_OTLP,
	SINK_FILE,
	SINK_PROMETHEUS,
	SINK_TREE,
};

struct sink_choice {
	enum sink_kind kind;
	const char *target; /* URL, PATH, [HOST]:PORT; NULL for the tree */
	bool exact;	    /* an URL that is used as it is */
};

struct options {
	struct sink_choice sinks[OPTIONS_MAX_SINKS];
	size_t n_sinks;
	const char *headers[OPTIONS_MAX_LIST]; /* "Name: value" */
	size_t n_headers;
	const char *resource[OPTIONS_MAX_LIST]; /* "key=value" */
	size_t n_resource;
	int64_t otlp_timeout_ms; /* one request */
	int64_t retry_ms;	 /* all tries of one batch */
	int64_t flush_ms;	 /* at the end */
	int64_t delay_ms;	 /* the longest that a span waits for its batch to fill */
	uint64_t queue;		 /* spans held for a slow receiver */
	uint64_t batch;		 /* spans in one request or line */
	uint64_t tree_rate;	 /* traces shown a second; 0: all */
	bool wait;		 /* wait for room instead of dropping */
	bool strict;
	char *owned[2 * OPTIONS_MAX_LIST]; /* strings made here */
	size_t n_owned;
};

/*
 * Returns -1 when the program is to run, else an exit status: the message, or the
 * text of --help or --version, is out.
 */
int options_read(struct options *o, int argc, char **argv);
void options_release(struct options *o);

#endif
