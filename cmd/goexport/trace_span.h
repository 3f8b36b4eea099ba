/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a trace keeps of a span: a copy in one piece of memory, which the trace owns. Called
 * by trace.c.
 */
#ifndef GOEXPORT_TRACE_SPAN_H
#define GOEXPORT_TRACE_SPAN_H

#include "trace.h"

/* In new memory, freed with free(); NULL when out of memory. */
struct trace_span *trace_span_new(const struct spanrec *sp);

#endif
