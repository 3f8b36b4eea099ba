/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gofind without --watch: the processes that are there now.
 */
#ifndef GOFIND_ONCE_H
#define GOFIND_ONCE_H

#include "jsonw.h"
#include "target.h"

/* Writes them and returns an enum gotap_exit; failures have been reported. */
int once_run(struct looker *l, struct jsonw *out);

#endif
