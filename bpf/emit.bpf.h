/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Putting a record into the ring, and waking the reader seldom: it drains on a
 * tick while there is something, and sleeps otherwise.
 */
#ifndef GOTAP_EMIT_BPF_H
#define GOTAP_EMIT_BPF_H

#include "maps.bpf.h"

__u32 reader_sleeps; /* set by goattach before it waits without a tick */
__u32 reader_urged;  /* set here when the ring is half full, cleared by each drain */
__u32 ring_most;     /* bytes that it held at most, as far as was looked; reset by goattach */
const volatile __u32 ring_half = 2048;

static __always_inline __u64 wake_flags(void)
{
	if (reader_sleeps) {
		reader_sleeps = 0;
		return BPF_RB_FORCE_WAKEUP;
	}
	if (!reader_urged) {
		__u64 fill = bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA);

		if (fill > ring_most)
			ring_most = fill;
		if (fill > ring_half) {
			reader_urged = 1;
			return BPF_RB_FORCE_WAKEUP;
		}
	}
	return BPF_RB_NO_WAKEUP;
}

/* The record at @ev, with its values; -errno if it was lost, which is counted. */
static __always_inline long emit(struct scratch *s, struct gotap_event *ev, __u64 values)
{
	long ret;

	AT_MOST(values, GOTAP_MAX_DATA + GOTAP_MAX_TEXT + 9 + GOTAP_TRACE_ID);
	ret = bpf_ringbuf_output(&ring, ev, sizeof(*ev) + values, wake_flags());
	if (ret)
		count(s, GOTAP_LOST_RING);
	return ret;
}

#endif
