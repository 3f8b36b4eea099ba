/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that is renamed when it is large or old enough, and begun anew: PATH becomes
 * PATH.20261130T194500.123, the time in UTC. Compressed, each write is a whole gzip
 * member, so that what was written before a kill can be read. Called by sink_file.
 */
#ifndef GOEXPORT_ROTATED_H
#define GOEXPORT_ROTATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "errinfo.h"

struct rotated_limits {
	uint64_t bytes, seconds; /* 0: never */
	uint64_t keep;		 /* renamed files; the oldest are removed past it; 0: all */
	bool gzip;
};

struct rotated;

/*
 * Creates or empties @path, which is borrowed; "-" is standard output and never
 * renamed. 0 or -errno with the reason in @e.
 */
int rotated_open(struct rotated **out, const char *path, const struct rotated_limits *l,
		 struct errinfo *e);
/* Writes all of it, into one file. 0 or -errno; what could be written of it stays. */
int rotated_write(struct rotated *r, const void *p, size_t len);
/* 0, or -errno if the last that was written may be lost. Frees it. */
int rotated_close(struct rotated *r);

#endif
