/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line of goattach. Read once by main, which prints and ends where it is wrong;
 * texts are borrowed from argv or the environment.
 */
#ifndef GOATTACH_OPTIONS_H
#define GOATTACH_OPTIONS_H

#include <stdbool.h>

#include "kernel.h"

struct options {
	struct kernel_config kernel;
	unsigned int tick_ms;
	unsigned int flush_s;  /* after a signal */
	unsigned int forget_s; /* what goroutines inherited, after their span has ended */
	unsigned int stuck_s;  /* report goroutines that are blocked as long; 0: none */
	const char *flight;    /* file for slow spans, NULL: none */
	unsigned int slow_ms;  /* how long these are at least */
	bool slow_given;
	bool strict;
	bool sampler;	  /* given on the command line */
	bool any_file;	  /* also programs that only their owner may read */
	bool check, json; /* show what is possible here, do nothing else */
};

/* -1 to go on, or an exit status; messages have been printed. */
int options_parse(int argc, char **argv, struct options *o);

#endif
