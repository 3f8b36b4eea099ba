/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A span that is kept after its record is gone: one block of memory with all its
 * text and attributes, and a hold on its resource. For what is looked at later: the
 * page, the live table, traces that a filter has not decided about. Only the main
 * thread makes and frees them (see resource.h); others may read them under its lock.
 */
#ifndef GOEXPORT_KEPTSPAN_H
#define GOEXPORT_KEPTSPAN_H

#include "spanrec.h"

struct kept_span {
	struct kept_span *next; /* for whoever keeps it */
	size_t size;		/* of the block, in bytes */
	struct spanrec sp;
};

/* A copy of @sp; NULL when out of memory. */
struct kept_span *kept_span_new(const struct spanrec *sp);
void kept_span_free(struct kept_span *k);
/* Frees @k and all that follow. */
void kept_span_free_list(struct kept_span *k);

#endif
