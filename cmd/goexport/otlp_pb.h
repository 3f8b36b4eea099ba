/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OTLP in protobuf, written by pbw.h: by hand, because packing spans was a third
 * of all the work; field numbers are those of opentelemetry-proto v1.11.0, and the
 * tests read it back by otlp.proto. A span and a resource are packed when they
 * come; a request is put together of the packed parts. Called by sink_otlp.
 */
#ifndef GOEXPORT_OTLP_PB_H
#define GOEXPORT_OTLP_PB_H

#include "batch.h"
#include "resource.h"
#include "spanrec.h"

/* Makes packed Spans and Resources, for batch_put(). */
extern const struct encoder otlp_pb_encoder;
/* Attributes as the KeyValues of the repeated @field. */
void otlp_pb_attrs(struct textbuf *t, unsigned field, const struct attr *attrs, size_t n);
/* An ExportTraceServiceRequest of a batch of such into @out, which is empty. */
void otlp_pb_request(const struct batch *b, struct textbuf *out);

#endif
