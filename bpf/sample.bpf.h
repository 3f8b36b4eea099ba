/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Whether a span is sampled, as the OpenTelemetry Go SDK decides for the same trace id
 * (go.opentelemetry.io/otel/sdk/trace, sampling.go, v1.47.0), and no more traces a second
 * than asked for.
 */
#ifndef GOTAP_SAMPLE_BPF_H
#define GOTAP_SAMPLE_BPF_H

#include "maps.bpf.h"
#include "traceparent.bpf.h"

/* Set by goattach. Constants for the verifier, which skips what is not used. */
const volatile __u64 sample_below[GOTAP_SAMPLE_RULES] = { 1ULL << 63, 1ULL << 63, 0, 1ULL << 63 };
const volatile __u8 unsampled_drop; /* spans that are not sampled leave no record at all */
const volatile __u32 traces_per_second;

/* The current second, and the traces that were begun in it. */
__u64 trace_second;
__u64 traces_begun;

/*
 * Counts one more trace; whether there may be it. The count goes up before it is read, so
 * that two CPUs never see the same. Only where they begin a second at one time may one of
 * them forget the other's.
 */
static __always_inline int trace_allowed(__u64 now)
{
	__u64 second = now / 1000000000;

	if (trace_second != second) {
		traces_begun = 0;
		trace_second = second;
	}
	__sync_fetch_and_add(&traces_begun, 1);
	return *(volatile __u64 *)&traces_begun <= traces_per_second;
}

static __always_inline __u32 sample_rule(__u8 parent_from, __u8 flags)
{
	__u32 rule;

	switch (parent_from) {
	case GOTAP_PARENT_REMOTE:
		rule = GOTAP_SAMPLE_REMOTE;
		break;
	case GOTAP_PARENT_STACK:
	case GOTAP_PARENT_CONTEXT:
	case GOTAP_PARENT_GOROUTINE:
		rule = GOTAP_SAMPLE_LOCAL;
		break;
	default:
		return GOTAP_SAMPLE_ROOT;
	}
	return flags & TRACE_FLAG_SAMPLED ? rule : rule + 1;
}

/* Decides about @call, whose flags are its parent's. */
static __always_inline void sample_decide(struct gotap_call *call, __u8 parent_from)
{
	__u64 at = sample_rule(parent_from, call->flags);
	__u64 id = __builtin_bswap64(*(__u64 *)(call->trace_id + 8)) >> 1;

	AT_MOST(at, GOTAP_SAMPLE_RULES - 1);
	if (id < sample_below[at])
		call->flags |= TRACE_FLAG_SAMPLED;
	else
		call->flags &= ~TRACE_FLAG_SAMPLED;
}

/* The same for the first span of a new trace, which there may be too many of. */
static __always_inline void sample_limit(struct scratch *s)
{
	struct gotap_call *call = &s->open.call;
	__u8 from = s->ev.parent_from;

	if (!traces_per_second || !(call->flags & TRACE_FLAG_SAMPLED) ||
	    (from != GOTAP_PARENT_NONE && from != GOTAP_PARENT_LINK))
		return;
	if (trace_allowed(s->ev.t))
		return;
	call->flags &= ~TRACE_FLAG_SAMPLED;
	count(s, GOTAP_OVER_RATE);
}

#endif
