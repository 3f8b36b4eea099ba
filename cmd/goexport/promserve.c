// SPDX-License-Identifier: Apache-2.0
#include "promserve.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diag.h"
#include "httplisten.h"
#include "signals.h"

#define CONNECTIONS  16
#define IDLE_SECONDS 15

struct promserve {
	struct MHD_Daemon *daemon;
	void (*page)(void *arg, struct textbuf *p);
	void *arg;
	char url[HTTPLISTEN_URL + 8];
};

static const char index_text[] = "gotap: the metrics are at /metrics\n";

static enum MHD_Result reply(struct MHD_Connection *c, unsigned status, char *body, size_t len,
			     enum MHD_ResponseMemoryMode mode)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(len, body, mode);
	enum MHD_Result ret;

	if (!r)
		return MHD_NO;
	MHD_add_response_header(r, "Content-Type", "text/plain; version=0.0.4; charset=utf-8");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(r, "Allow", "GET, HEAD");
	ret = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return ret;
}

static enum MHD_Result reply_fixed(struct MHD_Connection *c, unsigned status, const char *body)
{
	return reply(c, status, (char *)(uintptr_t)body, strlen(body), MHD_RESPMEM_PERSISTENT);
}

static enum MHD_Result reply_metrics(struct promserve *s, struct MHD_Connection *c)
{
	struct textbuf p = { 0 };

	s->page(s->arg, &p);
	if (p.failed || !p.buf) {
		free(p.buf);
		return reply_fixed(c, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory\n");
	}
	return reply(c, MHD_HTTP_OK, p.buf, p.len, MHD_RESPMEM_MUST_FREE);
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *c, const char *path,
				  const char *method, const char *version, const char *upload,
				  size_t *upload_len, void **state)
{
	static char seen;

	(void)version, (void)upload;
	if (!*state) { /* the headers are there; an answer is allowed from the next call on */
		*state = &seen;
		return MHD_YES;
	}
	if (*upload_len) {
		*upload_len = 0;
		return MHD_YES;
	}
	if (strcmp(method, "GET") && strcmp(method, "HEAD"))
		return reply_fixed(c, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n");
	if (!strcmp(path, "/metrics"))
		return reply_metrics(arg, c);
	if (!strcmp(path, "/"))
		return reply_fixed(c, MHD_HTTP_OK, index_text);
	return reply_fixed(c, MHD_HTTP_NOT_FOUND, index_text);
}

__attribute__((format(printf, 2, 0))) static void on_message(void *arg, const char *fmt, va_list ap)
{
	char buf[256];

	(void)arg;
	vsnprintf(buf, sizeof(buf), fmt, ap);
	buf[strcspn(buf, "\n")] = '\0';
	diag(DIAG_DEBUG, "prometheus: %s", buf);
}

static struct MHD_Daemon *start_daemon(struct promserve *s, int fd)
{
	struct MHD_Daemon *d;

	signals_block();
	d = MHD_start_daemon(MHD_USE_POLL_INTERNAL_THREAD | MHD_USE_ERROR_LOG, 0, NULL, NULL,
			     on_request, s, MHD_OPTION_EXTERNAL_LOGGER, on_message, NULL,
			     MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
			     (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
			     (unsigned)IDLE_SECONDS, MHD_OPTION_END);
	signals_unblock();
	return d;
}

int promserve_start(struct promserve **out, const char *address,
		    void (*page)(void *arg, struct textbuf *p), void *arg, struct errinfo *e)
{
	struct promserve *s = calloc(1, sizeof(*s));
	int fd;

	if (!s)
		return errinfo_set(e, -ENOMEM, "out of memory");
	fd = httplisten_open("prometheus", address, e);
	if (fd < 0) {
		free(s);
		return fd;
	}
	s->page = page;
	s->arg = arg;
	httplisten_url(fd, s->url);
	strcat(s->url, "/metrics");
	s->daemon = start_daemon(s, fd);
	if (!s->daemon) {
		close(fd);
		free(s);
		return errinfo_set(e, -EIO, "prometheus: %s: the HTTP server does not start",
				   address);
	}
	*out = s;
	return 0;
}

void promserve_stop(struct promserve *s)
{
	if (!s)
		return;
	MHD_stop_daemon(s->daemon); /* closes the socket, too */
	free(s);
}

const char *promserve_url(const struct promserve *s)
{
	return s->url;
}
