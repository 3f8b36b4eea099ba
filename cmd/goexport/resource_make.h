/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The attributes of one resource, by the semantic conventions 1.44.0 (process,
 * host, service, telemetry), from one `process` record. Called by resource.c.
 */
#ifndef GOEXPORT_RESOURCE_MAKE_H
#define GOEXPORT_RESOURCE_MAKE_H

#include "resource.h"

/*
 * Fills r->attrs, service and instance from @rec (NULL: all that is known is
 * r->pid, or not even that), with memory of r->arena. @extra as in
 * resources_new(). 0, or -ENOMEM, or -EINVAL with the reason in @e.
 */
int resource_fill(struct resource *r, const struct record *rec, const char *const *extra,
		  size_t n_extra, struct errinfo *e);

#endif
