// SPDX-License-Identifier: Apache-2.0
#include "webserve.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "diag.h"
#include "httplisten.h"
#include "promtls.h"
#include "signals.h"
#include "webapi.h"
#include "webassets.h"
#include "webauth.h"
#include "webfeed.h"

#define CONNECTIONS  400
#define IDLE_SECONDS 30
/* Bytes of answers that browsers have not taken yet: past that they are asked to wait. */
#define MAX_WAITING (64u << 20)
#define ETAG	    24

struct webserve {
	struct MHD_Daemon *daemon;
	struct webdata *data;
	struct webfeed *feed;
	struct webauth auth;
	atomic_size_t waiting; /* bytes of answers */
	char etag[ETAG];       /* of all files: they change together */
	char url[HTTPLISTEN_URL + WEBAUTH_MAX + 16];
};

/* Nothing from elsewhere, no code or style but from files of this server, none out of text. */
static const char policy[] = "default-src 'none'; script-src 'self'; style-src 'self'; "
			     "connect-src 'self'; img-src 'self'; base-uri 'none'; "
			     "form-action 'none'; frame-ancestors 'none'; "
			     "require-trusted-types-for 'script'; trusted-types 'none'";

static enum MHD_Result reply(struct MHD_Connection *c, unsigned status, struct MHD_Response *r)
{
	enum MHD_Result ret;

	if (!r)
		return MHD_NO;
	MHD_add_response_header(r, "Content-Security-Policy", policy);
	MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(r, "Referrer-Policy", "no-referrer");
	MHD_add_response_header(r, "Cross-Origin-Resource-Policy", "same-origin");
	MHD_add_response_header(r, "Cross-Origin-Opener-Policy", "same-origin");
	if (!MHD_get_response_header(r, "Cache-Control"))
		MHD_add_response_header(r, "Cache-Control", "no-store");
	ret = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return ret;
}

static enum MHD_Result reply_text(struct MHD_Connection *c, unsigned status, const char *type,
				  const char *text)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(
		strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT);

	if (r)
		MHD_add_response_header(r, "Content-Type", type);
	if (r && status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(r, "Allow", "GET, HEAD");
	if (r && status == MHD_HTTP_SERVICE_UNAVAILABLE)
		MHD_add_response_header(r, "Retry-After", "2");
	return reply(c, status, r);
}

static enum MHD_Result reply_error(struct MHD_Connection *c, unsigned status, const char *text)
{
	return reply_text(c, status, "text/plain; charset=utf-8", text);
}

/* A file of the page: a browser that has it asks whether it is still the same. */
static enum MHD_Result reply_file(const struct webserve *s, struct MHD_Connection *c,
				  const struct webasset *a)
{
	const char *has = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "If-None-Match");
	bool same = has && !strcmp(has, s->etag);
	struct MHD_Response *r = MHD_create_response_from_buffer(
		same ? 0 : strlen(a->text), (void *)(uintptr_t)a->text, MHD_RESPMEM_PERSISTENT);

	if (r) {
		MHD_add_response_header(r, "Content-Type", a->type);
		MHD_add_response_header(r, "Cache-Control", "no-cache");
		MHD_add_response_header(r, "ETag", s->etag);
	}
	return reply(c, same ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK, r);
}

static void make_etag(struct webserve *s)
{
	uint64_t h = 14695981039346656037u;

	for (const struct webasset *a = webassets; a->path; a++)
		for (const char *p = a->text; *p; p++)
			h = (h ^ (unsigned char)*p) * 1099511628211u;
	snprintf(s->etag, sizeof(s->etag), "\"%016llx\"", (unsigned long long)h);
}

/* An answer until it has been taken, or the connection has gone. */
struct answer {
	struct webserve *server;
	char *text;
	size_t len;
};

static void answer_free(void *arg)
{
	struct answer *a = arg;

	a->server->waiting -= a->len;
	free(a->text);
	free(a);
}

/* Takes the writer's text. */
static enum MHD_Result reply_json(struct webserve *s, struct MHD_Connection *c, struct jsonw *w)
{
	struct answer *a = w->err || !w->buf ? NULL : malloc(sizeof(*a));
	struct MHD_Response *r;

