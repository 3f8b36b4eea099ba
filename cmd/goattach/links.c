// SPDX-License-Identifier: Apache-2.0
#include "links.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "traceevent.h"

/*
 * BPF_LINK_CREATE of a uprobe_multi link, as in Linux 6.6's
 * include/uapi/linux/bpf.h (union bpf_attr, link_create). The system headers and
 * the libbpf of Debian 12 do not have it.
 */
#define UPROBE_MULTI_ATTACH_TYPE 48 /* BPF_TRACE_UPROBE_MULTI */
/* ENOTSUPP of include/linux/errno.h, which the C library has no text for. */
#define ENOTSUPP_KERNEL 524

struct link_create_multi {
	__u32 prog_fd, target_fd;
	__u32 attach_type, flags;
	__aligned_u64 path, offsets, ref_ctr_offsets, cookies;
	__u32 cnt, multi_flags, pid, padding;
};
_Static_assert(sizeof(struct link_create_multi) == 64, "link_create_multi");
_Static_assert(BPF_LINK_CREATE == 28, "BPF_LINK_CREATE");

static __u64 to_u64(const void *p)
{
	return (__u64)(uintptr_t)p;
}

int links_open_multi(int prog_fd, const char *path, int pid, const uint64_t *offsets,
		     const uint64_t *cookies, size_t n)
{
	struct link_create_multi attr = {
		.prog_fd = (__u32)prog_fd,
		.attach_type = UPROBE_MULTI_ATTACH_TYPE,
		.path = to_u64(path),
		.offsets = to_u64(offsets),
		.cookies = to_u64(cookies),
		.cnt = (__u32)n,
		.pid = (__u32)pid,
	};
	long fd = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

	return fd < 0 ? -errno : (int)fd;
}

void fdset_close(struct fdset *s)
{
	for (size_t i = 0; i < s->n; i++) {
		close(s->held[i].fd);
		if (s->held[i].event)
			traceevent_remove(s->held[i].event);
	}
	free(s->held);
	memset(s, 0, sizeof(*s));
}

int fdset_join(struct fdset *to, struct fdset *from)
{
	struct held *more = realloc(to->held, (to->n + from->n) * sizeof(*more) + 1);

	if (!more)
		return -ENOMEM;
	if (from->n)
		memcpy(more + to->n, from->held, from->n * sizeof(*more));
	to->held = more;
	to->n += from->n;
	free(from->held);
	memset(from, 0, sizeof(*from));
	return 0;
}

static void hold(struct fdset *s, int fd, uint32_t event)
{
	s->held[s->n++] = (struct held){ fd, event };
}

static bool asks_address(const struct kernel *k, uint64_t cookie)
{
	return k->how == ATTACH_ADDRESS || (uint32_t)cookie == GOTAP_ASK_ADDRESS;
}

static int uprobe_pmu(void)
{
	FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
	int type = -1;

	if (!f)
		return -errno;
	if (fscanf(f, "%d", &type) != 1)
		type = -EINVAL;
	fclose(f);
	return type;
}

/* The way of kernels before 5.15, which have no link for this. */
static int run_at(int perf, int prog_fd)
{
	return ioctl(perf, PERF_EVENT_IOC_SET_BPF, prog_fd) || ioctl(perf, PERF_EVENT_IOC_ENABLE, 0)
		       ? -errno
		       : 0;
}

/*
 * Puts the program on the event @perf, which is closed on failure. The descriptor of the
 * link or, without cookies, of the event.
 */
static int link_perf(const struct kernel *k, int perf, uint64_t cookie)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = cookie);
	int ret;

	if (k->how != ATTACH_ADDRESS) {
		ret = bpf_link_create(k->prog_fd, perf, BPF_PERF_EVENT, &opts);
		close(perf); /* the link holds it */
		return ret;
	}
	ret = run_at(perf, k->prog_fd);
	if (!ret)
		return perf;
	close(perf);
	return ret;
}

