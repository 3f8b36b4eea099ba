/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sink of goexport that is an HTTP server, for fuzz targets: spans go in, bytes are
 * sent to it over loopback, and what it answers comes back.
 */
#ifndef GOTAP_HTTPSINK_H
#define GOTAP_HTTPSINK_H

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "../../cmd/goexport/options.h"
#include "../../cmd/goexport/resource.h"
#include "../../cmd/goexport/sink.h"
#include "diag.h"

static struct sink *sinks[1];
static _Atomic size_t n_sinks;
static const struct options options = { .series = 100, .web_mib = 1 };
static struct sockaddr_in address = { .sin_family = AF_INET };

static inline void check(bool good)
{
	if (!good)
		abort();
}

typedef int (*open_sink)(struct sink **s, const struct options *o, const char *address,
			 struct sink *const *sinks, const _Atomic size_t *n, struct errinfo *e);

/* Puts a port into @address that is free at this moment. */
static inline void choose_port(void)
{
	int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(address);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	address.sin_port = 0;
	check(!bind(probe, (struct sockaddr *)&address, len));
	check(!getsockname(probe, (struct sockaddr *)&address, &len));
	close(probe);
}

/* Opens the sink with its server. */
static inline void start(open_sink open)
{
	static bool quiet;
	struct errinfo e = { .text = "" };
	static char text[32]; /* the sink goes on using it */
	int ret = -EADDRINUSE;

	if (!quiet) {
		diag_init("goexport");
		diag_quiet(true);
		quiet = true;
	}
	/* Another program may take the port in between. */
	for (int tries = 0; ret == -EADDRINUSE && tries < 20; tries++) {
		choose_port();
		snprintf(text, sizeof(text), "127.0.0.1:%u", ntohs(address.sin_port));
		ret = open(&sinks[0], &options, text, sinks, &n_sinks, &e);
	}
	if (ret)
		fprintf(stderr, "%s: %s\n", text, e.text);
	check(!ret);
	n_sinks = 1;
}

struct world {
	struct resources *rs;
	struct arena arena;
	struct jsonv_doc doc;
};

static inline void take_line(struct world *w, const char *text, size_t len)
{
	struct record r = { .text = text, .len = len, .doc = &w->doc };
	struct spanrec sp;
	struct errinfo e;

	if (jsonv_parse(&w->doc, text, len, &e))
		return;
	r.root = jsonv_root(&w->doc);
	if (r.root->type != JSONV_OBJECT)
		return;
	resources_process(w->rs, &r, 1, &e);
	arena_reset(&w->arena);
	if (spanrec_parse(&sp, &r, &w->arena, &e))
		return;
	sp.resource = resources_of(w->rs, sp.has_pid, sp.pid);
	sinks[0]->ops->span(sinks[0], &sp);
}

/* Takes lines up to an empty one; returns what is behind it. */
static inline const char *take_lines(const char *p, const char *end)
{
	struct world w = { .rs = resources_new(NULL, 0) };

	while (p < end && *p != '\n') {
		const char *lf = memchr(p, '\n', (size_t)(end - p));
		size_t len = (size_t)((lf ? lf : end) - p);

		take_line(&w, p, len);
		p += len + (lf != NULL);
	}
	resources_free(w.rs);
	arena_release(&w.arena);
	jsonv_release(&w.doc);
	return p < end ? p + 1 : end;
}

/*
 * What the server says to @text, until it hangs up or there are @seconds of silence; the
 * caller frees it. Returns whether it hung up in peace, so that this is all of it: a
 * connection that is reset may lose any part.
 */
static inline bool talk(const char *text, size_t len, char **out, size_t *got, int seconds)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const struct timeval patience = { .tv_sec = seconds };
	size_t cap = 1 << 20;
	char *answer = malloc(cap + 1);
	bool hung_up;
	ssize_t n = 1;

	check(fd >= 0 && answer);
	/* Streams do not end. */
	check(!setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)));
	check(!connect(fd, (struct sockaddr *)&address, sizeof(address)));
	/* It may hang up before it has read all. */
	send(fd, text, len, MSG_NOSIGNAL);
	shutdown(fd, SHUT_WR);
	for (*got = 0; n > 0 && *got<cap; *got += n> 0 ? (size_t)n : 0)
		n = recv(fd, answer + *got, cap - *got, 0);
	hung_up = n == 0;
	close(fd);
	answer[*got] = '\0';
	*out = answer;
	return hung_up;
}

/* Ends the server. */
static inline void stop(void)
{
	sinks[0]->ops->close(sinks[0]);
	sinks[0]->ops->free(sinks[0]);
}

#endif
