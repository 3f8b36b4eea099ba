/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encoded spans on their way to one request or one line, grouped as OTLP wants
 * them: by resource, and in it by scope. What the bytes are (protobuf, JSON) is
 * the business of whoever fills and empties it.
 */
#ifndef GOEXPORT_BATCH_H
#define GOEXPORT_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "spanrec.h"
#include "textbuf.h"

/* Appends a span, or a resource, as bytes. Failures of memory stick to @to. */
struct encoder {
	void (*span)(void *ctx, const struct spanrec *sp, struct textbuf *to);
	void (*resource)(void *ctx, const struct resource *r, struct textbuf *to);
	void *ctx;
};

#define BATCH_NONE UINT32_MAX

struct batch_group {
	uint64_t resource;	 /* its serial */
	size_t head, head_len;	 /* the encoded resource, as an offset in data */
	size_t scope, scope_len; /* the scope's name, likewise */
	uint32_t first, last;	 /* its spans, a list */
	uint32_t leader;	 /* the first group of its resource: itself, if it is that */
	uint32_t next;		 /* the next group of its resource, or BATCH_NONE */
};

struct batch_span {
	uint32_t next;	 /* of its group, or BATCH_NONE */
	size_t off, len; /* in data */
};

struct batch {
	struct batch_group *groups;
	struct batch_span *spans;
	struct textbuf data;
	size_t n_groups, n_spans;
	size_t cap_groups, cap_spans;
};

struct batch *batch_new(void);
void batch_free(struct batch *b);
/* Empties it and keeps ordinary amounts of memory for the next use. */
void batch_reset(struct batch *b);

/* Encodes @sp, whose resource is set, and adds it. 0 or -ENOMEM, then it is as before. */
int batch_put(struct batch *b, const struct encoder *enc, const struct spanrec *sp);

#endif
