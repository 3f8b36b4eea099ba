/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Which site was hit: the number that goattach gave it, in the low half of the attach
 * cookie; in the high half is the number of the image. Where many sites share one event
 * the low half asks to look the address up, and where the kernel has no cookies (before
 * 5.15) that is all there is.
 */
#ifndef GOTAP_SITE_BPF_H
#define GOTAP_SITE_BPF_H

#include "gotap_abi.h"
#include "regs.h"
#include <bpf/bpf_helpers.h>

/* enum gotap_find, set by goattach. A constant for the verifier, which skips what is not used. */
const volatile __u8 find_by;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1); /* set by goattach */
	__type(key, struct gotap_address);
	__type(value, __u32);
} addresses SEC(".maps");

enum { NO_SITE = GOTAP_ASK_ADDRESS };

/*
 * The number of the site at hand, in @image that is loaded with @bias; or NO_SITE. Files
 * of several overlays may be one inode to the kernel, which then runs this for the site
 * of each: only that of the process's own file counts.
 */
static __always_inline __u32 site_find(regs_t *ctx, __u32 image, __u64 bias)
{
	struct gotap_address at = { .image = image };
	__u32 *cookie;

	if (find_by != GOTAP_BY_ADDRESS) {
		__u64 own = bpf_get_attach_cookie(ctx);

		if (own >> 32 != image)
			return NO_SITE;
		if (find_by == GOTAP_BY_COOKIE || (__u32)own != GOTAP_ASK_ADDRESS)
			return own;
	}
	at.addr = REG_IP(ctx) - bias;
	cookie = bpf_map_lookup_elem(&addresses, &at);
	return cookie ? *cookie : NO_SITE;
}

#endif
