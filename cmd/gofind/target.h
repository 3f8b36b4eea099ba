/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One process, looked at: is it a Go program, is it selected, and if so, what is
 * to be said of it. All of it is read through one /proc/PID descriptor and
 * belongs to one program image: when the process started another program while
 * it was read, it is read again.
 */
#ifndef GOFIND_TARGET_H
#define GOFIND_TARGET_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "binary.h"
#include "errinfo.h"
#include "listeners.h"
#include "selection.h"

/*
 * What tells one run of a program from another: a pid with another start time is
 * another process, and exec in one process changes the executable, or at least
 * where the stack starts.
 */
struct image {
	uint64_t start; /* clock ticks since boot */
	uint64_t stack; /* 0 if not permitted */
	dev_t dev;
	ino_t ino;
};

bool image_same(const struct image *a, const struct image *b);

enum verdict {
	TARGET_SELECTED,
	TARGET_GONE,	   /* ended, or ending */
	TARGET_UNSETTLED,  /* about to start another program: ask again soon */
	TARGET_NO_PORT,	   /* all fits, but it listens on no wanted port (yet) */
	TARGET_UNREADABLE, /* not permitted */
	TARGET_THREAD,	   /* not a process; why is the id of its process */
	TARGET_KERNEL,	   /* a kernel thread */
	TARGET_NOT_GO,	   /* no Go program; why says more */
	TARGET_PACKED,	   /* perhaps one, but packed by UPX; why says more */
	TARGET_BROKEN,	   /* its file contradicts itself, or is too old; why says how */
	TARGET_COLLECTOR,  /* a telemetry collector that nobody named */
	TARGET_OTHER,	   /* a Go program that is not asked for */
};

struct target {
	int pid;
	struct image image;
	char exe[PATH_MAX];
	const struct binary *bin; /* borrowed from the cache until it is asked again */
	uint16_t *ports;
	size_t n_ports;
	char *cmdline, *env; /* as /proc has them, strings ended by NUL; or NULL */
	size_t cmdline_len, env_len;
	char why[sizeof(((struct errinfo *)0)->text) + 300];
};

/* What looking needs, for all processes of a run. */
struct looker {
	const struct selection *sel;
	struct binaries binaries;
	struct listeners listeners;
};

/*
 * Fills @t, which the caller releases after every verdict. A failure that says
 * nothing of the process (-ENOMEM, -EMFILE) is returned as -errno.
 */
int target_look(struct looker *l, int pid, struct target *t, enum verdict *out);
void target_release(struct target *t);

/* The image of the process behind @dir now; -errno as procfs has it. */
int image_read(int dir, struct image *out);

#endif
