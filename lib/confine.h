/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Confines this process for --user NAME: another user, no new privileges, no more
 * system calls than it needs (seccomp), and, where the kernel has Landlock, no more
 * paths. Called by mains before they read input, while there is one thread. Programs
 * that call it link libseccomp.
 */
#ifndef GOTAP_CONFINE_H
#define GOTAP_CONFINE_H

#include <stdbool.h>
#include <stddef.h>

#include "errinfo.h"

/* What the program does beside reading its input and writing its output. */
enum confine_need {
	CONFINE_FILES = 1,	/* opens files, for reading */
	CONFINE_WRITE = 2,	/* and for writing */
	CONFINE_NETWORK = 4,	/* sockets, of any kind */
	CONFINE_THREADS = 8,	/* makes threads */
	CONFINE_PROCESSES = 16, /* looks at others in /proc: no Landlock, which forbids it */
	CONFINE_OPENER = 32,	/* is given descriptors by an opener (opener.h) */
	CONFINE_TERMINAL = 64,	/* takes keys from a terminal as they are pressed */
};

enum { CONFINE_MAX_PATHS = 64 };

struct confine {
	const char *user;  /* a name, or a number */
	unsigned int need; /* of enum confine_need */
	/* Files and directories (with all below) to be read and to be written. Borrowed. */
	const char *read[CONFINE_MAX_PATHS], *write[CONFINE_MAX_PATHS];
	size_t n_read, n_write;
	const int *caps; /* capabilities to keep, as far as they are held */
	size_t n_caps;
};

/* Adds to the list of paths; those past CONFINE_MAX_PATHS are not to be reached later. */
void confine_may_read(struct confine *c, const char *path);
void confine_may_write(struct confine *c, const char *path);

/* Whether there is such a user, who is not root: 0 or -EINVAL with @e. */
int confine_check(const char *user, struct errinfo *e);

/*
 * For good. Paths that do not exist are left out; a kernel without Landlock is noted
 * with -v. 0 or -errno with @e, and then the process must not go on.
 */
int confine_enter(const struct confine *c, struct errinfo *e);

#endif
