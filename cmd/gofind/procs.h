/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes that --watch keeps in mind, by process id. The table owns its
 * entries and their pidfds.
 */
#ifndef GOFIND_PROCS_H
#define GOFIND_PROCS_H

#include <stddef.h>
#include <stdint.h>

#include "target.h"

enum proc_state {
	PROC_NEW,
	PROC_SEEN,	/* looked at, nothing to do; kept only to know that it is not new */
	PROC_KERNEL,	/* the same, and will never be another program */
	PROC_UNSETTLED, /* to be looked at again soon */
	PROC_WAITING,	/* a Go program that may come to listen on a wanted port */
	PROC_REPORTED,	/* a process record was written, an exit record is owed */
};

#define NEVER INT64_MAX

struct proc {
	struct proc *next; /* in its slot of the table */
	int pid;
	enum proc_state state;
	struct image image;
	int pidfd;	     /* of a reported one, readable when it has ended; or -1 */
	int64_t since;	     /* ms: seen first, with this image */
	int64_t due;	     /* ms: to be looked at again, or NEVER */
	int64_t checked;     /* ms: last made sure that it is what it was */
	int64_t full_check;  /* ms: of a waiting one, its sockets were last looked at */
	uint64_t signature;  /* of the listening sockets then, see listeners_signature() */
	unsigned generation; /* of the last listing of /proc that had it */
};

#define PROCS_SLOTS 1024

struct procs {
	struct proc *slot[PROCS_SLOTS];
	size_t n;
};

struct proc *procs_find(const struct procs *p, int pid);
struct proc *procs_add(struct procs *p, int pid); /* NULL if out of memory */
void procs_remove(struct procs *p, struct proc *one);
void procs_release(struct procs *p);

/*
 * Calls @fn for every entry, which may remove that entry but no other; ends early
 * when it returns something else than 0, which is returned.
 */
int procs_each(struct procs *p, int (*fn)(struct proc *one, void *arg), void *arg);

#endif
