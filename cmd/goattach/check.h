/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goattach --check: what this kernel and this user's rights allow, each tried where
 * trying does no harm, with what is lost without it and how to get it.
 */
#ifndef GOATTACH_CHECK_H
#define GOATTACH_CHECK_H

#include <stdbool.h>

#include "kernel.h"

/*
 * Writes a table, or with @json a check record for each line of it, to stdout.
 * Returns an enum gotap_exit: 0 if tracing is possible, GOTAP_EXIT_CANNOT if
 * something that it needs is missing.
 */
int check_run(const struct kernel_config *c, bool json);

#endif
