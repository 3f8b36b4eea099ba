/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a record of the ring to an event line. This is the hot path: no
 * allocation, no search; what is the same in each line was made before.
 */
#ifndef GOATTACH_EVENT_H
#define GOATTACH_EVENT_H

#include "jsonw.h"
#include "probe.h"

/*
 * Writes @ev, @size bytes with its values, of process @pid. @p is the probe that the
 * event names, @pr the program that made its values (NULL: it has none).
 */
void event_write(struct jsonw *w, const struct gotap_event *ev, size_t size, int pid,
		 const struct probe *p, const struct program *pr);

#endif