	if (!a) {
		jsonw_release(w);
		return reply_error(c, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory\n");
	}
	*a = (struct answer){ s, w->buf, w->len };
	s->waiting += a->len;
	r = MHD_create_response_from_buffer_with_free_callback_cls(a->len, a->text, answer_free, a);
	if (!r)
		answer_free(a);
	else
		MHD_add_response_header(r, "Content-Type", "application/json");
	return reply(c, MHD_HTTP_OK, r);
}

struct query {
	struct filter filter;
	const char *wrong, *name;
	size_t limit;
};

/* An argument of /api/traces. */
static enum MHD_Result read_argument(void *arg, enum MHD_ValueKind kind, const char *name,
				     const char *value)
{
	static const char *const conditions[] = { "slower-than", "status", "service", "route",
						  "match",	 "trace",  "words" };
	struct query *q = arg;
	const char *wrong = NULL;

	(void)kind;
	if (!value || !*value)
		return MHD_YES;
	if (!strcmp(name, "limit")) {
		q->limit = (size_t)strtoul(value, NULL, 10);
		if (!q->limit || q->limit > WEBAPI_MAX_TRACES)
			wrong = "not a number from 1 to 10000";
	}
	for (size_t i = 0; i < sizeof(conditions) / sizeof(*conditions); i++)
		if (!strcmp(name, conditions[i]))
			wrong = filter_set(&q->filter, name, value);
	if (wrong) {
		q->wrong = wrong;
		q->name = name;
	}
	return MHD_YES;
}

static enum MHD_Result reply_traces(struct webserve *s, struct MHD_Connection *c)
{
	struct query q = { .limit = 1000 };
	struct jsonw w;

	MHD_get_connection_values(c, MHD_GET_ARGUMENT_KIND, read_argument, &q);
	jsonw_init(&w, -1);
	if (q.wrong) {
		char text[128];
		struct MHD_Response *r;

		snprintf(text, sizeof(text), "%.40s: %s\n", q.name, q.wrong);
		r = MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_COPY);
		if (r)
			MHD_add_response_header(r, "Content-Type", "text/plain; charset=utf-8");
		return reply(c, MHD_HTTP_BAD_REQUEST, r);
	}
	webapi_traces(&w, s->data, &q.filter, q.limit);
	return reply_json(s, c, &w);
}

/* @n bytes from the hexadecimal digits at @p; what follows them, NULL if they are none. */
static const char *read_id(const char *p, uint8_t *id, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char digits[3] = { p[2 * i], p[2 * i] ? p[2 * i + 1] : '\0', '\0' };

		if (strspn(digits, "0123456789abcdefABCDEF") != 2)
			return NULL;
		id[i] = (uint8_t)strtoul(digits, NULL, 16);
	}
	return p + 2 * n;
}

/* TRACE or TRACE/SPAN. */
static enum MHD_Result reply_trace(struct webserve *s, struct MHD_Connection *c, const char *path)
{
	uint8_t trace[16], span[8];
	const char *rest = read_id(path, trace, 16);
	bool found = false;
	struct jsonw w;

	jsonw_init(&w, -1);
	if (rest && !*rest)
		found = webapi_trace(&w, s->data, trace);
	else if (rest && *rest == '/' && (rest = read_id(rest + 1, span, 8)) && !*rest)
		found = webapi_span(&w, s->data, trace, span);
	if (found)
		return reply_json(s, c, &w);
	jsonw_release(&w);
	return reply_error(c, MHD_HTTP_NOT_FOUND, "not in memory, or not any more\n");
}

static enum MHD_Result reply_api(struct webserve *s, struct MHD_Connection *c, const char *what)
{
	struct jsonw w;

	if (s->waiting > MAX_WAITING)
		return reply_error(c, MHD_HTTP_SERVICE_UNAVAILABLE,
				   "too many answers wait to be taken\n");
	jsonw_init(&w, -1);
	if (!strcmp(what, "traces"))
		return reply_traces(s, c);
	if (!strncmp(what, "trace/", 6))
		return reply_trace(s, c, what + 6);
	if (!strcmp(what, "routes"))
		webapi_routes(&w, s->data);
	else if (!strcmp(what, "graph"))
		webapi_graph(&w, s->data);
	else if (!strcmp(what, "health"))
		webapi_health(&w, s->data, webfeed_pages(s->feed));
	else if (!strcmp(what, "events"))
		return reply(c, MHD_HTTP_OK, webfeed_response(s->feed, c));
	else
		return reply_error(c, MHD_HTTP_NOT_FOUND, "no such thing\n");
	return reply_json(s, c, &w);
}

/* With the right token in the link: the cookie, and the page without it in its address. */
static enum MHD_Result reply_welcome(struct webserve *s, struct MHD_Connection *c)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
	char cookie[WEBAUTH_MAX + 100];

	snprintf(cookie, sizeof(cookie), "%s=%s; Path=/; HttpOnly; SameSite=Strict%s",
		 s->auth.cookie, s->auth.token, s->auth.config.cert ? "; Secure" : "");
	if (r) {
		MHD_add_response_header(r, "Set-Cookie", cookie);
		MHD_add_response_header(r, "Location", "/");
	}
	return reply(c, MHD_HTTP_SEE_OTHER, r);
}

