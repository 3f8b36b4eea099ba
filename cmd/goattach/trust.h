/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From whom a request's trace context is believed (--trust): everybody, nobody, this
 * machine, networks. Read from the command line; the BPF side looks addresses up in a
 * map.
 */
#ifndef GOATTACH_TRUST_H
#define GOATTACH_TRUST_H

#include <stdbool.h>
#include <stdint.h>

#include "errinfo.h"
#include "gotap_abi.h"

enum { TRUST_MAX = 256 }; /* networks */

struct trust {
	bool all;
	bool unix_sockets;
	uint32_t n;
	struct gotap_network networks[TRUST_MAX];
};

/*
 * "all", "none", or words joined by commas: "local" (loopback, Unix sockets, the
 * addresses that this machine has now), addresses, networks such as 10.0.0.0/8 and
 * fd00::/8. 0, or -EINVAL or -E2BIG with @e filled.
 */
int trust_parse(struct trust *t, const char *text, struct errinfo *e);

/* Writes the networks into the map @fd. 0 or -errno. */
int trust_load(const struct trust *t, int fd);

#endif
