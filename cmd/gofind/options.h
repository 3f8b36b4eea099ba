/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gofind's command line.
 */
#ifndef GOFIND_OPTIONS_H
#define GOFIND_OPTIONS_H

#include <stdbool.h>

#include "selection.h"

struct options {
	struct selection sel;
	bool watch;
	const char *user; /* to be confined as, NULL: not */
};

/*
 * Fills @o (released by selection_release(&o->sel)). Returns -1 to go on, else
 * the enum gotap_exit to end with: --help or --version was asked for, or the
 * usage was wrong, which has been reported.
 */
int options_parse(int argc, char **argv, struct options *o);

#endif
