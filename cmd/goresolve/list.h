/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --list: functions with every place where a probe could sit, as a table or, with
 * --json, as records.
 */
#ifndef GORESOLVE_LIST_H
#define GORESOLVE_LIST_H

#include "binary.h"
#include "jsonw.h"

/*
 * Functions whose name matches, to stdout for people (@w NULL) or as function
 * records. *@matches becomes how many there are. 0 or -ENOMEM.
 */
int list_functions(const struct binary *b, const char *pattern, struct jsonw *w, size_t *matches);

#endif
