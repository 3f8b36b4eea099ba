// SPDX-License-Identifier: Apache-2.0
/*
 * floor FILE OFFSET…: two bare probes, attached as goattach does it where the
 * kernel can (uprobe_multi), drained every 10 ms. Says "attached" on stdout, and
 * at SIGTERM how many records came. For tests/bench/run.sh.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "floor.skel.h"

enum {
	LINK_CREATE = 28,	 /* BPF_LINK_CREATE */
	TRACE_UPROBE_MULTI = 48, /* BPF_TRACE_UPROBE_MULTI, Linux 6.6 */
	MAX_OFFSETS = 8,
};

/* union bpf_attr's link_create with uprobe_multi, as include/uapi/linux/bpf.h of 6.6. */
struct link_create {
	__u32 prog_fd, target_fd, attach_type, flags;
	__u64 path, offsets, ref_ctr_offsets, cookies;
	__u32 cnt, multi_flags, pid, pad;
};

static volatile sig_atomic_t stopped;
static long records;

static void stop(int sig)
{
	(void)sig;
	stopped = 1;
}

static int on_record(void *ctx, void *data, size_t size)
{
	(void)ctx;
	(void)data;
	(void)size;
	records++;
	return 0;
}

static int attach_multi(int prog, const char *path, const __u64 *offsets, __u32 n)
{
	struct link_create attr = {
		.prog_fd = prog,
		.attach_type = TRACE_UPROBE_MULTI,
		.path = (__u64)(unsigned long)path,
		.offsets = (__u64)(unsigned long)offsets,
		.cnt = n,
	};

	return (int)syscall(SYS_bpf, LINK_CREATE, &attr, sizeof(attr));
}

int main(int argc, char **argv)
{
	struct floor_bpf *skel;
	struct ring_buffer *ring;
	__u64 offsets[MAX_OFFSETS];
	int n;

	if (argc < 3 || argc - 2 > MAX_OFFSETS) {
		fprintf(stderr, "usage: floor FILE OFFSET…\n");
		return 2;
	}
	for (n = 0; n < argc - 2; n++)
		offsets[n] = strtoull(argv[n + 2], NULL, 0);
	skel = floor_bpf__open();
	if (!skel)
		return 1;
	bpf_program__set_expected_attach_type(skel->progs.hit,
					      (enum bpf_attach_type)TRACE_UPROBE_MULTI);
	if (floor_bpf__load(skel))
		return 1;
	if (attach_multi(bpf_program__fd(skel->progs.hit), argv[1], offsets, n) < 0) {
		fprintf(stderr, "floor: cannot attach: %s\n", strerror(errno));
		return 1;
	}
	ring = ring_buffer__new(bpf_map__fd(skel->maps.ring), on_record, NULL, NULL);
	if (!ring)
		return 1;
	signal(SIGTERM, stop);
	puts("attached");
	fflush(stdout);
	while (!stopped) {
		usleep(10000);
		ring_buffer__consume(ring);
	}
	printf("%ld records\n", records);
	return 0;
}
