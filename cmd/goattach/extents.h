/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which parts of a numbered range are free: hands out runs of numbers and takes
 * them back. Used for the places in the BPF maps. The caller owns the struct.
 */
#ifndef GOATTACH_EXTENTS_H
#define GOATTACH_EXTENTS_H

#include <stddef.h>
#include <stdint.h>

struct extent {
	uint32_t start, n;
};

struct extents {
	struct extent *free; /* in order, never touching each other */
	size_t count, cap;
};

/* All of [0, @n) is free. 0 or -ENOMEM. */
int extents_init(struct extents *x, uint32_t n);
void extents_release(struct extents *x);
/* A run of @n numbers, the lowest there is. 0, -ENOSPC. @n of 0 gives 0. */
int extents_take(struct extents *x, uint32_t n, uint32_t *start);
/* Gives back what extents_take() gave. 0, or -ENOMEM: then the run stays taken. */
int extents_give(struct extents *x, uint32_t start, uint32_t n);

#endif
