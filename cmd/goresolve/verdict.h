/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --report: one verdict for each process or file: what will be traced, what will not,
 * why, and what to do about it.
 */
#ifndef GORESOLVE_VERDICT_H
#define GORESOLVE_VERDICT_H

#include "binary.h"
#include "jsonw.h"
#include "plan.h"

/*
 * For people on stdout (@w NULL) or as a report record; @pid 0: a file. Returns whether
 * anything will be traced.
 */
bool verdict_plan(const struct binary *b, const struct plan *plan, long pid, struct jsonw *w);
/* Of what could not even be opened, for a reason of skip records. */
void verdict_refused(const char *binary, const char *path, long pid, const char *reason,
		     const char *detail, struct jsonw *w);

#endif
