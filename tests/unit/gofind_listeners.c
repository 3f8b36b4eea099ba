// SPDX-License-Identifier: Apache-2.0
/* Listening sockets: the kernel's table, and this process's own. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../cmd/gofind/listeners.h"
#include "../../cmd/gofind/procfs.h"
#include "../../cmd/gofind/sockdiag.h"
#include "tap.h"

static void test_lines(void)
{
	struct listener l = { 0 };

	is_int(listener_parse("   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 "
			      "00000000     0        0 29384 1 0000000000000000 100 0 0 10 0\n",
			      &l),
	       1, "a listening IPv4 socket");
	ok(l.port == 8080 && l.inode == 29384, "its port and inode");
	is_int(listener_parse("   1: 00000000000000000000000001000000:235A "
			      "00000000000000000000000000000000:0000 0A 00000000:00000000 "
			      "00:00000000 00000000  1000        0 4294967296 1 0 100 0 0 10 0\n",
			      &l),
	       1, "a listening IPv6 socket");
	ok(l.port == 9050 && l.inode == 4294967296, "its port and inode");
	is_int(listener_parse("   2: 0100007F:1F90 0100007F:CE12 01 00000000:00000000 00:00000000 "
			      "00000000     0        0 29385 1 0 20 4 30 10 -1\n",
			      &l),
	       0, "an established one");
	is_int(listener_parse("  sl  local_address rem_address   st tx_queue rx_queue tr tm->when "
			      "retrnsmt   uid  timeout inode\n",
			      &l),
	       -EINVAL, "the heading");
	is_int(listener_parse("", &l), -EINVAL, "an empty line");
	is_int(listener_parse("0: 0100007F:1F90 00000000:0000 0A", &l), -EINVAL, "a cut line");
}

static int listen_on(int family, uint16_t *port)
{
	struct sockaddr_in6 a6 = { .sin6_family = AF_INET6, .sin6_addr = in6addr_loopback };
	struct sockaddr_in a4 = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(family, SOCK_STREAM, 0);
	struct sockaddr_in6 got = { 0 };
	socklen_t len = sizeof(got);
	int ret = family == AF_INET ? bind(fd, (struct sockaddr *)&a4, sizeof(a4))
				    : bind(fd, (struct sockaddr *)&a6, sizeof(a6));

	if (ret || listen(fd, 1) || getsockname(fd, (struct sockaddr *)&got, &len)) {
		close(fd);
		return -1;
	}
	*port = ntohs(got.sin6_port); /* at the same place in both structs */
	return fd;
}

static int has(const uint16_t *ports, size_t n, uint16_t port)
{
	int found = 0;

	for (size_t i = 0; i < n; i++)
		found += ports[i] == port;
	return found;
}

static void test_own(bool only_proc)
{
	int dir = procfs_open(getpid()), extra, fd4, fd6;
	uint16_t *ports, port4 = 0, port6 = 0;
	struct listeners l = { .only_proc = only_proc };
	struct ports wanted = { 0 };
	uint64_t before = 1, after = 1;
	size_t n;

	printf("# %s\n", only_proc ? "from /proc" : "by netlink");
	is_int(listeners_of(&l, dir, &ports, &n), 0, "without a socket");
	ok(!ports && !n, "there are no ports");
	listeners_signature(&l, dir, &wanted, &before);
	is_int((long long)before, 0, "without a wanted port");
	fd4 = listen_on(AF_INET, &port4);
	ports_set(&wanted, port4);
	is_int(listeners_of(&l, dir, &ports, &n), 0, "the tables are kept");
	ok(!n, "so a new socket is not seen");
	listeners_signature(&l, dir, &wanted, &before);
	is_int((long long)before, 0, "nobody listens on the wanted port");
	listeners_forget(&l);
	extra = dup(fd4);
	fd6 = listen_on(AF_INET6, &port6);
	is_int(listeners_of(&l, dir, &ports, &n), 0, "until they are forgotten");
	is_int(has(ports, n, port4), 1, "IPv4, once for two descriptors");
	ok(fd6 < 0 || has(ports, n, port6) == 1, "IPv6");
	for (size_t i = 1; i < n; i++)
		ok(ports[i - 1] < ports[i], "in ascending order");
	free(ports);
	ok(listeners_has(&l, dir, port4) && !listeners_has(&l, dir, 0), "what the namespace has");
	listeners_signature(&l, dir, &wanted, &after);
	ok(after != 0, "the signature tells");
	listeners_forget(&l);
	close(extra);
	close(fd6);
	close(fd4);
	close(dir);
}

static int find_port(uint64_t inode, uint16_t port, void *arg)
{
	return inode && port == *(uint16_t *)arg ? 99 : 0;
}

static void test_netlink(void)
{
	int dir = procfs_open(getpid()), fd, ret;
	uint16_t port = 0;

	fd = listen_on(AF_INET, &port);
	ret = sockdiag_each(dir, find_port, &port);
	if (ret == -ENOENT || ret == -EPROTONOSUPPORT)
		ok(1, "netlink # SKIP no inet_diag in this kernel");
	else
		is_int(ret, 99, "netlink has our socket");
	close(fd);
	close(dir);
}

int main(void)
{
	test_lines();
	test_netlink();
	test_own(false);
	test_own(true);
	return done();
}
