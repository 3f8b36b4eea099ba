/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many sites as one perf event, for kernels without uprobe_multi links: a trace event
 * of tracefs that has a probe for each. The kernel waits for a grace period when an
 * event ends; with an event for each site hundreds of them take tens of seconds. What
 * it costs: the program is not told which site was hit, and finds it by its address.
 * tracefs need not be mounted, if the kernel hands it out otherwise (fsmount(2)).
 *
 * The event's definition is a line of uprobe_events, which stays when goattach is
 * killed; its probes do not. The next goattach that uses this removes it.
 */
#ifndef GOATTACH_TRACEEVENT_H
#define GOATTACH_TRACEEVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether there is a tracefs that can be written. Removes what killed ones have left. */
bool traceevent_init(void);

/*
 * Defines an event with probes at @offsets of the open file @exe_fd, and opens it as a perf
 * event, for @pid alone, or for all processes if that is 0, and not enabled yet. The descriptor,
 * with a number in *@event that is to be removed once it is closed; or -errno, then nothing is
 * left.
 */
int traceevent_open(int exe_fd, int pid, const uint64_t *offsets, size_t n, uint32_t *event);
void traceevent_remove(uint32_t event);

#endif
