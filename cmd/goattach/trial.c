// SPDX-License-Identifier: Apache-2.0
#include "trial.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "connector.h"
#include "links.h"
#include "traceevent.h"

/*
 * Numbers of include/uapi/linux/bpf.h, which the system's header may be too old for.
 */
enum {
	FUNC_PROBE_WRITE_USER = 36,
	FUNC_PROBE_READ_KERNEL = 113,
	FUNC_KTIME_GET_COARSE_NS = 160,
	FUNC_GET_ATTACH_COOKIE = 174,
	UPROBE_MULTI_ATTACH_TYPE = 48,
	COMMAND_TOKEN_CREATE = 36,
};

enum { FITS_A_PROGRAM = 65536 }; /* bytes of RLIMIT_MEMLOCK */

#define MOVE_NUMBER(dst, n)                                                                        \
	{                                                                                          \
		.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (dst), .imm = (n)                  \
	}
#define MOVE(dst, src)                                                                             \
	{                                                                                          \
		.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = (dst), .src_reg = (src)            \
	}
#define ADD_NUMBER(dst, n)                                                                         \
	{                                                                                          \
		.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = (dst), .imm = (n)                  \
	}
#define STORE_ZERO(dst, at)                                                                        \
	{                                                                                          \
		.code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = (dst), .off = (at)                   \
	}
#define CALL(func)                                                                                 \
	{                                                                                          \
		.code = BPF_JMP | BPF_CALL, .imm = (func)                                          \
	}
#define EXIT                                                                                       \
	{                                                                                          \
		.code = BPF_JMP | BPF_EXIT                                                         \
	}
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static int load(enum bpf_prog_type type, unsigned int attach_type, const struct bpf_insn *insns,
		size_t n)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .expected_attach_type = (enum bpf_attach_type)attach_type);

	return bpf_prog_load(type, "gotap_try", "GPL", insns, n, &opts);
}

/* A program of @type that returns @value; its descriptor. */
static int load_constant(enum bpf_prog_type type, unsigned int attach_type, int value)
{
	const struct bpf_insn insns[] = { MOVE_NUMBER(BPF_REG_0, value), EXIT };

	return load(type, attach_type, insns, COUNT(insns));
}

static int dispose(int fd)
{
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int trial_program(void)
{
	return dispose(load_constant(BPF_PROG_TYPE_KPROBE, 0, 0));
}

int trial_ring_buffer(void)
{
	return dispose(bpf_map_create(BPF_MAP_TYPE_RINGBUF, "gotap_try", 0, 0,
				      (unsigned int)sysconf(_SC_PAGESIZE), NULL));
}

/* --- what programs may call -------------------------------------------------------- */

/* Calls @func(0, stack, 8): memory is written to address 0, where it stays unwritten. */
int trial_write_user(void)
{
	const struct bpf_insn insns[] = {
		STORE_ZERO(BPF_REG_10, -8),  MOVE_NUMBER(BPF_REG_1, 0),
		MOVE(BPF_REG_2, BPF_REG_10), ADD_NUMBER(BPF_REG_2, -8),
		MOVE_NUMBER(BPF_REG_3, 8),   CALL(FUNC_PROBE_WRITE_USER),
		MOVE_NUMBER(BPF_REG_0, 0),   EXIT,
	};

	return dispose(load(BPF_PROG_TYPE_KPROBE, 0, insns, COUNT(insns)));
}

int trial_read_kernel(void)
{
	const struct bpf_insn insns[] = {
		MOVE(BPF_REG_1, BPF_REG_10),
		ADD_NUMBER(BPF_REG_1, -8),
		MOVE_NUMBER(BPF_REG_2, 8),
		MOVE_NUMBER(BPF_REG_3, 0),
		CALL(FUNC_PROBE_READ_KERNEL),
		MOVE_NUMBER(BPF_REG_0, 0),
		EXIT,
	};

	return dispose(load(BPF_PROG_TYPE_KPROBE, 0, insns, COUNT(insns)));
}

/* A program of @type that calls @func, which takes no argument or the context. */
static int try_call(enum bpf_prog_type type, int func)
{
	const struct bpf_insn insns[] = { CALL(func), MOVE_NUMBER(BPF_REG_0, 0), EXIT };

	return dispose(load(type, 0, insns, COUNT(insns)));
}

int trial_cookie(void)
{
	return try_call(BPF_PROG_TYPE_KPROBE, FUNC_GET_ATTACH_COOKIE);
}

bool trial_memlock_counts(void)
{
	struct rlimit lim;
	/* The function came with what made the memory of maps the control group's: 5.11. */
	int ret = try_call(BPF_PROG_TYPE_SOCKET_FILTER, FUNC_KTIME_GET_COARSE_NS);

	if (ret == -EPERM && !getrlimit(RLIMIT_MEMLOCK, &lim))
		return lim.rlim_cur < FITS_A_PROGRAM; /* not even this one may be loaded */
	return ret == -EINVAL;
}

/* --- probes ---------------------------------------------------------------------- */

/* Carries the probe; nobody calls it. */
__attribute__((noinline, used)) static void trial_site(void)
{
	__asm__ volatile("nop\n\tnop\n\tnop\n\tnop");
}

/* Where trial_site() is in the file; 0 if that cannot be told. */
static uint64_t site_offset(void)
{
	uint64_t at = (uint64_t)(uintptr_t)trial_site, start, end, offset, found = 0;
	FILE *f = fopen("/proc/self/maps", "re");
	char line[4352];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &start, &end, &offset) ==
			    3 &&
		    at >= start && at < end)
			found = at - start + offset;
	if (f)
		fclose(f);
	return found;
}

