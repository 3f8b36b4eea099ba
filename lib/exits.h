/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exit statuses of all gotap programs, documented in gotap(7). Scripts rely
 * on them; a new meaning needs a new number.
 */
#ifndef GOTAP_EXITS_H
#define GOTAP_EXITS_H

enum gotap_exit {
	GOTAP_EXIT_OK = 0,     /* done, end of input, or asked to stop */
	GOTAP_EXIT_FAILED = 1, /* failed, nothing matched, or some input was skipped */
	GOTAP_EXIT_USAGE = 2,  /* wrong options */
	GOTAP_EXIT_INPUT = 3,  /* the input as a whole is not what the program reads */
	GOTAP_EXIT_CANNOT = 4, /* cannot trace here: privilege or kernel */
};

#endif
