/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gofind --watch: what is there now, then what starts and ends, until a signal
 * or until the reader goes away.
 */
#ifndef GOFIND_WATCH_H
#define GOFIND_WATCH_H

#include "jsonw.h"
#include "target.h"

/* Returns an enum gotap_exit; failures have been reported. */
int watch_run(struct looker *l, struct jsonw *out);

#endif
