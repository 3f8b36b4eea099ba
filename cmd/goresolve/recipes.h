/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recipes of one run: those compiled in, those of --recipe (one of the same
 * name takes the place of a compiled-in one), without those of --no-recipe.
 */
#ifndef GORESOLVE_RECIPES_H
#define GORESOLVE_RECIPES_H

#include <stdbool.h>
#include <stddef.h>

#include "errinfo.h"
#include "recipe.h"

struct recipe_set {
	struct recipe **recipe;
	bool *off; /* by --no-recipe: there, but not planned */
	size_t n;
};

/* The compiled-in ones. -errno with the reason in @e. */
int recipe_set_init(struct recipe_set *set, struct errinfo *e);
void recipe_set_release(struct recipe_set *set);
/* Reads a file. -errno, with "FILE:LINE:COLUMN: reason" or the system's reason in @e. */
int recipe_set_add_file(struct recipe_set *set, const char *path, struct errinfo *e);
/* -ENOENT if there is no recipe of that name. */
int recipe_set_disable(struct recipe_set *set, const char *name);
/* All compiled-in ones; those of files and on-demand ones stay. */
void recipe_set_disable_builtin(struct recipe_set *set);
const struct recipe *recipe_set_find(const struct recipe_set *set, const char *name);
/* Every 'use' must name a recipe that is there: -ENOENT with the reason in @e. */
int recipe_set_check(const struct recipe_set *set, struct errinfo *e);

#endif