/* One perf uprobe, with the program on it. */
static int open_perf(const struct kernel *k, int pmu, const char *path, int pid, uint64_t offset,
		     uint64_t cookie)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = (__u32)pmu,
		.config1 = to_u64(path),
		.config2 = offset,
	};
	long perf = syscall(SYS_perf_event_open, &attr, pid ? pid : -1, pid ? -1 : 0, -1,
			    PERF_FLAG_FD_CLOEXEC);

	return perf < 0 ? -errno : link_perf(k, (int)perf, cookie);
}

static int open_all_perf(const struct kernel *k, const char *path, int pid, const uint64_t *offsets,
			 const uint64_t *cookies, size_t n, struct fdset *out)
{
	int pmu = uprobe_pmu();

	if (pmu < 0)
		return pmu;
	for (size_t i = 0; i < n; i++) {
		int fd = open_perf(k, pmu, path, pid, offsets[i], cookies[i]);

		if (fd < 0)
			return fd;
		hold(out, fd, 0);
	}
	return 0;
}

/* These sites as one event, which the program is put on. */
static int open_event(const struct kernel *k, int exe_fd, int pid, const uint64_t *offsets,
		      size_t n, uint64_t cookie, struct fdset *out)
{
	uint32_t event;
	int fd = traceevent_open(exe_fd, pid, offsets, n, &event);

	if (fd < 0)
		return fd;
	fd = link_perf(k, fd, cookie);
	if (fd < 0) {
		traceevent_remove(event);
		return fd;
	}
	hold(out, fd, event);
	return 0;
}

/*
 * All sites that are found by their address as one event. Two probes at one address cannot
 * be told apart by it: the second has an event of its own.
 */
static int open_events(const struct kernel *k, int exe_fd, int pid, const uint64_t *offsets,
		       const uint64_t *cookies, size_t n, struct fdset *out)
{
	uint64_t *together = calloc(n ? n : 1, sizeof(*together)), cookie = 0;
	size_t m = 0;
	int ret = 0;

	if (!together)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (asks_address(k, cookies[i])) {
			together[m++] = offsets[i];
			cookie = cookies[i];
		}
	if (m)
		ret = open_event(k, exe_fd, pid, together, m, cookie, out);
	free(together);
	for (size_t i = 0; !ret && i < n; i++)
		if (!asks_address(k, cookies[i]))
			ret = open_event(k, exe_fd, pid, &offsets[i], 1, cookies[i], out);
	return ret;
}

int links_open(const struct kernel *k, int exe_fd, int pid, const uint64_t *offsets,
	       const uint64_t *cookies, size_t n, struct fdset *out, struct errinfo *e)
{
	char path[32];
	int ret;

	memset(out, 0, sizeof(*out));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", exe_fd);
	out->held = calloc(n ? n : 1, sizeof(*out->held));
	if (!out->held)
		return errinfo_set(e, -ENOMEM, "out of memory");
	if (k->how == ATTACH_MULTI) {
		ret = links_open_multi(k->prog_fd, path, pid, offsets, cookies, n);
		if (ret >= 0) {
			hold(out, ret, 0);
			return 0;
		}
	} else if (k->events) {
		ret = open_events(k, exe_fd, pid, offsets, cookies, n, out);
		if (!ret)
			return 0;
	} else {
		ret = open_all_perf(k, path, pid, offsets, cookies, n, out);
		if (!ret)
			return 0;
	}
	fdset_close(out);
	if (ret == -ENOTSUPP_KERNEL)
		return errinfo_set(e, ret, "the kernel cannot probe this instruction");
	if (ret == -EACCES && k->how != ATTACH_MULTI)
		return errinfo_set(
			e, ret,
			"the kernel refused the probe: it wants CAP_SYS_ADMIN for probes "
			"by perf");
	return errinfo_set(e, ret, "the kernel refused the probe: %s", strerror(-ret));
}
