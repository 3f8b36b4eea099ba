/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The run of goresolve: records on stdin, or files named as operands.
 */
#ifndef GORESOLVE_WORK_H
#define GORESOLVE_WORK_H

#include "options.h"

/* Returns an enum gotap_exit; what failed has been said. */
int work(const struct options *o);

#endif
