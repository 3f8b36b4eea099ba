/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options that all programs share, and how usage is shown. Called by mains.
 */
#ifndef GOTAP_USAGE_H
#define GOTAP_USAGE_H

/* "gotap PROGRAM VERSION" on stdout; returns the exit status. */
int usage_version(const char *prog);
/* @text on stdout; returns the exit status (failed if stdout is full). */
int usage_help(const char *text);
/* A message and a pointer to --help on stderr; returns GOTAP_EXIT_USAGE. */
int usage_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
