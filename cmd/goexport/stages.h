/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the programs of this pipeline use of the machine: those of gotap's names in
 * goexport's process group, which is what a shell makes of a pipeline. Looked up in
 * /proc at most every few seconds. Called by selfmetrics, from one thread.
 */
#ifndef GOEXPORT_STAGES_H
#define GOEXPORT_STAGES_H

#include <stddef.h>
#include <stdint.h>

#define STAGES_MAX 16

struct stage_use {
	const char *name;
	int pid;
	double cpu_seconds;
	uint64_t resident; /* bytes */
};

struct stages {
	struct stage_use use[STAGES_MAX];
	size_t n;
	int64_t looked; /* clock_ms(); 0: never */
};

/* Looks again if the last look was long enough before @now. */
void stages_look(struct stages *s, int64_t now);

#endif
