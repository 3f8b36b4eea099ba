// SPDX-License-Identifier: Apache-2.0
#include "httplisten.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "diag.h"

/* Splits "[HOST]:PORT" in place; @host is empty where none is given. */
static int split(char *address, char **host, char **port)
{
	char *colon = strrchr(address, ':');

	if (!colon || !colon[1] || strspn(colon + 1, "0123456789") != strlen(colon + 1) ||
	    atol(colon + 1) > 65535)
		return -EINVAL;
	*colon = '\0';
	*port = colon + 1;
	*host = address;
	if (address[0] == '[') {
		if (colon == address || colon[-1] != ']')
			return -EINVAL;
		colon[-1] = '\0';
		++*host;
	} else if (strchr(address, ':')) {
		return -EINVAL; /* an IPv6 address without brackets */
	}
	return 0;
}

static int listen_on(const struct addrinfo *ai)
{
	int one = 1, err;
	int fd = socket(ai->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, ai->ai_addr, ai->ai_addrlen) || listen(fd, 32)) {
		err = errno;
		close(fd);
		return -err;
	}
	return fd;
}

int httplisten_open(const char *what, const char *address, struct errinfo *e)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_PASSIVE | AI_NUMERICSERV },
			*ai;
	char copy[256], *host, *port;
	int fd, ret;

	snprintf(copy, sizeof(copy), "%s", address);
	if (strlen(address) >= sizeof(copy) || split(copy, &host, &port))
		return errinfo_set(e, -EINVAL, "%s: '%s' is not [HOST]:PORT", what, address);
	ret = getaddrinfo(*host ? host : "127.0.0.1", port, &hints, &ai);
	if (ret)
		return errinfo_set(e, -EINVAL, "%s: %s: %s", what, address, gai_strerror(ret));
	fd = listen_on(ai);
	freeaddrinfo(ai);
	if (fd < 0)
		return errinfo_set(e, fd, "%s: %s: %s", what, address, strerror(-fd));
	return fd;
}

void httplisten_url(int fd, char url[HTTPLISTEN_URL])
{
	struct sockaddr_storage sa;
	socklen_t len = sizeof(sa);
	char host[128] = "?", port[8] = "?";

	if (!getsockname(fd, (struct sockaddr *)&sa, &len))
		getnameinfo((struct sockaddr *)&sa, len, host, sizeof(host), port, sizeof(port),
			    NI_NUMERICHOST | NI_NUMERICSERV);
	snprintf(url, HTTPLISTEN_URL, strchr(host, ':') ? "http://[%s]:%s" : "http://%s:%s", host,
		 port);
}

bool httplisten_is_loopback(int fd)
{
	struct sockaddr_storage sa = { 0 };
	socklen_t len = sizeof(sa);

	if (getsockname(fd, (struct sockaddr *)&sa, &len))
		return false;
	if (sa.ss_family == AF_INET)
		return ntohl(((struct sockaddr_in *)&sa)->sin_addr.s_addr) >> 24 == 127;
	return sa.ss_family == AF_INET6 &&
	       IN6_IS_ADDR_LOOPBACK(&((struct sockaddr_in6 *)&sa)->sin6_addr);
}

bool httplisten_whole(size_t *upload_len, void **state)
{
	static char seen;

	if (!*state) { /* the headers are there; an answer is allowed from the next call on */
		*state = &seen;
		return false;
	}
	if (!*upload_len)
		return true;
	*upload_len = 0;
	return false;
}

bool httplisten_reads(const char *method)
{
	return !strcmp(method, "GET") || !strcmp(method, "HEAD");
}

void httplisten_message(void *what, const char *fmt, va_list ap)
{
	char buf[256];

	vsnprintf(buf, sizeof(buf), fmt, ap);
	buf[strcspn(buf, "\n")] = '\0';
	diag(DIAG_DEBUG, "%s: %s", (const char *)what, buf);
}
