// SPDX-License-Identifier: Apache-2.0
#include "listeners.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sockdiag.h"

#define TCP_STATE_LISTEN 0x0a /* include/net/tcp_states.h */

struct netns {
	struct netns *next;
	ino_t ino; /* of /proc/PID/ns/net */
	struct listener *v;
	size_t n, cap;
};

void listeners_forget(struct listeners *l)
{
	while (l->all) {
		struct netns *ns = l->all;

		l->all = ns->next;
		free(ns->v);
		free(ns);
	}
}

int listener_parse(const char *line, struct listener *out)
{
	unsigned port, state;
	unsigned long long inode;

	/* sl local:port remote:port st queues timer retransmits uid timeout inode */
	if (sscanf(line, " %*u: %*64[0-9A-Fa-f]:%x %*64[0-9A-Fa-f]:%*x %x %*s %*s %*s %*u %*u %llu",
		   &port, &state, &inode) != 3)
		return -EINVAL;
	if (state != TCP_STATE_LISTEN)
		return 0;
	if (port > 65535)
		return -EINVAL;
	out->port = (uint16_t)port;
	out->inode = inode;
	return 1;
}

static int add_listener(uint64_t inode, uint16_t port, void *arg)
{
	struct netns *ns = arg;
	struct listener *v = ns->v;

	if (ns->n == ns->cap) {
		v = realloc(v, (ns->cap + 16) * 2 * sizeof(*v));
		if (!v)
			return -ENOMEM;
		ns->v = v;
		ns->cap = (ns->cap + 16) * 2;
	}
	ns->v[ns->n++] = (struct listener){ inode, port };
	return 0;
}

/*
 * Reads up to the first line that is not of a listening socket: on a busy
 * machine that leaves all its connections unread.
 */
static int read_table(struct netns *ns, int dir, const char *name)
{
	int ret = 0, fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	char *line = NULL;
	size_t cap = 0;
	FILE *f;

	if (fd < 0)
		return -errno;
	f = fdopen(fd, "r");
	if (!f) {
		close(fd);
		return -ENOMEM;
	}
	while (!ret && getline(&line, &cap, f) > 0) {
		struct listener one;
		int got = listener_parse(line, &one);

		if (got == 0)
			break;
		if (got > 0)
			ret = add_listener(one.inode, one.port, ns);
	}
	free(line);
	fclose(f);
	return ret;
}

static int by_inode(const void *a, const void *b)
{
	const struct listener *x = a, *y = b;

	return x->inode < y->inode ? -1 : x->inode > y->inode;
}

/* By netlink, else from /proc. Without IPv6 in the kernel there is no tcp6. */
static int read_tables(const struct listeners *l, struct netns *ns, int dir)
{
	struct stat st;
	int ret = l->only_proc ? -EPERM : sockdiag_each(dir, add_listener, ns);

	if (!ret || ret == -ENOMEM)
		return ret;
	ns->n = 0;
	ret = read_table(ns, dir, "net/tcp");

	if (ret)
		return ret == -ENOENT ? -ESRCH : ret;
	ret = read_table(ns, dir, "net/tcp6");
	if (ret == -ENOENT)
		ret = fstatat(dir, "ns/net", &st, 0) ? -ESRCH : 0;
	return ret;
}

static int find_netns(struct listeners *l, int dir, struct netns **out)
{
	struct netns *ns;
	struct stat st;
	int ret;

	if (fstatat(dir, "ns/net", &st, 0))
		return errno == ENOENT ? -ESRCH : -errno;
	for (ns = l->all; ns; ns = ns->next)
		if (ns->ino == st.st_ino)
			goto found;
	ns = calloc(1, sizeof(*ns));
	if (!ns)
		return -ENOMEM;
	ns->ino = st.st_ino;
	ret = read_tables(l, ns, dir);
	if (ret) {
		free(ns->v);
		free(ns);
		return ret;
	}
	if (ns->n)
		qsort(ns->v, ns->n, sizeof(*ns->v), by_inode);
	ns->next = l->all;
	l->all = ns;
found:
	*out = ns;
	return 0;
}

/*
 * Calls @fn with the inode of each socket that the process holds; ends early when
 * it returns something else than 0, which is returned.
 */
static int each_socket(int dir, int (*fn)(uint64_t inode, void *arg), void *arg)
{
	int ret = 0, fds = openat(dir, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent *e;
	DIR *d;

	if (fds < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	d = fdopendir(fds);
	if (!d) {
		close(fds);
		return -ENOMEM;
	}
	while (!ret && (e = readdir(d))) {
		char link[64];
		ssize_t n;

		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		n = readlinkat(fds, e->d_name, link, sizeof(link) - 1);
		link[n > 0 ? n : 0] = '\0';
		if (!strncmp(link, "socket:[", 8))
			ret = fn(strtoull(link + 8, NULL, 10), arg);
	}
	closedir(d);
	return ret;
}

static int one_is_enough(uint64_t inode, void *arg)
{
	(void)inode;
	(void)arg;
	return 1;
}

struct collect {
	const struct netns *ns;
	struct ports set;
};

static int collect_port(uint64_t inode, void *arg)
{
	struct listener key = { .inode = inode };
	const struct listener *found;
	struct collect *c = arg;

	found = bsearch(&key, c->ns->v, c->ns->n, sizeof(key), by_inode);
	if (found)
		ports_set(&c->set, found->port);
	return 0;
}

static int ports_to_array(const struct ports *set, uint16_t **ports, size_t *n)
{
	size_t count = 0;

	if (!set->any)
		return 0;
	for (unsigned port = 0; port <= 65535; port++)
		count += ports_has(set, (uint16_t)port);
	*ports = malloc(count * sizeof(**ports));
	if (!*ports)
		return -ENOMEM;
	for (unsigned port = 0; port <= 65535; port++)
		if (ports_has(set, (uint16_t)port))
			(*ports)[(*n)++] = (uint16_t)port;
	return 0;
}

int listeners_of(struct listeners *l, int dir, uint16_t **ports, size_t *n)
{
	struct collect c = { 0 };
	struct netns *ns = NULL;
	int ret;

	*ports = NULL;
	*n = 0;
	/* A program that has just been started holds none: the tables are not needed. */
	ret = each_socket(dir, one_is_enough, NULL);
	if (ret <= 0)
		return ret;
	ret = find_netns(l, dir, &ns);
	if (ret || !ns || !ns->n)
		return ret;
	c.ns = ns;
	ret = each_socket(dir, collect_port, &c);
	return ret ? ret : ports_to_array(&c.set, ports, n);
}

int listeners_signature(struct listeners *l, int dir, const struct ports *wanted, uint64_t *sig)
{
	uint64_t sum = 0;
	struct netns *ns = NULL;
	int ret = find_netns(l, dir, &ns);

	if (ret || !ns)
		return ret;
	for (size_t i = 0; i < ns->n; i++)
		if (ports_has(wanted, ns->v[i].port))
			sum = (sum ^ ns->v[i].inode ^ ns->v[i].port) * 0x100000001b3u + 1;
	*sig = sum;
	return 0;
}

bool listeners_has(struct listeners *l, int dir, uint16_t port)
{
	struct netns *ns = NULL;

	if (find_netns(l, dir, &ns) || !ns)
		return false;
	for (size_t i = 0; i < ns->n; i++)
		if (ns->v[i].port == port)
			return true;
	return false;
}
