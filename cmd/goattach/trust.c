// SPDX-License-Identifier: Apache-2.0
#include "trust.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <ifaddrs.h>
#include <stdlib.h>
#include <string.h>

enum { V4_BITS = 96 }; /* in front of an IPv4 address as an IPv6 one */

static int add(struct trust *t, const struct gotap_network *net, struct errinfo *e)
{
	if (t->n == TRUST_MAX)
		return errinfo_set(e, -E2BIG, "more than %d networks", TRUST_MAX);
	t->networks[t->n++] = *net;
	return 0;
}

static void set_v4(struct gotap_network *net, const void *addr, uint32_t bits)
{
	memset(net, 0, sizeof(*net));
	net->bits = V4_BITS + bits;
	net->addr[10] = net->addr[11] = 0xff;
	memcpy(net->addr + 12, addr, 4);
}

static void set_v6(struct gotap_network *net, const void *addr, uint32_t bits)
{
	net->bits = bits;
	memcpy(net->addr, addr, sizeof(net->addr));
}

/* "ADDRESS" or "ADDRESS/BITS" */
static int parse_network(struct trust *t, char *word, struct errinfo *e)
{
	char *slash = strchr(word, '/'), *end = NULL;
	unsigned long bits = 0, most;
	struct gotap_network net;
	unsigned char addr[16];
	bool v4;

	if (slash)
		*slash = '\0';
	v4 = inet_pton(AF_INET, word, addr) == 1;
	if (!v4 && inet_pton(AF_INET6, word, addr) != 1)
		return errinfo_set(e, -EINVAL,
				   "'%s' is not all, none, local, an address or network", word);
	most = v4 ? 32 : 128;
	if (slash) {
		bits = strtoul(slash + 1, &end, 10);
		if (slash[1] < '0' || slash[1] > '9' || *end || bits > most)
			return errinfo_set(e, -EINVAL, "'/%s' is not from /0 to /%lu", slash + 1,
					   most);
	} else {
		bits = most;
	}
	if (v4)
		set_v4(&net, addr, (uint32_t)bits);
	else
		set_v6(&net, addr, (uint32_t)bits);
	return add(t, &net, e);
}

static int add_interfaces(struct trust *t, struct errinfo *e)
{
	struct ifaddrs *all, *at;
	int ret = 0;

	if (getifaddrs(&all))
		return errinfo_set(e, -errno, "this machine's addresses: %s", strerror(errno));
	for (at = all; at && !ret; at = at->ifa_next) {
		struct gotap_network net;

		if (!at->ifa_addr)
			continue;
		if (at->ifa_addr->sa_family == AF_INET)
			set_v4(&net, &((const struct sockaddr_in *)(void *)at->ifa_addr)->sin_addr,
			       32);
		else if (at->ifa_addr->sa_family == AF_INET6)
			set_v6(&net,
			       &((const struct sockaddr_in6 *)(void *)at->ifa_addr)->sin6_addr,
			       128);
		else
			continue;
		ret = add(t, &net, e);
	}
	freeifaddrs(all);
	return ret;
}

static int add_local(struct trust *t, struct errinfo *e)
{
	static const unsigned char v4[4] = { 127 };
	struct gotap_network net;
	int ret;

	t->unix_sockets = true;
	set_v4(&net, v4, 8);
	ret = add(t, &net, e);
	if (ret)
		return ret;
	set_v6(&net, &in6addr_loopback, 128);
	ret = add(t, &net, e);
	return ret ? ret : add_interfaces(t, e);
}

int trust_parse(struct trust *t, const char *text, struct errinfo *e)
{
	char *copy = strdup(text), *at = copy, *word;
	int ret = copy ? 0 : errinfo_set(e, -ENOMEM, "out of memory");

	memset(t, 0, sizeof(*t));
	t->all = !strcmp(text, "all");
	if (t->all || !strcmp(text, "none"))
		at = NULL;
	while (!ret && (word = strsep(&at, ",")) != NULL)
		ret = !strcmp(word, "local") ? add_local(t, e) : parse_network(t, word, e);
	free(copy);
	return ret;
}

int trust_load(const struct trust *t, int fd)
{
	const __u8 yes = 1;

	for (uint32_t i = 0; i < t->n; i++)
		if (bpf_map_update_elem(fd, &t->networks[i], &yes, BPF_ANY))
			return -errno;
	return 0;
}
