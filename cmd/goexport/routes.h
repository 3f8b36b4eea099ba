/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Routes for requests whose framework gave none: patterns of the user, and a guess
 * where that is wanted. A path itself never becomes a route: there is no end of paths.
 */
#ifndef GOEXPORT_ROUTES_H
#define GOEXPORT_ROUTES_H

#include "attr.h"
#include "errinfo.h"
#include "options.h"

struct routes;

/*
 * From lists of patterns, separated by commas: "/users/{id}" and "/users/:id" take any
 * one element there, a "*" at the end any rest, "auto" guesses where no pattern
 * matches. NULL, without an error, if @l is empty; with one in @e if a pattern is none.
 */
int routes_new(struct routes **out, const struct text_list *l, struct errinfo *e);
void routes_free(struct routes *r);

#define ROUTE_MAX 256

/*
 * The route of @path, borrowed from @r or written into @buf; an empty one if there is
 * none. The first pattern that matches is it. @r may be NULL.
 */
struct text routes_find(const struct routes *r, struct text path, char buf[ROUTE_MAX]);

#endif