int trial_uprobe(enum attach_how how)
{
	unsigned int type = how == ATTACH_MULTI ? UPROBE_MULTI_ATTACH_TYPE : 0;
	int prog = load_constant(BPF_PROG_TYPE_KPROBE, type, 0), exe, ret = -ENOENT;
	struct kernel k = { .how = how, .events = how == ATTACH_EVENT, .prog_fd = prog };
	uint64_t offset = site_offset(), cookie = how == ATTACH_EVENT ? GOTAP_ASK_ADDRESS : 1;
	struct fdset set;

	if (prog < 0)
		return prog;
	exe = how != ATTACH_EVENT || traceevent_init()
		      ? open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
		      : -1;
	if (exe >= 0 && offset)
		ret = links_open(&k, exe, 0, &offset, &cookie, 1, &set, NULL);
	if (!ret)
		fdset_close(&set);
	dispose(exe);
	close(prog);
	return !ret && how == ATTACH_PERF ? trial_cookie() : ret;
}

/* A program that counts in the only element of the array @map. */
static int load_counter(unsigned int attach_type, int map)
{
	enum { FUNC_MAP_LOOKUP = 1 };
	const struct bpf_insn insns[] = {
		STORE_ZERO(BPF_REG_10, -8),
		MOVE(BPF_REG_2, BPF_REG_10),
		ADD_NUMBER(BPF_REG_2, -8),
		{ .code = BPF_LD | BPF_DW | BPF_IMM,
		  .dst_reg = BPF_REG_1,
		  .src_reg = BPF_PSEUDO_MAP_FD,
		  .imm = map },
		{ 0 }, /* the high half */
		CALL(FUNC_MAP_LOOKUP),
		/* Nothing there: over the next two. */
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_0, .off = 2 },
		MOVE_NUMBER(BPF_REG_1, 1),
		{ .code = BPF_STX | BPF_ATOMIC | BPF_DW,
		  .dst_reg = BPF_REG_0,
		  .src_reg = BPF_REG_1,
		  .imm = BPF_ADD },
		MOVE_NUMBER(BPF_REG_0, 0),
		EXIT,
	};

	return load(BPF_PROG_TYPE_KPROBE, attach_type, insns, COUNT(insns));
}

static void *hit(void *unused)
{
	trial_site();
	return unused;
}

