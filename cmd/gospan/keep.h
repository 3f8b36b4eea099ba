/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of an event goes into its call: captured values, texts, lists of what was
 * cut or unread, and keys of later versions.
 */
#ifndef GOSPAN_KEEP_H
#define GOSPAN_KEEP_H

#include "counts.h"
#include "event.h"
#include "values.h"

/*
 * Adds all that a span needs of @ev to @vs. What does not fit or no attribute can
 * have is counted in @counts. 0 or -ENOMEM.
 */
int keep_event(struct values *vs, const struct event *ev, struct counts *counts);

#endif
