/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a record of the ring to an event line. This is the hot path: no
 * allocation, no search (but for names of types); what is the same in each line was made
 * before.
 */
#ifndef GOATTACH_EVENT_H
#define GOATTACH_EVENT_H

#include "jsonw.h"
#include "probe.h"
#include "typenames.h"

struct event_from { /* the process that an event came from */
	int pid;
	uint64_t bias;		 /* load address minus virtual address in the file */
	struct typenames *types; /* of its executable; NULL: types have no names */
};

/*
 * Writes @ev, @size bytes with its values. @p is the probe that the event names; its
 * values were made by the program @pr (NULL: it has none) of the probe @at.
 */
void event_write(struct jsonw *w, const struct gotap_event *ev, size_t size,
		 const struct event_from *from, const struct probe *p, const struct probe *at,
		 const struct program *pr);

#endif
