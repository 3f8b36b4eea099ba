/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps a message that could come again and again to one in a while. Used by the
 * sinks of OTLP; the caller owns the struct, zeroed, and locks it.
 */
#ifndef GOEXPORT_SAYING_H
#define GOEXPORT_SAYING_H

#include <stdbool.h>
#include <stdint.h>

#define SAYING_PAUSE_MS 30000

struct saying {
	int64_t next; /* not before; 0 at first */
};

/* Whether it may be said at @now (clock_ms()); if so it counts as said. */
static inline bool saying_now(struct saying *s, int64_t now)
{
	if (now < s->next)
		return false;
	s->next = now + SAYING_PAUSE_MS;
	return true;
}

#endif
