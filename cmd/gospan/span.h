/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The span record of one call. Called by pairing for every call that ends or is
 * given up.
 */
#ifndef GOSPAN_SPAN_H
#define GOSPAN_SPAN_H

#include <stdint.h>

#include "calls.h"
#include "clock.h"
#include "jsonw.h"
#include "probes.h"
#include "scratch.h"
#include "semconv.h"

/* What writing needs beside the call; all borrowed. */
struct span_writer {
	struct jsonw *out;
	struct jsonv_doc *doc;	/* for the memory of unescaped strings */
	const char *methods;	/* as HTTP_METHODS */
	struct scratch scratch; /* owned */
};

/*
 * Writes the span of @c, which ended at @end (CLOCK_MONOTONIC, not before its
 * begin) in the way @how. @real_minus_mono dates it (struct clock); @probe may be
 * NULL.
 */
void span_write(struct span_writer *sw, const struct call *c, enum ending how, uint64_t end,
		int64_t real_minus_mono, const struct probe *probe);

#endif
