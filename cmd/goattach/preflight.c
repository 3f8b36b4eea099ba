// SPDX-License-Identifier: Apache-2.0
#include "preflight.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#include "hostinfo.h"
#include "links.h"
#include "loadlog.h"
#include "trial.h"

/* The smallest program there is; its descriptor or -errno. */
static int load_nothing(unsigned int attach_type)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .expected_attach_type = (enum bpf_attach_type)attach_type);

	return bpf_prog_load(BPF_PROG_TYPE_KPROBE, "gotap_try", "GPL", insns, 2, &opts);
}

int preflight(const char *btf, struct errinfo *e)
{
	struct hostinfo host;
	struct load_facts facts = { .host = &host };
	int fd;

	hostinfo_read(&host);
	if (*loadlog_missing(&host))
		return loadlog_explain(-EPERM, "", &facts, e);
	if (!btf && access("/sys/kernel/btf/vmlinux", R_OK))
		return loadlog_explain(-ESRCH, "", &facts, e);
	fd = load_nothing(0);
	if (fd == -EINVAL)
		return errinfo_set(e, -ENOTSUP,
				   "this kernel cannot run BPF programs at probes; boot one that "
				   "is built with CONFIG_BPF_EVENTS");
	if (fd < 0) {
		facts.memlock_counts = trial_memlock_counts();
		return loadlog_explain(fd, "", &facts, e);
	}
	close(fd);
	if (host.lockdown == LOCKDOWN_CONFIDENTIALITY)
		return loadlog_explain(-EPERM, "", &facts, e);
	if (!preflight_multi() && access("/sys/bus/event_source/devices/uprobe/type", R_OK))
		return errinfo_set(e, -ENOTSUP,
				   "this kernel has no uprobes; boot one that is built with "
				   "CONFIG_UPROBE_EVENTS");
	return 0;
}

bool preflight_multi(void)
{
	uint64_t offset = 0;
	int prog = load_nothing(48), link;

	if (prog < 0)
		return false;
	/* A directory is refused with EBADF by kernels that know this kind of link at all. */
	link = links_open_multi(prog, "/", 0, &offset, &offset, 1);
	if (link >= 0)
		close(link);
	close(prog);
	return link == -EBADF;
}
