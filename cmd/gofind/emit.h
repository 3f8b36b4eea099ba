/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records that gofind writes. Each is flushed at once, so that the next stage
 * sees it as it happens; a failed write comes back as -errno.
 */
#ifndef GOFIND_EMIT_H
#define GOFIND_EMIT_H

#include <stdint.h>

#include "jsonw.h"
#include "target.h"

/* For a target with the verdict TARGET_SELECTED. */
int emit_process(struct jsonw *w, const struct target *t);
int emit_exit(struct jsonw *w, int pid, uint64_t start);

#endif
