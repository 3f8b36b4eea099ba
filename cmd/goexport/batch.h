/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encoded spans on their way to one request or one line, grouped as OTLP wants
 * them: by resource, and in it by scope. What the bytes are (protobuf, JSON) is
 * the business of whoever fills and empties it. A batch owns all its memory, so
 * it may be handed from one thread to another.
 */
#ifndef GOEXPORT_BATCH_H
#define GOEXPORT_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "spanrec.h"

/* Turns a span, and a resource, into bytes: borrowed until the next call; NULL when out of memory.
 */
struct encoder {
	const void *(*span)(void *ctx, const struct spanrec *sp, size_t *len);
	const void *(*resource)(void *ctx, const struct resource *r, size_t *len);
	void *ctx;
};

struct batch_group {
	uint64_t resource;	 /* its serial */
	size_t head, head_len;	 /* the encoded resource, as an offset in data */
	size_t scope, scope_len; /* the scope's name, likewise */
	uint32_t spans;		 /* how many are in it */
};

struct batch_span {
	uint32_t group;
	size_t off, len; /* in data */
};

struct batch {
	struct batch_group *groups;
	struct batch_span *spans;
	unsigned char *data;
	size_t n_groups, n_spans, len;
	size_t cap_groups, cap_spans, cap;
	struct batch *next; /* for queues */
};

struct batch *batch_new(void);
void batch_free(struct batch *b);
/* Empties it and keeps ordinary amounts of memory for the next use. */
void batch_reset(struct batch *b);

/* Encodes @sp, whose resource is set, and adds it. 0 or -ENOMEM. */
int batch_put(struct batch *b, const struct encoder *enc, const struct spanrec *sp);

/* Whether group @i is the first of its resource. */
bool batch_group_first(const struct batch *b, size_t i);

#endif
