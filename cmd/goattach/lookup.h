/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The op "map" of a plan: a constant key, and how the map is built. Called by capture.c, which
 * owns the result; a plan may be anything, so all of it is checked.
 */
#ifndef GOATTACH_LOOKUP_H
#define GOATTACH_LOOKUP_H

#include "errinfo.h"
#include "gotap_abi.h"
#include "jsonv.h"

/* @l is zeroed. 0; -EINVAL: malformed; -E2BIG: past a limit; with the reason in @e. */
int lookup_parse(struct jsonv_doc *d, const struct jsonv *v, struct gotap_lookup *l,
		 struct errinfo *e);

#endif
