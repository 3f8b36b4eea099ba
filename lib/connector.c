// SPDX-License-Identifier: Apache-2.0
#include "connector.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* The kernel answers within microseconds, or, in a namespace, never. */
#define ANSWER_MS   200
#define RECEIVE_BUF (4 * 1024 * 1024)

/* At most so many in one go, so that signals and ends are not kept waiting. */
#define MAX_EVENTS 256

#define EVENT_AT (NLMSG_HDRLEN + sizeof(struct cn_msg))

/* A netlink message of the connector with room for the largest event. */
struct message {
	union {
		struct nlmsghdr head;
		char bytes[NLMSG_SPACE(sizeof(struct cn_msg) + sizeof(struct proc_event))];
	};
};

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/*
 * Forks, exits and the rest outnumber execs: they are dropped in the kernel, so
 * that they do not wake us. Filters load in network byte order.
 */
static int keep_execs(int fd)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, EVENT_AT + offsetof(struct proc_event, what)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(PROC_EVENT_EXEC), 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(PROC_EVENT_NONE), 0, 1),
		BPF_STMT(BPF_RET | BPF_K, 0xffffffff),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog prog = { .len = sizeof(code) / sizeof(*code), .filter = code };

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &prog, sizeof(prog)) ? -errno : 0;
}

static void *put_message(struct message *m, unsigned ack, size_t len)
{
	struct cn_msg *cn = NLMSG_DATA(&m->head);

	memset(m, 0, sizeof(*m));
	m->head.nlmsg_len = (unsigned)NLMSG_LENGTH(sizeof(*cn) + len);
	m->head.nlmsg_type = NLMSG_DONE;
	cn->id.idx = CN_IDX_PROC;
	cn->id.val = CN_VAL_PROC;
	cn->ack = ack;
	cn->len = (__u16)len;
	return m->bytes + EVENT_AT;
}

static int subscribe(int fd, unsigned ack)
{
	enum proc_cn_mcast_op op = PROC_CN_MCAST_LISTEN;
	struct message m;

	memcpy(put_message(&m, ack, sizeof(op)), &op, sizeof(op));
	return send(fd, &m, m.head.nlmsg_len, 0) < 0 ? -errno : 0;
}

/* One event into @m. 1, 0 if it is no event of the kernel's, or -errno. */
static int receive(int fd, struct message *m, struct proc_event *ev)
{
	struct sockaddr_nl from = { 0 };
	socklen_t from_len = sizeof(from);
	const struct cn_msg *cn;
	ssize_t n = recvfrom(fd, m, sizeof(*m), MSG_DONTWAIT, (struct sockaddr *)&from, &from_len);

	memset(ev, 0, sizeof(*ev));
	if (n < 0)
		return -errno;
	cn = NLMSG_DATA(&m->head);
	if (from.nl_pid || (size_t)n < EVENT_AT || cn->id.idx != CN_IDX_PROC)
		return 0;
	/* The kernel's struct may be shorter or longer than the one in our headers. */
	n -= (ssize_t)EVENT_AT;
	memcpy(ev, m->bytes + EVENT_AT, (size_t)n < sizeof(*ev) ? (size_t)n : sizeof(*ev));
	return 1;
}

/* Waits for the kernel's word on our subscription; others' pass by here as well. */
static int await_answer(int fd, unsigned ack)
{
	int64_t end = now_ms() + ANSWER_MS, left;

	while ((left = end - now_ms()) > 0) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		const struct cn_msg *cn;
		struct proc_event ev;
		struct message m;
		int ret;

		if (poll(&p, 1, (int)left) <= 0)
			continue;
		ret = receive(fd, &m, &ev);
		if (ret == -ENOBUFS || ret == -EAGAIN)
			continue;
		if (ret < 0)
			return ret;
		cn = NLMSG_DATA(&m.head);
		if (ret && ev.what == PROC_EVENT_NONE && cn->ack == ack + 1)
			return -(int)ev.event_data.ack.err;
	}
	return -ETIMEDOUT;
}

static int listen_on(int fd, struct errinfo *e)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC };
	int ret, size = RECEIVE_BUF;
	unsigned ack = (unsigned)getpid(); /* comes back as ack + 1 */

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	ret = keep_execs(fd);
	if (ret)
		return errinfo_set(e, ret, "socket filter: %s", strerror(-ret));
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		return errinfo_set(e, -errno, "bind: %s", strerror(errno));
	ret = subscribe(fd, ack);
	if (ret)
		return errinfo_set(e, ret, "send: %s", strerror(-ret));
	ret = await_answer(fd, ack);
	if (ret == -ETIMEDOUT)
		return errinfo_set(e, ret, "no answer (a namespace, or no CONFIG_PROC_EVENTS)");
	if (ret)
		return errinfo_set(e, ret, "%s", strerror(-ret));
	return 0;
}

int connector_open(struct errinfo *e)
{
	int ret, fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			     NETLINK_CONNECTOR);

	if (fd < 0)
		return errinfo_set(e, -errno, "%s", strerror(errno));
	ret = listen_on(fd, e);
	if (ret) {
		close(fd);
		return ret;
	}
	return fd;
}

int connector_read(int fd, int (*fn)(int pid, void *arg), void *arg)
{
	for (int i = 0; i < MAX_EVENTS; i++) {
		struct proc_event ev;
		struct message m;
		int ret = receive(fd, &m, &ev);

		if (ret == -EINTR)
			continue;
		if (ret < 0)
			return ret == -EAGAIN ? 0 : ret;
		if (ret && ev.what == PROC_EVENT_EXEC)
			ret = fn(ev.event_data.exec.process_tgid, arg);
		else
			ret = 0;
		if (ret)
			return ret;
	}
	return 0;
}
