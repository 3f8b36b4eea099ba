/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a typed path of a recipe to the operations that a probe runs: parameters to
 * registers or stack slots, fields to offsets, pointers to loads.
 */
#ifndef GORESOLVE_COMPILE_H
#define GORESOLVE_COMPILE_H

#include "binary.h"
#include "goargs.h"
#include "plan.h"

/* Where a path is evaluated. */
struct scene {
	const struct binary *b;
	struct plan *plan;
	struct probe *probe;		/* takes the fields that were used */
	const struct recipe_func *func; /* signature of the site's subject, NULL: none known */
	const struct goarg *arg;	/* instead: what the path's root is */
	enum site_at at;
};

/*
 * 0, with kind, size and ops of @out set. -ENOENT: a field, type or parameter is
 * not known, @e names it; -E2BIG: more operations than a probe may run; -EINVAL:
 * the path makes no sense for the types that it meets (e.g. a field of a string).
 */
int compile_capture(const struct scene *s, const struct recipe_capture *c, struct plan_capture *out,
		    struct errinfo *e);

/* The operations whose result is the address that @path denotes (a pointer): for "g". */
int compile_pointer(const struct scene *s, const struct recipe_path *path, struct op_list *out,
		    struct errinfo *e);

/*
 * The offset of a field of a field (names[0] in @type, names[1] in it, …), noted
 * in the probe. -ENOENT with the missing field's name in @e.
 */
int compile_offset(const struct scene *s, const char *type, const char *const *names, size_t n,
		   uint64_t *out, struct errinfo *e);

/* How many integer registers hold the results that @f declares. */
unsigned int compile_result_regs(const struct binary *b, const struct recipe_func *f);
/*
 * In which register the result @name of @f is, or the first word of it, into @when. -ENOENT: a type
 * is not known, or it is in none.
 */
int compile_result_reg(const struct binary *b, const struct recipe_func *f, const char *name,
		       struct site_when *when);

#endif
