/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the command line left open, from the environment. Called by options.c once all is
 * read; it adds to the caller's options, and reports what makes no sense.
 */
#ifndef GOEXPORT_OPTIONS_COMPLETE_H
#define GOEXPORT_OPTIONS_COMPLETE_H

#include "options.h"

/* -1, or the exit status of a mistake, which has been reported. */
int options_complete(struct options *o);
/* How many of the sinks so far write to standard output. */
unsigned options_on_stdout(const struct options *o);

#endif
