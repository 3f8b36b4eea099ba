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
#include "gzip.h"
#include "httplisten.h"
#include "promauth.h"
#include "promtls.h"
#include "signals.h"

#define CONNECTIONS  128
#define IDLE_SECONDS 15
/* Pages that are being read may take so much; who comes then is to come again. */
#define PAGES_BYTES (256u << 20)

/* What requests are answered with; others never get as far as here. */
static const unsigned statuses[] = { 200, 401, 403, 404, 405, 500, 503 };
#define N_STATUSES (sizeof(statuses) / sizeof(*statuses))

struct promserve {
	struct MHD_Daemon *daemon;
	struct promserve_settings s;
	struct promauth auth;
	struct gzip *gzip; /* the server has one thread */
	uint64_t answers[N_STATUSES], unanswered;
	size_t pages_bytes;
	char url[HTTPLISTEN_URL + 16];
};

/* A page on its way, freed by the server when it is read or given up. */
struct page {
	struct promserve *s;
	char *buf;
	size_t len;
};

static const char index_text[] = "gotap: the metrics are at /metrics\n";

static enum MHD_Result queue(struct promserve *s, struct MHD_Connection *c, unsigned status,
			     struct MHD_Response *r, const char *type)
{
	enum MHD_Result ret;

	bool *answered =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;

	for (size_t i = 0; i < N_STATUSES; i++)
		s->answers[i] += statuses[i] == status;
	if (answered)
		*answered = true;
	if (!r)
		return MHD_NO;
	MHD_add_response_header(r, "Content-Type", type);
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(r, "Allow", "GET, HEAD");
	if (status == MHD_HTTP_UNAUTHORIZED)
		MHD_add_response_header(r, "WWW-Authenticate", "Basic realm=\"gotap\"");
	ret = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return ret;
}

static enum MHD_Result reply_fixed(struct promserve *s, struct MHD_Connection *c, unsigned status,
				   const char *body)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(
		strlen(body), (char *)(uintptr_t)body, MHD_RESPMEM_PERSISTENT);

	return queue(s, c, status, r, "text/plain; charset=utf-8");
}

