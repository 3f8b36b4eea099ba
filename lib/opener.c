// SPDX-License-Identifier: Apache-2.0
#include "opener.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "confine.h"

union control {
	struct cmsghdr head;
	char room[CMSG_SPACE(sizeof(int))];
};

/* --- the child ------------------------------------------------------------------------ */

/* Answers with 0 and a descriptor, or with -errno. */
static int answer(int sock, int fd, int error)
{
	union control control;
	struct iovec iov = { &error, sizeof(error) };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (fd >= 0) {
		memset(&control, 0, sizeof(control));
		m.msg_control = control.room;
		m.msg_controllen = sizeof(control.room);
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(int));
	}
	return sendmsg(sock, &m, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static void serve(int sock)
{
	char path[32];
	int pid, fd, ret = 0;

	while (!ret && recv(sock, &pid, sizeof(pid), 0) == (ssize_t)sizeof(pid)) {
		snprintf(path, sizeof(path), "/proc/%d/exe", pid);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		ret = answer(sock, fd, fd < 0 ? -errno : 0);
		if (fd >= 0)
			close(fd);
	}
}

__attribute__((noreturn)) static void child(int sock, const char *user)
{
	static const int caps[] = { CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH };
	struct confine c = {
		.user = user,
		.need = CONFINE_PROCESSES,
		.caps = caps,
		.n_caps = sizeof(caps) / sizeof(caps[0]),
	};
	int ret;

	/* The pipeline's ends are not for this one to hold open; Ctrl-C is for its parent. */
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	signal(SIGINT, SIG_IGN);
	ret = confine_enter(&c, NULL);
	if (!answer(sock, -1, ret) && !ret)
		serve(sock);
	_exit(0);
}

/* --- the parent ----------------------------------------------------------------------- */

static int receive(int sock, int *fd)
{
	union control control;
	int error;
	struct iovec iov = { &error, sizeof(error) };
	struct msghdr m = { .msg_iov = &iov,
			    .msg_iovlen = 1,
			    .msg_control = control.room,
			    .msg_controllen = sizeof(control.room) };
	const struct cmsghdr *head;
	ssize_t n = recvmsg(sock, &m, MSG_CMSG_CLOEXEC);

	*fd = -1;
	if (n != (ssize_t)sizeof(error))
		return n < 0 ? -errno : -EPIPE;
	head = CMSG_FIRSTHDR(&m);
	if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(head), sizeof(int));
	return error;
}

int opener_start(struct opener *o, const char *user, struct errinfo *e)
{
	int pair[2], none, ret = confine_check(user, e);
	pid_t pid;

	o->fd = -1;
	if (ret)
		return ret;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return errinfo_set(e, -errno, "socketpair: %s", strerror(errno));
	pid = fork();
	if (!pid) {
		close(pair[0]);
		child(pair[1], user);
	}
	ret = pid < 0 ? -errno : 0;
	close(pair[1]);
	if (!ret)
		ret = receive(pair[0], &none);
	if (ret) {
		close(pair[0]);
		return errinfo_set(e, ret, "--user: opening files of processes: %s",
				   strerror(-ret));
	}
	o->fd = pair[0];
	return 0;
}

int opener_exe(const struct opener *o, int pid)
{
	int fd, ret;

	if (send(o->fd, &pid, sizeof(pid), MSG_NOSIGNAL) < 0)
		return -errno;
	ret = receive(o->fd, &fd);
	if (ret)
		return ret;
	return fd >= 0 ? fd : -EPROTO;
}

void opener_release(struct opener *o)
{
	if (o->fd >= 0)
		close(o->fd);
	o->fd = -1;
}
