/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the page shows: filled by the sink in the main thread, read by the server's
 * thread and by the feed's, all under the lock.
 */
#ifndef GOEXPORT_WEBDATA_H
#define GOEXPORT_WEBDATA_H

#include <pthread.h>

#include "losses.h"
#include "sink.h"
#include "spanstore.h"
#include "stages.h"
#include "traffic.h"

#define WEBDATA_STATS 64

struct web_stat {
	char from[32], name[48];
	uint64_t value;
};

struct webdata {
	pthread_mutex_t lock;
	_Atomic unsigned wanted; /* the main thread waits for the lock */
	struct spanstore store;
	struct traffic *traffic;
	struct losses losses;
	struct web_stat stats[WEBDATA_STATS]; /* counters of the stages before */
	size_t n_stats;
	struct stages stages; /* of the server's thread alone */
	uint64_t failed;      /* spans for which there was no memory */
	bool ended;	      /* the input has */
	int64_t since;	      /* clock_ms() */
	struct sink *const *sinks;
	const _Atomic size_t *n_sinks;
	const char *filter; /* what was asked for on the command line, for people; NULL: nothing */
};

#endif
