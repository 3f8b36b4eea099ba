/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The attributes of one resource, by the semantic conventions 1.44.0 (process,
 * host, service, telemetry), from one `process` record. Called by resource.c.
 */
#ifndef GOEXPORT_RESOURCE_MAKE_H
#define GOEXPORT_RESOURCE_MAKE_H

#include "resource.h"

/* Attributes of the user, as in resources_new() and resources_base(). */
struct resource_wishes {
	const char *const *extra, *const *base;
	size_t n_extra, n_base;
};

/*
 * Fills r->attrs, service and instance from @rec (NULL: all that is known is
 * r->pid, or not even that), with memory of r->arena. 0, or -ENOMEM, or -EINVAL
 * with the reason in @e.
 */
int resource_fill(struct resource *r, const struct record *rec, const struct resource_wishes *w,
		  struct errinfo *e);

#endif
