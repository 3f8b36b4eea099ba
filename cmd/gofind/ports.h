/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set of TCP ports, as --port gives it. A plain value: nothing to free.
 */
#ifndef GOFIND_PORTS_H
#define GOFIND_PORTS_H

#include <stdbool.h>
#include <stdint.h>

#include "errinfo.h"

struct ports {
	uint8_t bits[65536 / 8];
	bool any; /* whether the set holds a port at all */
};

/*
 * Adds a list such as "8080,9090,8000-8100" to the set. -EINVAL, with @e saying
 * which element is wrong, on an empty element, a port outside 1 to 65535, or a
 * range that ends before it starts; the set is then of no use.
 */
int ports_add(struct ports *p, const char *list, struct errinfo *e);
void ports_set(struct ports *p, uint16_t port);
bool ports_has(const struct ports *p, uint16_t port);

#endif
