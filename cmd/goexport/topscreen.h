/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The screen and the keys of --top, by ncurses, in a thread of its own: a stream that
 * hangs does not hold up the keys. Keys come from /dev/tty, because standard input is
 * the stream. Called by sink_top.
 */
#ifndef GOEXPORT_TOPSCREEN_H
#define GOEXPORT_TOPSCREEN_H

#include <pthread.h>

#include "spanstore.h"
#include "traffic.h"

/* What is shown, under the lock. */
struct top_data {
	pthread_mutex_t lock;
	struct traffic *traffic;
	struct spanstore store;
	uint64_t lost;
	bool ended; /* the input has */
};

struct topscreen;

/* NULL where there is no terminal that ncurses can use. @d is borrowed. */
struct topscreen *topscreen_start(struct top_data *d);
/* Gives the terminal back as it was. */
void topscreen_stop(struct topscreen *s);

#endif
