/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sites by their address in the file, where the BPF program is not handed the number of
 * a site: kernels without attach cookies (before Linux 5.15), and events that are of many
 * sites. Otherwise this does nothing.
 */
#ifndef GOATTACH_ADDRESSES_H
#define GOATTACH_ADDRESSES_H

#include "image.h"
#include "kernel.h"

/*
 * Makes the sites of @p, which has its place in the slots, known for @im. 0; -EEXIST
 * if another probe has one of them and there are no cookies; -errno of a map write; with
 * @e. All or nothing.
 */
int addresses_add(const struct kernel *k, const struct image *im, const struct probe *p,
		  struct errinfo *e);
/* Takes away what is @p's; to be called before its place in the slots is given back. */
void addresses_remove(const struct kernel *k, const struct image *im, const struct probe *p);
/* The cookie to attach site @i of @p with: its number, or GOTAP_ASK_ADDRESS in its place. */
uint64_t addresses_cookie(const struct kernel *k, const struct image *im, const struct probe *p,
			  uint32_t i);

#endif
