/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes that the stream speaks of: the start time that tells a process
 * from an earlier one with its pid, and the calls that it has open. A process is
 * here while its start is known (from its process record to its exit record) or
 * while a call of it is open.
 */
#ifndef GOSPAN_PROCS_H
#define GOSPAN_PROCS_H

#include <stdbool.h>
#include <stdint.h>

#include "list.h"
#include "table.h"

/* Processes beyond this keep no start time: a reused pid is not noticed then. */
#define PROCS_MAX 262144

struct proc {
	struct table_node node; /* by hash of pid */
	uint32_t pid;
	bool start_known;
	uint64_t start;	   /* clock ticks since boot */
	struct list calls; /* struct call.of_proc, the oldest first */
};

/* Starts as zeros. */
struct procs {
	struct table table;
};

struct proc *procs_find(const struct procs *ps, uint32_t pid);
/* Finds or makes; NULL without memory. */
struct proc *procs_get(struct procs *ps, uint32_t pid);
/* Lets @p go if nothing is known of it and no call is open. */
void procs_put(struct procs *ps, struct proc *p);
/* Frees all; the calls must be gone. */
void procs_release(struct procs *ps);

#endif
