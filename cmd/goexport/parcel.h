/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One request as it goes to a receiver, before compression and framing: what the
 * queue, the spool and the sender hand to each other. Whoever has it owns it.
 */
#ifndef GOEXPORT_PARCEL_H
#define GOEXPORT_PARCEL_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct parcel {
	struct parcel *next; /* for queues */
	char *body;
	size_t len;
	uint32_t items; /* spans, or points, in it */
	int64_t seq;	/* its place in the order, from 1; of use to the spool */
};

/* Takes @body, which malloc() gave, over; NULL when out of memory, then it is freed. */
static inline struct parcel *parcel_new(char *body, size_t len, uint32_t items)
{
	struct parcel *p = (struct parcel *)calloc(1, sizeof(*p));

	if (!p) {
		free(body);
		return NULL;
	}
	p->body = body;
	p->len = len;
	p->items = items;
	return p;
}

static inline void parcel_free(struct parcel *p)
{
	if (!p)
		return;
	free(p->body);
	free(p);
}

#endif
