/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Listening TCP sockets. The kernel lists them per network namespace, with their
 * inodes (by netlink, and in /proc/PID/net/tcp and tcp6); /proc/PID/fd tells which of them a
 * process holds. The tables of a namespace are read once and kept until listeners_forget(), so a
 * scan of many processes reads each only once.
 */
#ifndef GOFIND_LISTENERS_H
#define GOFIND_LISTENERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ports.h"

struct listener {
	uint64_t inode; /* of the socket */
	uint16_t port;
};

struct netns;

struct listeners {
	struct netns *all;
	bool only_proc; /* do not ask by netlink */
};

void listeners_forget(struct listeners *l);

/*
 * One line of /proc/net/tcp or tcp6 (kernel: net/ipv4/tcp_ipv4.c,
 * get_tcp4_sock()). Returns 1 and fills @out for a listening socket, 0 for
 * another one (the listening ones come first), -EINVAL for the heading or
 * something else.
 */
int listener_parse(const char *line, struct listener *out);

/*
 * The distinct ports on which the process behind the /proc/PID descriptor @dir
 * listens, ascending, in an array that the caller frees (NULL if none). 0,
 * -ESRCH if it has ended, -EACCES if that may not be known, -ENOMEM.
 */
int listeners_of(struct listeners *l, int dir, uint16_t **ports, size_t *n);

/*
 * A number that stands for the sockets which listen on the wanted ports in the
 * process's network namespace: 0 if there are none, and another one whenever
 * one has come or gone.
 */
int listeners_signature(struct listeners *l, int dir, const struct ports *wanted, uint64_t *sig);

/* Whether anything listens on @port in the network namespace of @dir. */
bool listeners_has(struct listeners *l, int dir, uint16_t port);

#endif
