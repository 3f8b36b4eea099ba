/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An executable file that selected processes run, by device and inode, and what
 * is attached to it. There are two kinds. One is of one process alone: the kernel puts
 * breakpoints into no other one. One is for all processes of the file, of which the second
 * attaches nothing; it outlives its last process for a while, because programs are
 * restarted. In the end its links are closed, in a thread, and its places in the maps
 * become free.
 */
#ifndef GOATTACH_IMAGE_H
#define GOATTACH_IMAGE_H

#include <stdbool.h>
#include <sys/types.h>

#include "gobin.h"
#include "links.h"
#include "plan.h"
#include "typenames.h"

struct image {
	struct image *next;
	uint32_t number; /* never used twice */
	int pid;	 /* of the one process, 0: for all of them */
	dev_t dev;
	ino_t inode;
	struct binary *binary; /* borrowed from the plan */
	char *path;	       /* for people */
	int fd;
	struct typenames *types; /* names of its types */
	bool pie;
	struct gobin_segment text; /* the first executable segment */

	size_t considered;	 /* how many of the binary's probes were looked at */
	struct probe **attached; /* each holds a place in the slots */
	size_t n_attached, n_sites;
	struct fdset links;
	double ms; /* what the last attaching took */

	unsigned int processes;
	uint64_t idle_since; /* CLOCK_MONOTONIC; when processes became 0 */
};

/*
 * Opens what /proc/@pid/exe is, and makes sure that it is @dev and @inode and the
 * binary of the plan. On failure *@reason is a skip record's reason, or NULL if the
 * process is gone; -errno with @e.
 */
int image_open(int pid, dev_t dev, ino_t inode, struct binary *b, struct image **out,
	       const char **reason, struct errinfo *e);
/* Frees all but links and slots, which must be gone already. Attaching is batch.h. */
void image_free(struct image *im);

/* Address where the image is loaded in @pid, minus its address in the file. */
int image_bias(const struct image *im, int pid, uint64_t *bias, struct errinfo *e);

#endif
