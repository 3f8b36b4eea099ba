/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What gofind needs to know of an executable file, read once per file and kept:
 * a file that has the same device, inode, size and times is the same file. That
 * also remembers what is no Go program, so that looking at every process costs
 * one reading of each binary. The program has called mapguard_init(), because a
 * file may shrink while it is read.
 */
#ifndef GOFIND_BINARY_H
#define GOFIND_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct binary {
	int err;       /* 0: a Go program; else why not, -errno of gobin_open_fd(), or
			* -ENOTSUP: packed by UPX, so that it cannot be told */
	char *why;     /* the text of err, NULL if err is 0 */
	char *module;  /* main module path, "" if none; NULL unless a Go program */
	char *package; /* main package path, likewise */
	bool obscured; /* a Go program whose names are hidden, as garble does it */
	char *record;  /* its members of a process record, as JSON text */
	size_t record_len;
};

struct binary_entry;

struct binaries {
	struct binary_entry **slot;
	size_t n;
};

int binaries_init(struct binaries *b); /* -ENOMEM */
void binaries_release(struct binaries *b);

/*
 * The executable of the process behind the /proc/PID descriptor @dir, whose
 * fstatat() result is @st. *@out is borrowed until the next call. 0, or why the
 * file cannot be opened: -EACCES or -EPERM if not permitted, -ESRCH if the
 * process has ended, or another -errno; not remembered. What is wrong with the
 * file itself is in (*@out)->err.
 */
int binaries_get(struct binaries *b, int dir, const struct stat *st, const struct binary **out);

#endif
