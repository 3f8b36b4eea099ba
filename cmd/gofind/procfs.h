/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What /proc says of one process. Everything is read below an open directory
 * descriptor of /proc/PID, which stays bound to that process: once it has ended,
 * reads fail, even if its pid has been given to another one.
 *
 * Functions return 0 or -errno; a process that has ended gives -ESRCH. The field
 * numbers are those of proc(5).
 */
#ifndef GOFIND_PROCFS_H
#define GOFIND_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "errinfo.h"

struct procstat {
	char state;	/* field 3: 'R', 'S', 'Z', … */
	uint32_t flags; /* field 9: PF_… of the kernel's include/linux/sched.h */
	uint64_t start; /* field 22: clock ticks since boot */
	uint64_t stack; /* field 28: start of the stack, 0 if not permitted */
};

/* The descriptor, to be closed by the caller; or -ESRCH, or another -errno. */
int procfs_open(int pid);

/* The text of /proc/PID/stat; the command name may hold anything. -EINVAL. */
int procfs_parse_stat(char *text, struct procstat *out);
int procfs_stat(int dir, struct procstat *out);

bool procstat_is_kernel(const struct procstat *st);
/* A zombie: its memory and executable are gone. */
bool procstat_is_dead(const struct procstat *st);
/*
 * Whether the process runs what it was started for: not a child that still has
 * its parent's program before its exec, and not in the middle of an exec. After
 * a second it is what it is, so that this never hides a process for good.
 */
bool procstat_is_settled(const struct procstat *st);

/*
 * Reads a whole file of the process, up to @max bytes, into a buffer that the
 * caller frees, with a NUL after the end. *@out is NULL on failure.
 */
int procfs_read(int dir, const char *name, size_t max, char **out, size_t *len);

/*
 * Where /proc/PID/exe points to, without the " (deleted)" that the kernel adds,
 * NUL-terminated in @buf of PATH_MAX bytes.
 */
int procfs_exe(int dir, char *buf);

/* The thread group that a directory of /proc belongs to: the process's id. */
int procfs_tgid(int dir, int *tgid);

/*
 * Calls @fn for every process id in /proc (not for threads); ends early when it
 * returns something else than 0, which is returned, or with -errno.
 */
int procfs_each(int (*fn)(int pid, void *arg), void *arg);

/* CLOCK_MONOTONIC in milliseconds. */
int64_t now_ms(void);

#endif
