// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "confine_internal.h"

#define CALLS(name, ...) static const int name[] = { __VA_ARGS__, __NR_SCMP_ERROR }
#define CALL(name)	 SCMP_SYS(name)

/* Memory, time, descriptors that are open already, and the end. */
CALLS(basic, CALL(read), CALL(readv), CALL(pread64), CALL(write), CALL(writev), CALL(close),
      CALL(fstat), CALL(newfstatat), CALL(lseek), CALL(munmap), CALL(mremap), CALL(madvise),
      CALL(brk), CALL(rt_sigaction), CALL(rt_sigprocmask), CALL(rt_sigreturn), CALL(sigaltstack),
      CALL(poll), CALL(ppoll), CALL(select), CALL(pselect6), CALL(epoll_wait), CALL(epoll_pwait),
      CALL(epoll_ctl), CALL(epoll_create1), CALL(signalfd4), CALL(timerfd_create),
      CALL(timerfd_settime), CALL(eventfd2), CALL(pipe2), CALL(exit), CALL(exit_group), CALL(futex),
      CALL(clock_gettime), CALL(clock_getres), CALL(clock_nanosleep), CALL(nanosleep),
      CALL(gettimeofday), CALL(restart_syscall), CALL(getpid), CALL(gettid), CALL(tgkill),
      CALL(getuid), CALL(geteuid), CALL(getgid), CALL(getegid), CALL(getrandom), CALL(sched_yield),
      CALL(sched_getaffinity), CALL(fcntl), CALL(dup), CALL(dup2), CALL(dup3), CALL(rt_sigsuspend),
      CALL(uname), CALL(sysinfo), CALL(getrusage), CALL(umask));
CALLS(files, CALL(readlink), CALL(readlinkat), CALL(access), CALL(faccessat), CALL(faccessat2),
      CALL(stat), CALL(lstat), CALL(statx), CALL(statfs), CALL(fstatfs), CALL(getdents64),
      CALL(getcwd), CALL(flock));
CALLS(writing, CALL(openat), CALL(open), CALL(creat), CALL(mkdir), CALL(mkdirat), CALL(unlink),
      CALL(unlinkat), CALL(rmdir), CALL(rename), CALL(renameat), CALL(renameat2), CALL(ftruncate),
      CALL(fsync), CALL(fdatasync), CALL(fallocate), CALL(pwrite64), CALL(fchmod));
CALLS(network, CALL(socket), CALL(socketpair), CALL(connect), CALL(bind), CALL(listen),
      CALL(accept), CALL(accept4), CALL(getsockname), CALL(getpeername), CALL(getsockopt),
      CALL(setsockopt), CALL(sendto), CALL(recvfrom), CALL(sendmsg), CALL(recvmsg), CALL(sendmmsg),
      CALL(recvmmsg), CALL(shutdown), CALL(sendfile));
CALLS(opener, CALL(sendto), CALL(recvmsg));
CALLS(threads, CALL(set_robust_list), CALL(rseq), CALL(prctl));
CALLS(processes, CALL(pidfd_open), CALL(kill), CALL(socket), CALL(bind), CALL(sendto),
      CALL(recvfrom), CALL(sendmsg), CALL(recvmsg), CALL(setsockopt), CALL(getsockopt),
      CALL(getsockname));

static int allow_all(scmp_filter_ctx f, const int *calls)
{
	int ret = 0;

	for (; !ret && *calls != __NR_SCMP_ERROR; calls++) {
		ret = seccomp_rule_add(f, SCMP_ACT_ALLOW, *calls, 0);
		if (ret == -EDOM || ret == -EEXIST)
			ret = 0; /* another architecture's, or there already */
	}
	return ret;
}

/* Memory that may be executed is not made any more. */
static int allow_memory(scmp_filter_ctx f)
{
	const struct scmp_arg_cmp no_exec = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
	int ret = seccomp_rule_add_array(f, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, &no_exec);

	return ret ? ret
		   : seccomp_rule_add_array(f, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, &no_exec);
}

static int allow_reading(scmp_filter_ctx f)
{
	const scmp_datum_t writes = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC |
				    (O_TMPFILE & ~O_DIRECTORY);
	const struct scmp_arg_cmp at = SCMP_A2(SCMP_CMP_MASKED_EQ, writes, 0);
	const struct scmp_arg_cmp old = SCMP_A1(SCMP_CMP_MASKED_EQ, writes, 0);
	int ret = seccomp_rule_add_array(f, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1, &at);

	if (!ret)
		ret = seccomp_rule_add_array(f, SCMP_ACT_ALLOW, SCMP_SYS(open), 1, &old);
	return ret == -EDOM ? 0 : ret;
}

/* Of clone() what makes a thread; clone3(), whose flags cannot be seen, is said to be missing. */
static int allow_threads(scmp_filter_ctx f)
{
	const struct scmp_arg_cmp thread = SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD | CLONE_VM,
						   CLONE_THREAD | CLONE_VM);
	int ret = seccomp_rule_add_array(f, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1, &thread);

	if (!ret)
		ret = seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	return ret ? ret : allow_all(f, threads);
}

/* Asking a terminal or a socket about itself; and setting how a terminal takes keys. */
static int allow_ioctls(scmp_filter_ctx f, bool terminal)
{
	static const unsigned long requests[] = { TCGETS, FIONREAD, FIONBIO, TIOCGWINSZ,
						  TCSETS, TCSETSW,  TCSETSF, TCFLSH };
	size_t n = terminal ? sizeof(requests) / sizeof(requests[0]) : 4;
	int ret = 0;

	for (size_t i = 0; !ret && i < n; i++) {
		const struct scmp_arg_cmp is = SCMP_A1(SCMP_CMP_EQ, requests[i]);

		ret = seccomp_rule_add_array(f, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1, &is);
	}
	return ret;
}

/* Reading limits, not setting them: of this process. */
static int allow_limits(scmp_filter_ctx f)
{
	const struct scmp_arg_cmp none = SCMP_A2(SCMP_CMP_EQ, 0);

	return seccomp_rule_add_array(f, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1, &none);
}

static int fill(scmp_filter_ctx f, unsigned int need)
{
	int ret = allow_all(f, basic);

	if (!ret)
		ret = allow_memory(f);
	if (!ret)
		ret = allow_ioctls(f, need & CONFINE_TERMINAL);
	if (!ret)
		ret = allow_limits(f);
	if (!ret && need & (CONFINE_FILES | CONFINE_WRITE | CONFINE_PROCESSES))
		ret = allow_all(f, files);
	if (!ret && need & CONFINE_WRITE)
		ret = allow_all(f, writing);
	else if (!ret && need & (CONFINE_FILES | CONFINE_PROCESSES))
		ret = allow_reading(f);
	if (!ret && need & CONFINE_NETWORK)
		ret = allow_all(f, network);
	if (!ret && need & CONFINE_OPENER)
		ret = allow_all(f, opener);
	if (!ret && need & CONFINE_PROCESSES)
		ret = allow_all(f, processes);
	if (!ret && need & CONFINE_THREADS)
		ret = allow_threads(f);
	return ret;
}

int confine_calls(const struct confine *c, struct errinfo *e)
{
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int ret = f ? fill(f, c->need) : -ENOMEM;

	if (!ret)
		ret = seccomp_load(f);
	if (f)
		seccomp_release(f);
	return ret ? errinfo_set(e, ret, "seccomp: %s", strerror(-ret)) : 0;
}
