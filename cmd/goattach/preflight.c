// SPDX-License-Identifier: Apache-2.0
#include "preflight.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "links.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#define CAP_BPF	    39
#endif

static uint64_t capabilities(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	unsigned long long caps = 0;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "CapEff: %llx", &caps) == 1)
			break;
	if (f)
		fclose(f);
	return caps;
}

static bool may(uint64_t caps, int cap)
{
	return caps >> cap & 1 || caps >> CAP_SYS_ADMIN & 1;
}

/* "none", "integrity", "confidentiality", or "" where the kernel has no lockdown. */
static bool locked_down(const char *level)
{
	FILE *f = fopen("/sys/kernel/security/lockdown", "re");
	char line[128] = "", want[64];

	if (!f)
		return false;
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
	snprintf(want, sizeof(want), "[%s]", level);
	return strstr(line, want) != NULL;
}

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

int preflight(struct errinfo *e)
{
	uint64_t caps = capabilities();
	int fd;

	if (!may(caps, CAP_BPF) || !may(caps, CAP_PERFMON))
		return errinfo_set(e, -EPERM,
				   "not permitted: tracing needs root, or the capabilities CAP_BPF "
				   "and CAP_PERFMON; run goattach with sudo");
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return errinfo_set(
			e, -ENOTSUP,
			"this kernel has no BTF (/sys/kernel/btf/vmlinux); boot one that "
			"is built with CONFIG_DEBUG_INFO_BTF, as Debian's are");
	fd = load_nothing(0);
	if (fd == -ENOSYS)
		return errinfo_set(e, -ENOTSUP,
				   "this kernel has no bpf system call; boot one that is built "
				   "with CONFIG_BPF_SYSCALL");
	if (fd == -EINVAL)
		return errinfo_set(e, -ENOTSUP,
				   "this kernel cannot run BPF programs at probes; boot one that "
				   "is built with CONFIG_BPF_EVENTS");
	if (fd < 0)
		return errinfo_set(e, -EPERM,
				   "the bpf system call is refused (%s), perhaps by a container's "
				   "seccomp filter; run goattach outside of it",
				   strerror(-fd));
	close(fd);
	if (locked_down("confidentiality"))
		return errinfo_set(e, -EPERM,
				   "kernel lockdown is set to confidentiality, which forbids "
				   "tracing; boot with lockdown=integrity");
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
	link = links_open_multi(prog, "/", &offset, &offset, 1);
	if (link >= 0)
		close(link);
	close(prog);
	return link == -EBADF;
}

/* bpf_get_attach_cookie; the system headers may be older than it. */
#define FUNC_GET_ATTACH_COOKIE 174

bool preflight_cookies(void)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_JMP | BPF_CALL, .imm = FUNC_GET_ATTACH_COOKIE },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "gotap_try", "GPL", insns,
			       sizeof(insns) / sizeof(insns[0]), NULL);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

int preflight_explain(int ret, struct errinfo *e)
{
	switch (-ret) {
	case EPERM:
		return errinfo_set(e, ret,
				   "loading the BPF program is not permitted: a capability is "
				   "missing, or RLIMIT_MEMLOCK is too low; run goattach as root");
	case ENOMEM:
		return errinfo_set(
			e, ret, "no memory for the BPF maps; make --ring or --max-calls smaller");
	case ESRCH:
		return errinfo_set(e, ret, "this kernel's BTF is not readable");
	default:
		return errinfo_set(e, ret,
				   "this kernel refused the BPF program (%s); goattach -v shows "
				   "its log",
				   strerror(-ret));
	}
}
