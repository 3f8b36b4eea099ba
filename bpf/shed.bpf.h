/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What to leave out when the reader does not keep up: whole traces, by their id, so that
 * what comes through is complete and even. Whether a trace is left out is decided once,
 * at its first call here, and inherited with the trace flags.
 */
#ifndef GOTAP_SHED_BPF_H
#define GOTAP_SHED_BPF_H

#include "emit.bpf.h"

/* Of GOTAP_SHED_ALL trace ids, so many are left out; lowered by goattach as it reads. */
__u32 shed_level;

/*
 * Raises the level with what the ring holds: from nothing at a half to everything at
 * seven eighths; the rest is for the ends of what has begun.
 */
static __always_inline void shed_look(void)
{
	__u64 fill = bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA);
	__u32 level;

	if (fill > ring_most)
		ring_most = fill;
	if (fill <= ring_half)
		return;
	level = (fill - ring_half) * GOTAP_SHED_ALL / (ring_half / 4 * 3);
	if (level > GOTAP_SHED_ALL)
		level = GOTAP_SHED_ALL;
	if (level > shed_level)
		shed_level = level;
}

/* Decides about the trace that @call belongs to: 1; 0 if that was done before. */
static __always_inline int shed_decide(struct gotap_call *call)
{
	const __u64 spread = 0x9e3779b97f4a7c15; /* 2^64 / golden ratio */
	__u64 hash;

	if (call->flags & (GOTAP_FLAG_KEPT | GOTAP_FLAG_SHED))
		return 0;
	if (reader_urged)
		shed_look();
	hash = *(__u64 *)(call->trace_id + 8) * spread >> 56;
	call->flags |= hash < shed_level ? GOTAP_FLAG_SHED : GOTAP_FLAG_KEPT;
	return 1;
}

#endif
