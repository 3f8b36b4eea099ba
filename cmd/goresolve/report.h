/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What goresolve shows to people instead of records, on stdout: --dry-run and
 * --explain. Text of a binary is masked. Output errors show at the
 * final flush of stdout.
 */
#ifndef GORESOLVE_REPORT_H
#define GORESOLVE_REPORT_H

#include "binary.h"
#include "plan.h"
#include "resolve.h"

void report_plan(const struct binary *b, const struct plan *plan);
enum { EXPLAIN_BODIES = 16 }; /* of one name */
/*
 * The disassembly of every body of @symbol with the sites that @plan has in it. Returns
 * how many bodies there are.
 */
size_t report_explain(const struct binary *b, const struct plan *plan, const char *symbol);

#endif
