/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a user wants to have read: --capture 'main.(*Store).Get(key, ret0.Name)'.
 */
#ifndef GORESOLVE_WISH_H
#define GORESOLVE_WISH_H

#include <stddef.h>

#include "errinfo.h"
#include "recipe.h"

struct wish_item {
	char *name; /* of the attribute, NULL: made of the path */
	struct recipe_path path;
};

struct wish {
	char *func; /* pattern, as for --func */
	struct wish_item *items;
	size_t n_items;
};

/*
 * Parses "FUNCTION(PATH, NAME=PATH, …)". -EINVAL with "--capture:1:COLUMN: reason" in
 * @e; -ENOMEM. wish_release() in any case.
 */
int wish_parse(const char *text, struct wish *out, struct errinfo *e);
void wish_release(struct wish *w);

#endif
