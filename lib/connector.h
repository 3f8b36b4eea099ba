/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's process events connector (netlink; Documentation/driver-api/
 * connector.rst, drivers/connector/cn_proc.c, needs CONFIG_PROC_EVENTS): tells of
 * every exec. Only to the first network, pid and user namespaces, before Linux
 * 6.6 only to those with CAP_NET_ADMIN. Called by gofind, and by goattach to see
 * whether it is there.
 */
#ifndef GOTAP_CONNECTOR_H
#define GOTAP_CONNECTOR_H

#include "errinfo.h"

/*
 * Subscribes. Returns a non-blocking descriptor to poll and to close(2), or
 * -errno with the reason in @e when the kernel does not offer it or not to us.
 */
int connector_open(struct errinfo *e);

/*
 * Reads some of what there is, without blocking, and calls @fn with the id of each
 * process that has started a program. 0; -ENOBUFS when events were lost; what
 * @fn returned if not 0; or another -errno.
 */
int connector_read(int fd, int (*fn)(int pid, void *arg), void *arg);

#endif