static enum MHD_Result reply_refusal(struct webserve *s, struct MHD_Connection *c)
{
	static const char words[] = "a user and a password, please\n";
	struct MHD_Response *r;

	if (!s->auth.config.n_users && s->auth.token[0])
		return reply_error(c, MHD_HTTP_UNAUTHORIZED,
				   "the link with the token is needed; goexport says it\n");
	if (!s->auth.config.n_users)
		return reply_error(c, MHD_HTTP_FORBIDDEN,
				   s->auth.config.client_ca
					   ? "a certificate, please\n"
					   : "this page is for http://localhost alone\n");
	r = MHD_create_response_from_buffer(sizeof(words) - 1, (void *)(uintptr_t)words,
					    MHD_RESPMEM_PERSISTENT);
	if (r) {
		MHD_add_response_header(r, "Content-Type", "text/plain; charset=utf-8");
		MHD_add_response_header(r, "WWW-Authenticate", "Basic realm=\"gotap\"");
	}
	return reply(c, MHD_HTTP_UNAUTHORIZED, r);
}

static enum MHD_Result route(struct webserve *s, struct MHD_Connection *c, const char *path)
{
	if (webauth_in_query(&s->auth, c) && !strcmp(path, "/"))
		return reply_welcome(s, c);
	if (!webauth_allows(&s->auth, c))
		return reply_refusal(s, c);
	if (!strncmp(path, "/api/", 5))
		return reply_api(s, c, path + 5);
	for (const struct webasset *a = webassets; a->path; a++)
		if (!strcmp(path, a->path))
			return reply_file(s, c, a);
	return reply_error(c, MHD_HTTP_NOT_FOUND, "no such page\n");
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *c, const char *path,
				  const char *method, const char *version, const char *upload,
				  size_t *upload_len, void **state)
{
	(void)version, (void)upload;
	if (!httplisten_whole(upload_len, state))
		return MHD_YES;
	if (!httplisten_reads(method))
		return reply_error(c, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n");
	return route(arg, c, path);
}

static struct MHD_Daemon *start_daemon(struct webserve *s, int fd)
{
	struct MHD_OptionItem tls[PROMTLS_OPTIONS];
	unsigned flags = promtls_options(&s->auth.config, tls);
	struct MHD_Daemon *d;

	signals_block();
	d = MHD_start_daemon(
		flags | MHD_USE_POLL_INTERNAL_THREAD | MHD_USE_ERROR_LOG | MHD_ALLOW_SUSPEND_RESUME,
		0, NULL, NULL, on_request, s, MHD_OPTION_EXTERNAL_LOGGER, httplisten_message,
		(void *)"web", MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
		MHD_OPTION_ARRAY, tls, MHD_OPTION_END);
	signals_unblock();
	return d;
}

static int start(struct webserve *s, int fd, const char *address, const char *config,
		 struct errinfo *e)
{
	char url[HTTPLISTEN_URL];
	int ret;

	httplisten_url(fd, url);
	ret = webauth_init(&s->auth, config, httplisten_is_loopback(fd), url, e);
	if (ret)
		return ret;
	snprintf(s->url, sizeof(s->url), "http%s%s/%s%s", s->auth.config.cert ? "s" : "", url + 4,
		 s->auth.token[0] ? "?token=" : "", s->auth.token);
	s->feed = webfeed_new(s->data);
	s->daemon = s->feed ? start_daemon(s, fd) : NULL;
	if (s->daemon)
		return 0;
	if (s->feed)
		webfeed_close(s->feed);
	webfeed_free(s->feed);
	webauth_release(&s->auth);
	return errinfo_set(e, config ? -EINVAL : -EIO, "web: %s: the HTTP server does not start%s",
			   address, config ? "; are certificate and key good?" : "");
}

int webserve_start(struct webserve **out, const char *address, const char *config,
		   struct webdata *d, struct errinfo *e)
{
	struct webserve *s = calloc(1, sizeof(*s));
	int fd, ret;

	if (!s)
		return errinfo_set(e, -ENOMEM, "out of memory");
	s->data = d;
	make_etag(s);
	fd = httplisten_open("web", address, e);
	ret = fd < 0 ? fd : start(s, fd, address, config, e);
	if (ret) {
		if (fd >= 0)
			close(fd);
		free(s);
		return ret;
	}
	*out = s;
	return 0;
}

void webserve_stop(struct webserve *s)
{
	if (!s)
		return;
	webfeed_close(s->feed);
	MHD_stop_daemon(s->daemon); /* closes the socket, too */
	webfeed_free(s->feed);
	webauth_release(&s->auth);
	free(s);
}

const char *webserve_url(const struct webserve *s)
{
	return s->url;
}
