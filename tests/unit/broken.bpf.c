// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Programs that no kernel loads, each for another reason: see goattach_loadlog.c. */
#include "vmlinux_min.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct task_struct___of_nowhere {
	struct mm_struct *no_such_member;
};
#pragma clang attribute pop

SEC("uprobe")
int no_such_field(void *ctx)
{
	struct task_struct___of_nowhere *task = (void *)bpf_get_current_task();

	(void)ctx;
	return BPF_CORE_READ(task, no_such_member) != 0;
}

SEC("uprobe")
int wild_read(void *ctx)
{
	(void)ctx;
	return *(volatile int *)bpf_get_current_task();
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
