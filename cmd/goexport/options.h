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

#include "filter.h"

#include "otlp_choice.h"

#define OPTIONS_MAX_SINKS 16
#define OPTIONS_MAX_LIST  64

/* A number that neither an option nor a variable gave; never after options_read(). */
#define OPTION_UNSET UINT64_MAX

enum sink_kind {
	SINK_OTLP,
	SINK_OTLP_METRICS,
	SINK_FILE,
	SINK_PROMETHEUS,
	SINK_TREE,
	SINK_WEB,
	SINK_TOP,
};

struct sink_choice {
	enum sink_kind kind;
	const char *target; /* URL, PATH, [HOST]:PORT; NULL for the tree */
	bool exact;	    /* an URL that is used as it is */
	struct otlp_choice otlp;
};

struct text_list {
	const char *text[OPTIONS_MAX_LIST];
	size_t n;
};

struct options {
	struct sink_choice sinks[OPTIONS_MAX_SINKS];
	size_t n_sinks;
	struct otlp_choice otlp;       /* of all receivers */
	struct text_list resource;     /* "key=value" that win over all */
	struct text_list env_resource; /* and those that win over what was found out */
	struct text_list route_patterns;
	const char *user; /* to be confined as, NULL: not */
	const char *spool;
	const char *web_config, *page_config; /* of --prometheus, of --web */
	uint64_t retry_ms;		      /* all tries of one batch */
	uint64_t flush_ms;		      /* at the end */
	uint64_t delay_ms;	    /* the longest that a span waits for its batch to fill */
	uint64_t queue;		    /* spans held for a slow receiver */
	uint64_t batch;		    /* spans in one request or line */
	uint64_t spool_mb, spool_s; /* most of it, in MB; the oldest of it, in seconds */
	uint64_t file_mb, file_s;   /* when a file is full, or old; 0: never */
	uint64_t file_keep;	    /* how many of those are kept; 0: all */
	uint64_t metric_interval_ms, metric_timeout_ms;
	uint64_t series;    /* of one metric */
	uint64_t top_s;	    /* between two tables where there is no terminal */
	uint64_t web_mib;   /* of traces that the page keeps */
	uint64_t tree_rate; /* traces shown a second; 0: all */
	bool wait;	    /* wait for room instead of dropping */
	bool file_gzip;
	bool exponential; /* histograms of base 2 */
	struct filter filter;
	char filter_text[256]; /* as on the command line, for people */
	bool strict;
	bool disabled;			   /* OTEL_SDK_DISABLED: no sink is opened */
	bool exporters_set;		   /* OTEL_TRACES_EXPORTER or OTEL_METRICS_EXPORTER is */
	char *owned[4 * OPTIONS_MAX_LIST]; /* strings made here */
	size_t n_owned;
};

/*
 * Returns -1 when the program is to run, else an exit status: the message, or the
 * text of --help or --version, is out.
 */
int options_read(struct options *o, int argc, char **argv);
void options_release(struct options *o);

/* Keeps @text, which malloc() gave, until then; false if it cannot (and it is the caller's). */
bool options_own(struct options *o, char *text);

#endif
