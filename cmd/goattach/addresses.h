/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sites by their address in the file, for kernels that do not hand the BPF program
 * the number of a site (attach cookies, Linux 5.15). With others this does nothing.
 */
#ifndef GOATTACH_ADDRESSES_H
#define GOATTACH_ADDRESSES_H

#include "image.h"
#include "kernel.h"

/*
 * Makes the sites of @p, which has its place in the slots, known for @im. 0; -EEXIST
 * if another probe has one of them; -errno of a map write; with @e. All or nothing.
 */
int addresses_add(const struct kernel *k, const struct image *im, const struct probe *p,
		  struct errinfo *e);
/* Takes away what is @p's; to be called before its place in the slots is given back. */
void addresses_remove(const struct kernel *k, const struct image *im, const struct probe *p);

#endif