/* How often the program of @map was run for a thread that meets the site once. */
static int count_thread(int map, uint64_t *n)
{
	uint32_t first = 0;
	pthread_t thread;
	int ret = -pthread_create(&thread, NULL, hit, NULL);

	if (!ret)
		ret = -pthread_join(thread, NULL);
	return ret ? ret : bpf_map_lookup_elem(map, &first, n) ? -errno : 0;
}

int trial_filter(const struct kernel *k)
{
	unsigned int type = k->how == ATTACH_MULTI ? UPROBE_MULTI_ATTACH_TYPE : 0;
	int map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "gotap_try", 4, 8, 1, NULL);
	int prog = map < 0 ? map : load_counter(type, map), exe = -1, ret = prog;
	struct kernel try = { .how = k->how, .events = k->events, .prog_fd = prog };
	uint64_t offset = site_offset(), cookie = k->events ? GOTAP_ASK_ADDRESS : 1, n = 0;
	struct fdset set;

	if (prog >= 0)
		ret = exe = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (exe >= 0)
		ret = links_open(&try, exe, getpid(), &offset, &cookie, 1, &set, NULL);
	if (!ret) {
		ret = count_thread(map, &n);
		fdset_close(&set);
	}
	dispose(exe);
	dispose(prog);
	dispose(map);
	return ret ? ret : n == 1 ? 0 : -ENOTSUP;
}

/* --- sockets and control groups ----------------------------------------------------- */

int trial_sk_msg(void)
{
	enum { PASS = 1 }; /* SK_PASS */
	int prog = load_constant(BPF_PROG_TYPE_SK_MSG, BPF_SK_MSG_VERDICT, PASS), map, ret;

	if (prog < 0)
		return prog;
	map = bpf_map_create(BPF_MAP_TYPE_SOCKHASH, "gotap_try", 4, 4, 1, NULL);
	ret = map < 0 ? map : bpf_prog_attach(prog, map, BPF_SK_MSG_VERDICT, 0);
	if (!ret)
		bpf_prog_detach2(prog, map, BPF_SK_MSG_VERDICT);
	dispose(map);
	close(prog);
	return ret;
}

/* A place where control groups of version 2 are: of a line of /proc/self/mounts. */
static int cgroup_mount(char *path, size_t size)
{
	FILE *f = fopen("/proc/self/mounts", "re");
	char line[4352], at[4096], type[64];
	int ret = -ENOENT;

	while (ret && f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%*s %4095s %63s", at, type) == 2 && !strcmp(type, "cgroup2")) {
			snprintf(path, size, "%s", at);
			ret = 0;
		}
	if (f)
		fclose(f);
	return ret;
}

int trial_cgroup(void)
{
	int prog = load_constant(BPF_PROG_TYPE_SOCK_OPS, BPF_CGROUP_SOCK_OPS, 1), dir, ret;
	char mount[4096], path[4200];

	if (prog < 0)
		return prog;
	ret = cgroup_mount(mount, sizeof(mount));
	snprintf(path, sizeof(path), "%s/gotap-check-%d", ret ? "" : mount, (int)getpid());
	if (!ret && mkdir(path, 0700))
		ret = -errno;
	if (!ret) {
		dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		ret = dir < 0 ? -errno : bpf_prog_attach(prog, dir, BPF_CGROUP_SOCK_OPS, 0);
		if (!ret)
			bpf_prog_detach2(prog, dir, BPF_CGROUP_SOCK_OPS);
		dispose(dir);
		rmdir(path);
	}
	close(prog);
	return ret;
}

/* --- the rest --------------------------------------------------------------------- */

int trial_proc_connector(void)
{
	return dispose(connector_open(NULL));
}

int trial_token(void)
{
	struct {
		__u32 flags, bpffs_fd;
	} attr = { .bpffs_fd = UINT32_MAX };
	long fd = syscall(SYS_bpf, COMMAND_TOKEN_CREATE, &attr, sizeof(attr));

	if (fd >= 0)
		return dispose((int)fd);
	return errno == EBADF ? 0 : -errno; /* EINVAL: no such command */
}
