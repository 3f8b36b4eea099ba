/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Who runs: process and thread id as goattach knows them, which are those of its
 * own pid namespace. Only where that is not the first one does it cost anything.
 */
#ifndef GOTAP_WHO_BPF_H
#define GOTAP_WHO_BPF_H

#include "vmlinux_min.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

const volatile __u32 pid_ns_number; /* 0: the first one */

/* Where goattach's namespace stands, once it was met. */
struct pid_namespace *pid_ns;
__u32 pid_ns_level;

enum { DEEPEST_PID_NS = 32 }; /* include/linux/pid_namespace.h */

static __always_inline long upid_read(struct upid *out, struct pid *pid, __u32 level)
{
	char *first = (char *)__builtin_preserve_access_index(&pid->numbers[0]);

	return bpf_probe_read_kernel(out, sizeof(*out),
				     first + level * bpf_core_type_size(struct upid));
}

/* Looks for goattach's namespace above the current process. */
static __noinline int pid_ns_find(struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	__u32 level = BPF_CORE_READ(pid, level);
	struct upid id;

	for (__u32 i = 1; i <= DEEPEST_PID_NS && i <= level; i++) {
		if (upid_read(&id, pid, i))
			return 0;
		if (BPF_CORE_READ(id.ns, ns.inum) != pid_ns_number)
			continue;
		pid_ns_level = i;
		pid_ns = id.ns;
		return 1;
	}
	return 0;
}

/* The id of @task in goattach's namespace, 0 if it has none there. */
static __always_inline __u32 id_in_ns(struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	struct upid id;

	if (BPF_CORE_READ(pid, level) < pid_ns_level || upid_read(&id, pid, pid_ns_level) ||
	    id.ns != pid_ns)
		return 0;
	return id.nr;
}

static __noinline __u64 thread_in_ns(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct task_struct *leader = BPF_CORE_READ(task, group_leader);
	__u32 process;

	if (!pid_ns_level && !pid_ns_find(task))
		return 0;
	process = id_in_ns(leader);
	return process ? (__u64)process << 32 | id_in_ns(task) : 0;
}

/* Process id << 32 | thread id; 0 where goattach could not see the process. */
static __always_inline __u64 current_thread(void)
{
	return pid_ns_number ? thread_in_ns() : bpf_get_current_pid_tgid();
}

#endif
