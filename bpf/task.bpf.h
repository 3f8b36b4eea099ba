/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What is read of a task: when it began, how often it has called exec. Used by the programs
 * to know a process from a later one of its id. By CO-RE alone: where a kernel lacks a field
 * the next best is taken, nothing fails.
 */
#ifndef GOTAP_TASK_BPF_H
#define GOTAP_TASK_BPF_H

#include "vmlinux_min.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

const volatile __u64 tick_ns = 10000000; /* a clock tick of /proc/PID/stat */

/* When the process of @task was started, in clock ticks since boot. */
static __always_inline __u64 start_ticks(struct task_struct *task)
{
	struct task_struct *leader = BPF_CORE_READ(task, group_leader);
	__u64 ns;

	if (bpf_core_field_exists(leader->start_boottime))
		ns = BPF_CORE_READ(leader, start_boottime);
	else
		ns = BPF_CORE_READ((struct task_struct___before_5_5 *)leader, real_start_time);
	return ns / tick_ns;
}

/* How many times the process has called exec, in a manner of counting; never 0. */
static __always_inline __u64 exec_id(struct task_struct *task)
{
	if (!bpf_core_field_exists(task->self_exec_id) ||
	    bpf_core_field_size(task->self_exec_id) != 8)
		return 1;
	return BPF_CORE_READ(task, self_exec_id) + 1;
}

#endif
