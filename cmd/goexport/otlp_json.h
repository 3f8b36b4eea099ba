/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OTLP/JSON, with the members in the order in which the Collector's file exporter
 * writes them (pdata's JSON marshaler, v1.71): lowerCamelCase names, hexadecimal
 * ids, enums as numbers, 64-bit integers as strings; empty members left out.
 * Called by sink_file. Failures of memory stick to the writer (w->err).
 */
#ifndef GOEXPORT_OTLP_JSON_H
#define GOEXPORT_OTLP_JSON_H

#include "batch.h"
#include "jsonw.h"
#include "resource.h"
#include "spanrec.h"

/* Makes objects in @w, a writer that keeps in memory, for batch_put(). */
struct encoder otlp_json_encoder(struct jsonw *w);
/* The member "attributes", if there are any. */
void otlp_json_attrs(struct jsonw *w, const struct attr *attrs, size_t n);
/* {"resourceSpans":[…]}, of a batch of such objects, without LF. */
void otlp_json_request(struct jsonw *w, const struct batch *b);

#endif
