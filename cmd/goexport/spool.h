/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests on disk, for a receiver that is away: a SQLite database with one row for
 * each, in write-ahead mode, so that it is whole after a kill at any moment, and what
 * spool_put() has taken is still there. One for each receiver; only one process at a
 * time can have it open. Both threads of a sink call it; it locks by itself.
 */
#ifndef GOEXPORT_SPOOL_H
#define GOEXPORT_SPOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "errinfo.h"
#include "parcel.h"

struct spool;

struct spool_limits {
	uint64_t bytes; /* of bodies */
	uint64_t max_age_s;
};

/*
 * The spool in @dir, which is made if it is not there, of the receiver @name, any
 * text. A file that cannot be read is put aside with a warning. 0, or -errno with the
 * reason in @e (-EBUSY: another process has it).
 */
int spool_open(struct spool **out, const char *dir, const char *name,
	       const struct spool_limits *limits, struct errinfo *e);
void spool_close(struct spool *s);

/* The next number in the order of requests, for parcel.seq. */
int64_t spool_next_seq(struct spool *s);
/*
 * Keeps @p, which remains the caller's, at its place in the order. 0; -ENOSPC when it
 * is full, or the disk; another -errno. With @only_behind nothing is done, and
 * -ENOENT returned, when the spool is empty.
 */
int spool_put(struct spool *s, const struct parcel *p, bool only_behind);
/* The first in order into new memory; NULL if there is none, or it cannot be read. */
struct parcel *spool_first(struct spool *s);
/* The row with this number has been seen to. */
void spool_done(struct spool *s, int64_t seq);
/* Forgets what is too old; how many spans that were. */
uint64_t spool_expire(struct spool *s);
/* Spans in it. */
uint64_t spool_items(struct spool *s);

#endif
