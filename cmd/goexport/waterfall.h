/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws a trace as lines of text: a bar on a common time scale for each span. Called by the
 * tree and by --top; the trace is borrowed. Only memory can fail it, which
 * the buffer remembers.
 */
#ifndef GOEXPORT_WATERFALL_H
#define GOEXPORT_WATERFALL_H

#include <stdbool.h>

#include "textbuf.h"
#include "trace.h"

struct waterfall_style {
	int width; /* columns */
	bool color;
	bool utf8;
};

void waterfall_draw(struct textbuf *b, struct trace *t, const struct waterfall_style *style);

/* Nanoseconds in at most six columns: "1.23ms". */
void waterfall_duration(char buf[16], uint64_t ns, bool utf8);

#endif
