/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line: the options that all programs share, how usage is shown, and
 * what is said of a wrong one. Called by the programs' option readers.
 */
#ifndef GOTAP_USAGE_H
#define GOTAP_USAGE_H

#include <getopt.h>
#include <stdbool.h>

/* Values of the shared long options; a program's own are from 256 to below these. */
enum {
	USAGE_STRICT = 1024,
	USAGE_USER,
	USAGE_HELP,
	USAGE_VERSION,
};

/* The end of a table for getopt_long(). USAGE_STRICT_OPTION before it, for who reads records. */
/* clang-format off */
#define USAGE_OPTIONS \
	{ "quiet", no_argument, NULL, 'q' }, \
	{ "verbose", no_argument, NULL, 'v' }, \
	{ "help", no_argument, NULL, USAGE_HELP }, \
	{ "version", no_argument, NULL, USAGE_VERSION }, \
	{ NULL, 0, NULL, 0 }
#define USAGE_STRICT_OPTION { "strict", no_argument, NULL, USAGE_STRICT }
#define USAGE_USER_OPTION { "user", required_argument, NULL, USAGE_USER }
/* clang-format on */

struct usage {
	const char *help; /* the text of --help */
	const struct option *longs;
	bool *strict;	   /* what --strict sets, NULL without it */
	const char **user; /* what --user sets, NULL without it */
	/* One of the program's own options, with optarg. -1 to go on, else the exit status. */
	int (*take)(void *arg, int opt);
	void *arg;
};

/*
 * Reads all options up to the operands, which begin at optind then. -1 to go on, else
 * the exit status: after --help and --version, or a mistake, which has been reported.
 */
int usage_read(const struct usage *u, int argc, char **argv);

/* "PROGRAM (gotap) VERSION" on stdout; returns the exit status. */
int usage_version(const char *prog);
/* @text on stdout; returns the exit status (failed if stdout is full). */
int usage_help(const char *text);
/* A message and a pointer to --help on stderr; returns GOTAP_EXIT_USAGE. */
int usage_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
