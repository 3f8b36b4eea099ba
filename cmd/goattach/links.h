/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attaching the BPF program to places in a file, and what it takes to detach
 * again: file descriptors. When all of a set are closed, or goattach is killed,
 * the kernel takes the probes away.
 */
#ifndef GOATTACH_LINKS_H
#define GOATTACH_LINKS_H

#include <stddef.h>
#include <stdint.h>

#include "errinfo.h"
#include "kernel.h"

struct fdset {
	struct held {
		int fd;
		uint32_t event; /* of traceevent.h, to be removed after; 0: none */
	} * held;
	size_t n;
};

/* Closes all and frees; may take tens of milliseconds, as the kernel waits for RCU. */
void fdset_close(struct fdset *s);
/* Moves what @from holds to @to. 0 or -ENOMEM, then nothing has changed. */
int fdset_join(struct fdset *to, struct fdset *from);

/*
 * Attaches at @offsets of the open file @exe_fd, with a cookie each: as one link
 * or event, or with perf uprobes as one each. In an event only those with the one cookie
 * whose low half is GOTAP_ASK_ADDRESS can be together; each other has one of its own. If
 * @pid is not 0 other processes that run the file have no breakpoints; only for kernels
 * that have filters. All or nothing: 0, or -errno with @e.
 */
int links_open(const struct kernel *k, int exe_fd, int pid, const uint64_t *offsets,
	       const uint64_t *cookies, size_t n, struct fdset *out, struct errinfo *e);

/* The link type by itself, for preflight: a new link, or -errno. */
int links_open_multi(int prog_fd, const char *path, int pid, const uint64_t *offsets,
		     const uint64_t *cookies, size_t n);

#endif
