/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Spans as other goroutines know them: those that have created goroutines, and those
 * that have a context. A set of the map is written without a lock: where two
 * threads meet in one, an entry may get lost or mixed, which its check shows.
 */
#ifndef GOTAP_KIN_BPF_H
#define GOTAP_KIN_BPF_H

#include "fetch.bpf.h"

const volatile __u32 kin_mask; /* number of sets, less one */

static __always_inline struct gotap_kin_set *kin_set(__u64 key, __u32 proc)
{
	__u32 index = gotap_kin_hash(key, proc) & kin_mask;

	return bpf_map_lookup_elem(&kin, &index);
}

static __always_inline __u64 kin_check(const struct gotap_kin *k)
{
	const __u64 *trace = (const __u64 *)k->trace_id;
	__u64 sum = k->key + 3 * k->mark + 5 * trace[0] + 7 * trace[1];

	return (sum + 9 * *(const __u64 *)k->span_id + 11 * (__u64)k->proc + 13 * k->flags) | 1;
}

/* Whether @k, being there, is of no use any more than @than, which may be none. */
static __always_inline int kin_older(const struct gotap_kin *k, const struct gotap_kin *than)
{
	return k->ended && (!than || k->ended < than->ended);
}

/*
 * Puts s->relative, whose span is open, into the map: in a free place, or in that of the
 * span that ended first. 0 if all that could be there are open.
 */
__noinline int kin_add(__u64 thread)
{
	struct scratch *s = bpf_map_lookup_elem(&threads, &thread);
	struct gotap_kin *to = 0;
	struct gotap_kin_set *set;

	if (!s)
		return 0;
	set = kin_set(s->relative.key, s->relative.proc);
	if (!set)
		return 0;
	for (int i = 0; i < GOTAP_KIN_WAYS; i++) {
		struct gotap_kin *k = &set->way[i];

		if (!k->key) {
			to = k;
			break;
		}
		if (kin_older(k, to))
			to = k;
	}
	if (!to) {
		count(s, GOTAP_LOST_KIN);
		return 0;
	}
	s->relative.check = kin_check(&s->relative);
	*to = s->relative;
	return 1;
}

/*
 * Finds the span with s->relative's key and process, and completes it. An open one
 * comes before those that have ended, and of these the latest. 0 if there is none.
 */
__noinline int kin_find(__u64 thread)
{
	struct scratch *s = bpf_map_lookup_elem(&threads, &thread);
	struct gotap_kin *found = 0;
	struct gotap_kin_set *set;

	if (!s)
		return 0;
	set = kin_set(s->relative.key, s->relative.proc);
	if (!set)
		return 0;
	for (int i = 0; i < GOTAP_KIN_WAYS; i++) {
		struct gotap_kin *k = &set->way[i];

		if (k->key != s->relative.key || k->proc != s->relative.proc)
			continue;
		if (!found || !k->ended || (found->ended && k->ended > found->ended))
			found = k;
	}
	if (!found)
		return 0;
	s->relative = *found;
	return s->relative.check == kin_check(&s->relative);
}

/* The span with the id @span, known by @key, has ended. */
__noinline int kin_end(__u32 proc, __u64 key, __u64 span, __u64 now)
{
	struct gotap_kin_set *set = kin_set(key, proc);

	if (!set)
		return 0;
	for (int i = 0; i < GOTAP_KIN_WAYS; i++) {
		struct gotap_kin *k = &set->way[i];

		if (k->key == key && k->proc == proc && *(__u64 *)k->span_id == span)
			k->ended = now;
	}
	return 0;
}

/* What @c is known by to others: it ends. */
static __always_inline void kin_leave(__u32 proc, const struct gotap_call *c, __u64 now)
{
	__u64 span = *(const __u64 *)c->span_id;

	if (c->kin & GOTAP_KIN_SPAN)
		kin_end(proc, span, span, now);
	if (c->kin & GOTAP_KIN_CONTEXT)
		kin_end(proc, c->context, span, now);
}

/*
 * What tells a context from others that have had its address: the type and address of
 * the one that it was made of, and of that one's. -1 if it cannot be read.
 */
static __always_inline long context_mark(__u64 context, __u64 *mark)
{
	struct pair p, up = {};

	if (bpf_probe_read_user(&p, sizeof(p), (const void *)context))
		return -1;
	bpf_probe_read_user(&up, sizeof(up), (const void *)p.second);
	*mark = p.first + 3 * p.second + 5 * up.first + 7 * up.second;
	return 0;
}

#endif
