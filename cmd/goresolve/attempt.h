/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One alternative of a recipe's span being tried on a binary: spans.c finds its
 * sites and makes the probes, captures.c compiles what is read there.
 */
#ifndef GORESOLVE_ATTEMPT_H
#define GORESOLVE_ATTEMPT_H

#include "compile.h"
#include "resolve.h"

/* A site together with the function that it is in. */
struct found {
	const struct gofunc *func;
	const struct recipe_site *from;
	struct site site;
};

/* One span of a recipe being resolved. */
struct attempt {
	const struct binary *b;
	struct plan *plan;
	const struct recipe *r;
	const struct recipe_span *span;
	const struct recipe_part *try; /* NULL: the common part alone */
	enum site_mode mode;
	const struct planned *planned;
	struct found *found;
	size_t n_found;
	/* Why it failed. */
	const char *symbol, *reason;
	struct errinfo e;
};

/* Where the parameters of site @s of @pr are to be looked for. */
struct scene attempt_scene(const struct attempt *a, struct probe *pr, const struct plan_site *s);
/*
 * Leaves out returns that are only reached past an end that stands before them. -ENOENT,
 * with the reason in @a, where that cannot be.
 */
int attempt_leave_out_exits(struct attempt *a);
/* Sets why the attempt failed. -ENOENT. */
int attempt_fail(struct attempt *a, const char *symbol, const char *reason);
/* Compiles the captures that belong to @pr's sites; what cannot be is a skip. */
void plan_captures(const struct attempt *a, struct probe *pr);

#endif
