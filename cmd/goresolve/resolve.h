/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From recipes and function patterns to the plan of one binary.
 */
#ifndef GORESOLVE_RESOLVE_H
#define GORESOLVE_RESOLVE_H

#include "args.h"
#include "binary.h"
#include "plan.h"
#include "recipes.h"

/* Where probes are put (--site). */
enum site_mode {
	SITES_AFTER, /* the cheapest: calls, entries after the stack check */
	SITES_FIRST, /* first instructions and returns */
	SITES_RET,   /* entries after the stack check and returns */
};

struct request {
	const struct recipe_set *recipes;
	enum site_mode mode;
	const char *const *patterns; /* --func */
	size_t n_patterns;
	size_t most;		  /* functions of patterns that are planned; 0: all */
	struct args_request args; /* what is read at those functions */
	/* Takes what is planned so far, which is then freed: many functions need no more memory
	 * than one. NULL: the whole plan is kept. */
	void (*take)(void *ctx, const struct binary *b, const struct plan *plan);
	void *ctx;
};

/*
 * Fills @plan (zeroed by the caller, who releases it) with what @rq's take() was not
 * given. 0 or -ENOMEM; all else that fails is a skip in the plan.
 */
int resolve(const struct binary *b, const struct request *rq, struct plan *plan);

/* Which recipes have given a probe, for captures that are of use only with others. */
struct planned {
	const struct recipe_set *set;
	bool *tried, *gave; /* by number in the set */
};

/* Whether the recipe @name has given a probe. */
bool planned_has(const struct planned *p, const char *name);

/*
 * Pieces that the parts of the resolver share.
 *
 * resolve_recipe: all spans of one recipe. resolve_funcs: what --func names;
 * returns how many functions got a probe.
 */
void resolve_recipe(const struct binary *b, const struct recipe *r, enum site_mode mode,
		    const struct planned *planned, struct plan *plan);
/* Gives @pr the types of contexts that @r names. */
void plan_contexts(const struct binary *b, const struct recipe *r, struct plan *plan,
		   struct probe *pr);
/* Gives @pr the types of spans that the program makes itself, as @r names them. */
void plan_foreign(const struct binary *b, const struct recipe *r, struct plan *plan,
		  struct probe *pr);
size_t resolve_funcs(const struct binary *b, const struct request *rq, struct plan *plan);

/*
 * Fills what every probe has: g's offsets and the id. Where an offset is not
 * known the probe (the last one of the plan) is given up, with a skip, and false
 * comes back.
 */
bool finish_probe(const struct binary *b, struct plan *plan, struct probe *pr);

/* Makes @k say that a function exists only where it was inlined. */
void skip_inlined(struct skip *k, const struct inlined_name *n);

/* The reason of a skip for an -errno of sites.h: "undecodable", "no-return", … */
const char *code_reason(int err);

#endif
