/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --types: the layouts of struct types, each field with where its offset comes from.
 */
#ifndef GORESOLVE_LAYOUTS_H
#define GORESOLVE_LAYOUTS_H

#include "binary.h"
#include "jsonw.h"

/*
 * Struct types whose name matches, in order of names; for people on stdout (@w NULL)
 * or as struct records. *@matches becomes how many there are. 0 or -ENOMEM.
 */
int layouts_show(const struct binary *b, const char *pattern, struct jsonw *w, size_t *matches);

#endif
