/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Listening TCP sockets by netlink (sock_diag(7)): asks for nothing but
 * listening ones, where /proc/net/tcp walks the table of all connections of the
 * machine, some milliseconds even if it is empty.
 */
#ifndef GOFIND_SOCKDIAG_H
#define GOFIND_SOCKDIAG_H

#include <stdint.h>

/*
 * Calls @fn with the inode and port of each listening socket, IPv4 and IPv6, of
 * the network namespace behind the /proc/PID descriptor @dir; ends early when it
 * returns something else than 0, which is returned. -EPERM if it is another
 * namespace than ours and we may not enter it (for the moment that it takes to
 * open a socket there); -ENOENT if the kernel has no inet_diag; other -errno.
 */
int sockdiag_each(int dir, int (*fn)(uint64_t inode, uint16_t port, void *arg), void *arg);

#endif
