/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What --func and --capture read of a function: parameters where it begins and
 * results where it returns, by the names and types that its DWARF has.
 */
#ifndef GORESOLVE_ARGS_H
#define GORESOLVE_ARGS_H

#include "binary.h"
#include "plan.h"
#include "wish.h"

struct args_request {
	const struct wish *wishes; /* of --capture */
	size_t n_wishes;
	bool none;	    /* --no-args: without a wish nothing is read */
	bool limited;	    /* so many functions that not even their contexts are looked for */
	unsigned int depth; /* --depth: fields of fields of … that are read unasked */
};

/*
 * Adds captures to @pr, the plan's last probe, whose sites are those of @f: those that
 * wishes for this function name or, without any, whatever fits. What cannot be read
 * is a skip.
 */
void plan_args(const struct binary *b, const struct gofunc *f, const struct args_request *rq,
	       struct plan *plan, struct probe *pr);

#endif
