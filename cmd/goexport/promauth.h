/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may see the page. A hash of a password is slow to check by design, and Prometheus
 * comes every few seconds: what was right last time is remembered.
 */
#ifndef GOEXPORT_PROMAUTH_H
#define GOEXPORT_PROMAUTH_H

#include "webconfig.h"

/* The owner sets web, and zero else. */
struct promauth {
	const struct webconfig *web;
	char *user, *password; /* the last that were right */
};

bool promauth_knows(struct promauth *a, const char *user, const char *password);
void promauth_release(struct promauth *a);

#endif
