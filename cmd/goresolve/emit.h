/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan as records of the stream, gotap-jsonl(5): probes first, then skips.
 */
#ifndef GORESOLVE_EMIT_H
#define GORESOLVE_EMIT_H

#include "binary.h"
#include "jsonw.h"
#include "plan.h"

void emit_plan(struct jsonw *w, const struct binary *b, const struct plan *plan);

/* The keys of a site that say where it is and what is there; @event may be NULL. */
void emit_place(struct jsonw *w, const struct binary *b, const struct site *s, const char *event);

/* How often a function was inlined, and where to. */
void emit_inlined(struct jsonw *w, const struct inlined_name *n);

/* A skip of a whole binary or process; strings may be NULL, pid 0. */
void emit_binary_skip(struct jsonw *w, const char *binary, const char *path, long pid,
		      const char *reason, const char *detail);

#endif
