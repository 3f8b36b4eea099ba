// SPDX-License-Identifier: Apache-2.0
#include "sockdiag.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#define TCP_STATE_LISTEN 10 /* include/net/tcp_states.h */

static int open_here(void)
{
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);

	return fd < 0 ? -errno : fd;
}

/* A socket stays in the namespace where it was made. */
static int open_there(int own, int dir)
{
	int ret, there = openat(dir, "ns/net", O_RDONLY | O_CLOEXEC);

	if (there < 0)
		return -errno;
	ret = setns(there, CLONE_NEWNET) ? -errno : 0;
	close(there);
	if (ret)
		return ret;
	ret = open_here();
	if (setns(own, CLONE_NEWNET) && ret >= 0) {
		close(ret);
		return -errno;
	}
	return ret;
}

static int open_socket(int dir)
{
	int ret, own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	struct stat a, b;

	if (own < 0)
		return -errno;
	if (fstat(own, &a) || fstatat(dir, "ns/net", &b, 0))
		ret = -errno;
	else
		ret = a.st_ino == b.st_ino ? open_here() : open_there(own, dir);
	close(own);
	return ret;
}

static int ask(int fd, uint8_t family)
{
	struct {
		struct nlmsghdr head;
		struct inet_diag_req_v2 req;
	} q = {
		.head = { .nlmsg_len = sizeof(q),
			  .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			  .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		.req = { .sdiag_family = family,
			 .sdiag_protocol = IPPROTO_TCP,
			 .idiag_states = 1u << TCP_STATE_LISTEN },
	};

	return send(fd, &q, sizeof(q), 0) < 0 ? -errno : 0;
}

/* One answer of @len bytes. 1 when it was the last one. */
static int take(const char *buf, size_t len, int (*fn)(uint64_t, uint16_t, void *), void *arg)
{
	const struct nlmsghdr *h = (const struct nlmsghdr *)buf;

	for (; NLMSG_OK(h, len); h = NLMSG_NEXT(h, len)) {
		const struct inet_diag_msg *m = NLMSG_DATA(h);
		int ret;

		if (h->nlmsg_type == NLMSG_DONE)
			return 1;
		if (h->nlmsg_type == NLMSG_ERROR) {
			ret = ((const struct nlmsgerr *)NLMSG_DATA(h))->error;
			return ret < 0 ? ret : -EPROTO;
		}
		if (h->nlmsg_len < NLMSG_LENGTH(sizeof(*m)))
			return -EPROTO;
		ret = fn(m->idiag_inode, ntohs(m->id.idiag_sport), arg);
		if (ret)
			return ret;
	}
	return 0;
}

static int dump(int fd, uint8_t family, int (*fn)(uint64_t, uint16_t, void *), void *arg)
{
	_Alignas(struct nlmsghdr) char buf[32768];
	int ret = ask(fd, family);

	while (!ret) {
		ssize_t n = recv(fd, buf, sizeof(buf), 0);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			return -EPROTO;
		if (n > 0)
			ret = take(buf, (size_t)n, fn, arg);
	}
	return ret == 1 ? 0 : ret;
}

int sockdiag_each(int dir, int (*fn)(uint64_t inode, uint16_t port, void *arg), void *arg)
{
	/* The kernel answers at once; this only bounds what must not happen. */
	struct timeval limit = { .tv_sec = 1 };
	int ret, fd = open_socket(dir);

	if (fd < 0)
		return fd;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	ret = dump(fd, AF_INET, fn, arg);
	if (!ret)
		ret = dump(fd, AF_INET6, fn, arg);
	close(fd);
	return ret;
}
