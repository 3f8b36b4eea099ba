/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OTLP in protobuf (otlp.proto, by protobuf-c). A span and a resource are packed
 * when they come, by the main thread; a request is put together of packed parts
 * by the sender. Called by sink_otlp.
 */
#ifndef GOEXPORT_OTLP_PB_H
#define GOEXPORT_OTLP_PB_H

#include "arena.h"
#include "batch.h"
#include "resource.h"
#include "spanrec.h"

/* Memory for packing, reused; the owner initialises it with zeros. */
struct otlp_pb {
	struct arena arena;
	unsigned char *buf;
	size_t cap;
};

void otlp_pb_release(struct otlp_pb *p);

/* Makes packed Spans and Resources in @p, for batch_put(). */
struct encoder otlp_pb_encoder(struct otlp_pb *p);
/* An ExportTraceServiceRequest of a batch of such; borrowed until the next call with @p. */
const void *otlp_pb_request(struct otlp_pb *p, const struct batch *b, size_t *len);

/*
 * Reads the body of a success: how many spans the receiver refused, and what it
 * says about it (cut to fit, "" if nothing). -EINVAL if that is no answer of OTLP.
 */
int otlp_pb_response(const void *body, size_t len, uint64_t *rejected, char *msg, size_t size);
/* The message of an answer that is no success; "" where there is none. */
void otlp_pb_error(const void *body, size_t len, char *msg, size_t size);

#endif
