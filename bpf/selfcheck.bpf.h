/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A second program, which goattach runs in its own context where the layout of kernel
 * structures comes from a file (--btf): it reads every kernel field that the main one
 * uses, for goattach to compare with what it knows of itself. Not loaded otherwise.
 */
#ifndef GOTAP_SELFCHECK_BPF_H
#define GOTAP_SELFCHECK_BPF_H

#include "gotap_abi.h"
#include "task.bpf.h"
#include "who.bpf.h"

struct gotap_self self; /* read by goattach */

SEC("raw_tp")
int gotap_self_read(void *ctx __attribute__((unused)))
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	struct upid id;

	self.start = start_ticks(task);
	self.start_code = BPF_CORE_READ(task, mm, start_code);
	self.exec_id = exec_id(task);
	if (upid_read(&id, pid, BPF_CORE_READ(pid, level)))
		return 0;
	self.pid = id.nr;
	self.pid_ns = BPF_CORE_READ(id.ns, ns.inum);
	return 0;
}

#endif
