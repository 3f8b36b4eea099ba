// SPDX-License-Identifier: Apache-2.0
#include "ports.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* One decimal port at *@s, which is moved past it; 0 if there is none. */
static unsigned parse_port(const char **s)
{
	unsigned n = 0;

	if (**s < '0' || **s > '9')
		return 0;
	for (; **s >= '0' && **s <= '9'; (*s)++) {
		n = n * 10 + (unsigned)(**s - '0');
		if (n > 65535)
			return 0;
	}
	return n;
}

int ports_add(struct ports *p, const char *list, struct errinfo *e)
{
	const char *s = list;

	for (;; s++) {
		const char *element = s;
		unsigned first = parse_port(&s), last = first;

		if (first && *s == '-') {
			s++;
			last = parse_port(&s);
		}
		if (!first || last < first || (*s && *s != ','))
			return errinfo_set(e, -EINVAL, "'%.*s' is not a port or a range of ports",
					   (int)strcspn(element, ","), element);
		for (unsigned port = first; port <= last; port++)
			ports_set(p, (uint16_t)port);
		if (!*s)
			return 0;
	}
}

void ports_set(struct ports *p, uint16_t port)
{
	p->bits[port / 8] |= (uint8_t)(1u << (port % 8));
	p->any = true;
}

bool ports_has(const struct ports *p, uint16_t port)
{
	return p->bits[port / 8] & (1u << (port % 8));
}