static const char *header(struct MHD_Connection *c, const char *name)
{
	return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

/* Whether the other side takes gzip; "gzip;q=0" is that it does not. */
static bool takes_gzip(struct MHD_Connection *c)
{
	const char *v = header(c, MHD_HTTP_HEADER_ACCEPT_ENCODING);
	const char *at = v ? strcasestr(v, "gzip") : NULL;

	if (!at)
		return false;
	at += strspn(at + 4, " ") + 4;
	return *at != ';' || strtod(at + strcspn(at, "=,") + 1, NULL) > 0;
}

/* The page in place of itself compressed; as it was, if that cannot be. */
static bool compress_page(struct promserve *s, struct textbuf *page)
{
	struct textbuf packed = { 0 };

	gzip_pack(s->gzip, page->buf, page->len, &packed);
	if (packed.failed) {
		free(packed.buf);
		return false;
	}
	free(page->buf);
	*page = packed;
	return true;
}

static void render_answers(const struct promserve *s, struct prompage *p)
{
	prompage_begin(p, "gotap_http_answers", PROM_COUNTER, "",
		       "Requests to this page, by the status that they were answered with.");
	for (size_t i = 0; i < N_STATUSES; i++) {
		struct attr label = { text_of("status"),
				      { .type = ATTR_INT, .i = (int64_t)statuses[i] } };

		prompage_sample(p, NULL, &label, 1, (double)s->answers[i]);
	}
	prompage_end(p);
	prompage_begin(p, "gotap_http_unanswered", PROM_COUNTER, "",
		       "Connections without a request that could be answered.");
	prompage_sample(p, NULL, NULL, 0, (double)s->unanswered);
	prompage_end(p);
}

static void page_free(void *arg)
{
	struct page *page = arg;

	page->s->pages_bytes -= page->len;
	free(page->buf);
	free(page);
}

/* The page as a response; without memory it is gone. */
static struct MHD_Response *response_of(struct promserve *s, struct textbuf *text)
{
	struct page *page = malloc(sizeof(*page));
	struct MHD_Response *r = NULL;

	if (page) {
		*page = (struct page){ s, text->buf, text->len };
		r = MHD_create_response_from_buffer_with_free_callback_cls(text->len, text->buf,
									   page_free, page);
	}
	if (r) {
		s->pages_bytes += text->len;
		return r;
	}
	free(page);
	free(text->buf);
	return NULL;
}

static enum MHD_Result reply_metrics(struct promserve *s, struct MHD_Connection *c)
{
	struct MHD_Response *r;
	struct prompage p;
	bool gzip;

	if (s->pages_bytes > PAGES_BYTES)
		return reply_fixed(s, c, MHD_HTTP_SERVICE_UNAVAILABLE, "too many at once\n");
	prompage_init(&p, prompage_negotiate(header(c, MHD_HTTP_HEADER_ACCEPT), s->s.protobuf));
	s->s.page(s->s.arg, &p);
	render_answers(s, &p);
	prompage_finish(&p);
	if (p.out.failed || !p.out.buf) {
		free(p.out.buf);
		return reply_fixed(s, c, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory\n");
	}
	gzip = takes_gzip(c) && compress_page(s, &p.out);
	r = response_of(s, &p.out);
	if (r && gzip)
		MHD_add_response_header(r, "Content-Encoding", "gzip");
	if (r)
		MHD_add_response_header(r, "Vary", "Accept, Accept-Encoding");
	return queue(s, c, MHD_HTTP_OK, r, prompage_content_type(p.format));
}

static bool is_allowed(struct promserve *s, struct MHD_Connection *c)
{
	char *password = NULL, *user;
	bool good;

	if (!s->s.web->n_users)
		return true;
	user = MHD_basic_auth_get_username_password(c, &password);
	good = user && password && promauth_knows(&s->auth, user, password);
	MHD_free(user);
	MHD_free(password);
	return good;
}

static bool needs_certificate(const struct promserve *s)
{
	return s->s.web->client_ca != NULL;
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *c, const char *path,
				  const char *method, const char *version, const char *upload,
				  size_t *upload_len, void **state)
{
	(void)version, (void)upload;
	if (!httplisten_whole(upload_len, state))
		return MHD_YES;
	if (needs_certificate(arg) && !promtls_verified(c))
		return reply_fixed(arg, c, MHD_HTTP_FORBIDDEN, "a certificate, please\n");
	if (!is_allowed(arg, c))
		return reply_fixed(arg, c, MHD_HTTP_UNAUTHORIZED,
				   "a user and a password, please\n");
	if (!httplisten_reads(method))
		return reply_fixed(arg, c, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n");
	if (!strcmp(path, "/metrics"))
		return reply_metrics(arg, c);
	if (!strcmp(path, "/"))
		return reply_fixed(arg, c, MHD_HTTP_OK, index_text);
	return reply_fixed(arg, c, MHD_HTTP_NOT_FOUND, index_text);
}

/* Each connection remembers whether something of it was answered. */
static void on_connection(void *arg, struct MHD_Connection *c, void **context,
			  enum MHD_ConnectionNotificationCode what)
{
	struct promserve *s = arg;
	bool *answered = *context;

	(void)c;
	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		*context = calloc(1, sizeof(*answered));
		return;
	}
	s->unanswered += answered && !*answered;
	free(answered);
	*context = NULL;
}

/* "http://HOST:PORT" as the listener has it, with the scheme and the path that it is. */
static void set_url(struct promserve *s, int fd)
{
	char url[HTTPLISTEN_URL];

	httplisten_url(fd, url);
	snprintf(s->url, sizeof(s->url), "http%s%s/metrics", s->s.web->cert ? "s" : "", url + 4);
}

static struct MHD_Daemon *start_daemon(struct promserve *s, int fd)
{
	struct MHD_OptionItem tls[PROMTLS_OPTIONS];
	unsigned flags = promtls_options(s->s.web, tls);
	struct MHD_Daemon *d;

	signals_block();
	d = MHD_start_daemon(
		flags | MHD_USE_POLL_INTERNAL_THREAD | MHD_USE_ERROR_LOG, 0, NULL, NULL, on_request,
		s, MHD_OPTION_EXTERNAL_LOGGER, httplisten_message, (void *)"prometheus",
		MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS, MHD_OPTION_NOTIFY_CONNECTION,
		on_connection, s, MHD_OPTION_ARRAY, tls, MHD_OPTION_END);
	signals_unblock();
	return d;
}

int promserve_start(struct promserve **out, const struct promserve_settings *settings,
		    struct errinfo *e)
{
	struct promserve *s = calloc(1, sizeof(*s));
	int fd;

	if (s)
		s->gzip = gzip_new();
	if (!s || !s->gzip) {
		free(s);
		return errinfo_set(e, -ENOMEM, "out of memory");
	}
	s->s = *settings;
	s->auth.web = settings->web;
	fd = httplisten_open("prometheus", settings->address, e);
	if (fd < 0) {
		promserve_stop(s);
		return fd;
	}
	set_url(s, fd);
	s->daemon = start_daemon(s, fd);
	if (!s->daemon) {
		close(fd);
		promserve_stop(s);
		return errinfo_set(e, settings->web->cert ? -EINVAL : -EIO,
				   "prometheus: %s: the HTTP server does not start%s",
				   settings->address,
				   settings->web->cert ? "; are certificate and key good?" : "");
	}
	*out = s;
	return 0;
}

void promserve_stop(struct promserve *s)
{
	if (!s)
		return;
	if (s->daemon)
		MHD_stop_daemon(s->daemon); /* closes the socket, too */
	promauth_release(&s->auth);
	gzip_free(s->gzip);
	free(s);
}

const char *promserve_url(const struct promserve *s)
{
	return s->url;
}
