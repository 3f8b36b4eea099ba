/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gospan's command line. Read once by main; texts are borrowed from argv or the environment,
 * and what is wrong has been reported.
 */
#ifndef GOSPAN_OPTIONS_H
#define GOSPAN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct options {
	size_t max_open;
	uint64_t timeout;    /* ns, 0 for none */
	const char *user;    /* to be confined as, NULL: not */
	const char *methods; /* borrowed from argv or the environment */
	bool strict;
};

/*
 * Fills *@o. True when the program should end now, with the status in *@status:
 * after --help or --version, or because of a usage error, which was reported.
 */
bool options_read(struct options *o, int argc, char **argv, int *status);

/* "90", "90s", "1.5m" is not: digits and one of ms, s, m, h; s if left out. False if it is none. */
bool duration_parse(const char *text, uint64_t *ns);

#endif
