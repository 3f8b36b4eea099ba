/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Which site was hit: the number that goattach gave it, in the low half of the attach
 * cookie; in the high half is the number of the file. Kernels before 5.15 have no cookies;
 * there it is found by its address in the file.
 */
#ifndef GOTAP_SITE_BPF_H
#define GOTAP_SITE_BPF_H

#include "gotap_abi.h"
#include "regs.h"
#include <bpf/bpf_helpers.h>

/* Set by goattach. A constant for the verifier, which skips what is not used. */
const volatile __u8 by_address;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by goattach */
	__type(key, struct gotap_address);
	__type(value, __u32);
} addresses SEC(".maps");

enum { NO_SITE = ~0U };

/*
 * The number of the site at hand, in @image that is loaded with @bias; or NO_SITE. Files
 * of several overlays may be one inode to the kernel, which then runs this for the site
 * of each: only that of the process's own file counts.
 */
static __always_inline __u32 site_find(regs_t *ctx, __u32 image, __u64 bias)
{
	struct gotap_address at = { .image = image };
	__u32 *cookie;

	if (!by_address) {
		__u64 own = bpf_get_attach_cookie(ctx);

		return own >> 32 == image ? own : NO_SITE;
	}
	at.addr = REG_IP(ctx) - bias;
	cookie = bpf_map_lookup_elem(&addresses, &at);
	return cookie ? *cookie : NO_SITE;
}

#endif
