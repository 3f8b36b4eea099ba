/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether parameters still are at a probe's begin where they are at the function's
 * first instruction.
 */
#ifndef GORESOLVE_ENTRYREGS_H
#define GORESOLVE_ENTRYREGS_H

#include <stdbool.h>

#include "binary.h"
#include "plan.h"

/*
 * By disassembling what stands between the first instruction of @f and the sites of
 * @pr that begin: nothing there writes an argument register or moves the stack.
 */
bool entry_regs_kept(const struct binary *b, const struct gofunc *f, const struct probe *pr);

#endif
