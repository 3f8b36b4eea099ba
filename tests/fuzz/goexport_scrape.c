// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes as what somebody sends to the port that Prometheus scrapes: the server
 * answers with HTTP or hangs up, and lives. What it answers to /metrics is a page
 * that Prometheus takes, whatever spans came in. Input: lines of spans and processes,
 * an empty line, what is sent.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../cmd/goexport/resource.h"
#include "../../cmd/goexport/sink_prometheus.h"
#include "diag.h"
#include "exposition.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct sink *sinks[1];
static _Atomic size_t n_sinks;
static const struct options options = { .series = 100 };
static struct sockaddr_in address = { .sin_family = AF_INET };

static void check(bool good)
{
	if (!good)
		abort();
}

/* Opens the sink with its server. */
static void start(void)
{
	static bool quiet;
	struct errinfo e;
	int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(address);
	static char text[32]; /* the sink goes on using it */

	if (!quiet) {
		diag_init("goexport");
		diag_quiet(true);
		quiet = true;
	}
	/* A port that is free at this moment. */
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	address.sin_port = 0;
	check(!bind(probe, (struct sockaddr *)&address, len));
	check(!getsockname(probe, (struct sockaddr *)&address, &len));
	close(probe);
	snprintf(text, sizeof(text), "127.0.0.1:%u", ntohs(address.sin_port));
	check(!sink_prometheus_open(&sinks[0], &options, text, sinks, &n_sinks, &e));
	n_sinks = 1;
}

struct world {
	struct resources *rs;
	struct arena arena;
	struct jsonv_doc doc;
};

static void take_line(struct world *w, const char *text, size_t len)
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
static const char *take_lines(const char *p, const char *end)
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

/* What the server says to @text; the caller frees it. */
static char *talk(const char *text, size_t len, size_t *got)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	size_t cap = 1 << 20;
	char *answer = malloc(cap + 1);
	ssize_t n = 1;

	check(fd >= 0 && answer);
	check(!connect(fd, (struct sockaddr *)&address, sizeof(address)));
	/* It may hang up before it has read all. */
	send(fd, text, len, MSG_NOSIGNAL);
	shutdown(fd, SHUT_WR);
	for (*got = 0; n > 0 && *got<cap; *got += n> 0 ? (size_t)n : 0)
		n = recv(fd, answer + *got, cap - *got, 0);
	close(fd);
	answer[*got] = '\0';
	return answer;
}

static void check_answer(const char *answer, size_t len)
{
	const char *body = strstr(answer, "\r\n\r\n"), *version = "version=0.0.4";

	if (!len)
		return;
	check(!strncmp(answer, "HTTP/1.", 7) && len > 12 && answer[8] == ' ');
	if (strncmp(answer + 9, "200 ", 4) != 0 || !body || !strstr(answer, version))
		return;
	body += 4;
	/* Not what is for people, nor the beginning of two answers. */
	if (*body == '#' && !strstr(body, "HTTP/1."))
		check(exposition_valid(body, len - (size_t)(body - answer)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char request[] = "GET /metrics HTTP/1.0\r\n\r\n";
	const char *p = (const char *)data, *end = p + size;
	char *answer;
	size_t len;

	start();
	p = take_lines(p, end);
	answer = talk(p, (size_t)(end - p), &len);
	check_answer(answer, len);
	free(answer);
	answer = talk(request, sizeof(request) - 1, &len);
	check(!strncmp(answer + 9, "200 ", 4));
	check_answer(answer, len);
	free(answer);
	sinks[0]->ops->close(sinks[0]);
	sinks[0]->ops->free(sinks[0]);
	return 0;
}
