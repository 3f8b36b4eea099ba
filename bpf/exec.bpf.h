/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Whether a process still is, and still runs, what goattach found; and telling goattach
 * when it has called exec. The exec itself says so; a hit does where that was missed.
 */
#ifndef GOTAP_EXEC_BPF_H
#define GOTAP_EXEC_BPF_H

#include "vmlinux_min.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "gotap_abi.h"
#include "maps.bpf.h"
#include "regs.h"
#include "site.bpf.h"
#include "task.bpf.h"
#include "who.bpf.h"

/* Whether the current process is the one that was selected, and not a later one of its id. */
static __always_inline int started_at(__u64 ticks)
{
	return start_ticks((void *)bpf_get_current_task()) == ticks;
}

/* Whether the process still runs the program that goattach found in it. */
static __always_inline int same_program(struct gotap_proc *p)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	__u64 id = exec_id(task);

	if (!p->exec_id && (!p->start_code || BPF_CORE_READ(task, mm, start_code) == p->start_code))
		p->exec_id = id;
	return p->exec_id == id;
}

/* Where the file that @p ran is loaded, if the process has executed it again. */
static __always_inline __u64 bias_now(const struct gotap_proc *p)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	return p->start_code ? p->bias + BPF_CORE_READ(task, mm, start_code) - p->start_code
			     : p->bias;
}

static __always_inline void replaced_report(struct gotap_proc *p)
{
	struct gotap_event ev = { .event = GOTAP_REPLACED };

	ev.t = bpf_ktime_get_ns();
	ev.proc = p->id;
	if (!p->replaced && !bpf_ringbuf_output(&ring, &ev, sizeof(ev), BPF_RB_FORCE_WAKEUP))
		p->replaced = 1;
}

/*
 * A hit in a process that has executed another program, or itself again: open calls and
 * load address are those of the program before. goattach is told to look at it anew.
 */
static __noinline int tell_replaced(regs_t *ctx, __u32 tgid)
{
	struct gotap_proc *p = bpf_map_lookup_elem(&procs, &tgid);
	struct gotap_site *site;
	__u32 cookie;

	if (!p)
		return 0;
	cookie = site_find(ctx, p->image, bias_now(p));
	site = bpf_map_lookup_elem(&sites, &cookie);
	if (site && (site->event == GOTAP_BEGIN || site->event == GOTAP_POINT))
		__sync_fetch_and_add(&p->count[GOTAP_LOST_EXEC], 1);
	replaced_report(p);
	return 0;
}

/*
 * A process has called exec. Its own probes may be gone with that: the kernel takes a
 * process for what its first thread was, which another thread that calls exec replaces.
 */
SEC("raw_tp/sched_process_exec")
int gotap_exec(void *ctx)
{
	__u32 tgid = current_thread() >> 32;
	struct gotap_proc *p = bpf_map_lookup_elem(&procs, &tgid);

	(void)ctx;
	if (p && started_at(p->start))
		replaced_report(p);
	return 0;
}

#endif
