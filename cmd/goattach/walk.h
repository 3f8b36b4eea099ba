/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where instructions begin: a breakpoint in the middle of one kills the traced
 * program, so that no plan is trusted in this. The code is decoded from the entry
 * of the function on, as goresolve does it. Used by verify.c alone.
 */
#ifndef GOATTACH_WALK_H
#define GOATTACH_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "errinfo.h"
#include "gobin.h"

struct code;

/*
 * Decodes from @entry to @end, virtual addresses in one executable segment of @b. 0;
 * -EINVAL with @e where that is no place for a function or no code; -ENOMEM. Free
 * with walk_free().
 */
int walk_from(const struct gobin *b, uint64_t entry, uint64_t end, struct code **out,
	      struct errinfo *e);
void walk_free(struct code *c);
/* Whether one instruction of @len bytes begins at @addr. */
bool walk_meets(const struct code *c, uint64_t addr, size_t len);

#endif
