// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The least that a tracer with two probes can cost: at each hit, one record of 64
 * bytes into a ring, and nothing else. What gotap costs is measured against it.
 */
#include "vmlinux_min.h"
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22);
} ring SEC(".maps");

struct record {
	__u64 time, thread, cookie[6];
};

SEC("uprobe")
int hit(void *regs __attribute__((unused)))
{
	struct record r = { 0 };

	r.time = bpf_ktime_get_ns();
	r.thread = bpf_get_current_pid_tgid();
	bpf_ringbuf_output(&ring, &r, sizeof(r), BPF_RB_NO_WAKEUP);
	return 0;
}

char floor_license[] SEC("license") = "Dual BSD/GPL";
