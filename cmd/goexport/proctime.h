/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a process began, for the attribute process.creation.time. Called by resource_make.c for
 * each process that is new; has an answer only on the machine that runs it.
 */
#ifndef GOEXPORT_PROCTIME_H
#define GOEXPORT_PROCTIME_H

#include <stddef.h>
#include <stdint.h>

/*
 * ISO 8601 in UTC with milliseconds into @buf. @start is in clock ticks since
 * boot (proc_pid_stat(5), field 22), which means something only on the machine
 * and in the boot where it was read: so this answers only when /proc shows this
 * very process. Else, as for a recorded stream, -ENOENT.
 */
int process_creation_time(uint32_t pid, uint64_t start, char *buf, size_t size);

#endif
