// SPDX-License-Identifier: Apache-2.0
#include "otlp_http.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "gzip.h"
#include "otlp_answer.h"

/* More than this of an answer is read and thrown away. */
#define MAX_ANSWER 65536

struct otlp_http {
	CURL *curl;
	struct curl_slist *headers;
	bool grpc;
	struct gzip *gzip; /* NULL: uncompressed */
	struct textbuf wire;
	bool (*give_up)(void *arg);
	void *arg;
	char error[CURL_ERROR_SIZE];
	char answer[MAX_ANSWER + 1];
	size_t len;
	int grpc_status;
	char grpc_message[256], grpc_details[2048];
};

static size_t on_data(char *p, size_t size, size_t n, void *arg)
{
	struct otlp_http *h = arg;
	size_t room = MAX_ANSWER - h->len, take = n * size < room ? n * size : room;

	memcpy(h->answer + h->len, p, take);
	h->len += take;
	return n * size;
}

/* The value of a header line if it is of @name, into @to, cut to fit. */
static bool header_is(const char *p, size_t len, const char *name, char *to, size_t size)
{
	size_t n = strlen(name);

	if (len <= n || strncasecmp(p, name, n) || p[n] != ':')
		return false;
	for (p += n + 1, len -= n + 1; len && *p == ' '; len--)
		p++;
	while (len && (p[len - 1] == '\r' || p[len - 1] == '\n' || p[len - 1] == ' '))
		len--;
	snprintf(to, size, "%.*s", (int)len, p);
	return true;
}

/* Headers and trailers; of two the last wins. */
static size_t on_header(char *p, size_t size, size_t n, void *arg)
{
	struct otlp_http *h = arg;
	char number[16];

	if (header_is(p, n * size, "grpc-status", number, sizeof(number)))
		h->grpc_status = atoi(number);
	else if (!header_is(p, n * size, "grpc-message", h->grpc_message, sizeof(h->grpc_message)))
		header_is(p, n * size, "grpc-status-details-bin", h->grpc_details,
			  sizeof(h->grpc_details));
	return n * size;
}

static int on_progress(void *arg, curl_off_t dt, curl_off_t dn, curl_off_t ut, curl_off_t un)
{
	struct otlp_http *h = arg;

	(void)dt, (void)dn, (void)ut, (void)un;
	return h->give_up(h->arg);
}

static int add_header(struct otlp_http *h, const char *line)
{
	struct curl_slist *list = curl_slist_append(h->headers, line);

	if (!list)
		return -ENOMEM;
	h->headers = list;
	return 0;
}

static int set_grpc_headers(struct otlp_http *h, const struct otlp_choice *c)
{
	char timeout[64];
	int ret = add_header(h, "Content-Type: application/grpc");

	snprintf(timeout, sizeof(timeout), "grpc-timeout: %lldm", (long long)c->timeout_ms);
	if (!ret)
		ret = add_header(h, "te: trailers");
	if (!ret && c->timeout_ms <= 99999999) /* 8 digits at most */
		ret = add_header(h, timeout);
	if (!ret && h->gzip)
		ret = add_header(h, "grpc-encoding: gzip");
	return ret ? ret : add_header(h, "grpc-accept-encoding: identity, gzip");
}

static int set_headers(struct otlp_http *h, const struct otlp_choice *c)
{
	int ret = add_header(h, "Expect:"); /* no round trip before the body */

	if (!ret && h->grpc)
		ret = set_grpc_headers(h, c);
	else if (!ret)
		ret = add_header(h, c->protocol == OTLP_HTTP_JSON
					    ? "Content-Type: application/json"
					    : "Content-Type: application/x-protobuf");
	if (!ret && h->gzip && !h->grpc)
		ret = add_header(h, "Content-Encoding: gzip");
	for (size_t i = 0; i < c->n_headers && !ret; i++)
		ret = add_header(h, c->headers[i]);
	return ret;
}

static void set_callbacks(struct otlp_http *h)
{
	curl_easy_setopt(h->curl, CURLOPT_ERRORBUFFER, h->error);
	curl_easy_setopt(h->curl, CURLOPT_WRITEFUNCTION, on_data);
	curl_easy_setopt(h->curl, CURLOPT_WRITEDATA, h);
	curl_easy_setopt(h->curl, CURLOPT_XFERINFOFUNCTION, on_progress);
	curl_easy_setopt(h->curl, CURLOPT_XFERINFODATA, h);
	curl_easy_setopt(h->curl, CURLOPT_NOPROGRESS, 0L);
	if (!h->grpc)
		return;
	curl_easy_setopt(h->curl, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(h->curl, CURLOPT_HEADERDATA, h);
}

static void set_tls(struct otlp_http *h, const struct otlp_choice *c)
{
	if (c->ca) {
		curl_easy_setopt(h->curl, CURLOPT_CAINFO, c->ca);
		curl_easy_setopt(h->curl, CURLOPT_CAPATH, NULL);
	}
	if (c->cert)
		curl_easy_setopt(h->curl, CURLOPT_SSLCERT, c->cert);
	if (c->key)
		curl_easy_setopt(h->curl, CURLOPT_SSLKEY, c->key);
}

static void set_options(struct otlp_http *h, const char *url, const struct otlp_choice *c)
{
	bool tls = !strncasecmp(url, "https:", 6);

	curl_easy_setopt(h->curl, CURLOPT_URL, url);
	curl_easy_setopt(h->curl, CURLOPT_HTTPHEADER, h->headers);
	curl_easy_setopt(h->curl, CURLOPT_USERAGENT, "gotap-goexport/" GOTAP_VERSION);
	curl_easy_setopt(h->curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(h->curl, CURLOPT_TIMEOUT_MS, (long)c->timeout_ms);
	curl_easy_setopt(h->curl, CURLOPT_POST, 1L);
	/* A resolver that does not answer is not waited for when time is over. */
	curl_easy_setopt(h->curl, CURLOPT_QUICK_EXIT, 1L);
	/* A receiver that comes back on another address is found there. */
	curl_easy_setopt(h->curl, CURLOPT_DNS_CACHE_TIMEOUT, 0L);
	/* Keys are for the receiver, not for a proxy before it. */
	curl_easy_setopt(h->curl, CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE);
	if (!h->grpc)
		return;
	curl_easy_setopt(h->curl, CURLOPT_HTTPPROXYTUNNEL, 1L);
	curl_easy_setopt(
		h->curl, CURLOPT_HTTP_VERSION,
		(long)(tls ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE));
	/* libcurl 7.88 fails when it uses such a connection again (curl#10634). */
	if (!tls)
		curl_easy_setopt(h->curl, CURLOPT_FORBID_REUSE, 1L);
}

struct otlp_http *otlp_http_new(const char *url, const struct otlp_choice *c,
				bool (*give_up)(void *), void *arg, struct errinfo *e)
{
	struct otlp_http *h = calloc(1, sizeof(*h));
	bool gzip = c->compression == OTLP_GZIP;

	if (h) {
		h->grpc = c->protocol == OTLP_GRPC;
		h->gzip = gzip ? gzip_new() : NULL;
		h->curl = curl_easy_init();
	}
	if (!h || !h->curl || (gzip && !h->gzip) || set_headers(h, c)) {
		errinfo_set(e, -ENOMEM, "otlp: libcurl does not start");
		otlp_http_free(h);
		return NULL;
	}
	h->give_up = give_up;
	h->arg = arg;
	set_options(h, url, c);
	set_callbacks(h);
	set_tls(h, c);
	return h;
}

void otlp_http_free(struct otlp_http *h)
{
	if (!h)
		return;
	curl_slist_free_all(h->headers);
	if (h->curl)
		curl_easy_cleanup(h->curl);
	gzip_free(h->gzip);
	free(h->wire.buf);
	free(h);
}

/* The body as it goes out: compressed, and for gRPC in a frame. NULL without memory. */
static const char *make_wire(struct otlp_http *h, const char *body, size_t *len)
{
	size_t head = h->grpc ? 5 : 0, n;

	if (!head && !h->gzip)
		return body;
	h->wire.len = 0;
	textbuf_put(&h->wire, "\0\0\0\0\0", head);
	if (h->gzip)
		gzip_pack(h->gzip, body, *len, &h->wire);
	else
		textbuf_put(&h->wire, body, *len);
	if (h->wire.failed) {
		free(h->wire.buf);
		h->wire = (struct textbuf){ 0 };
		return NULL;
	}
	n = h->wire.len - head;
	if (head) {
		h->wire.buf[0] = h->gzip != NULL;
		for (int i = 0; i < 4; i++)
			h->wire.buf[1 + i] = (char)(n >> (24 - 8 * i));
	}
	*len = h->wire.len;
	return h->wire.buf;
}

static void read_response(struct otlp_http *h, struct otlp_answer *a)
{
	struct otlp_response r = {
		.body = h->answer,
		.len = h->len,
		.retry_after_ms = -1,
		.grpc_status = h->grpc_status,
		.grpc_message = h->grpc_message,
		.grpc_details = h->grpc_details,
	};
	char *type = NULL;
	curl_off_t after = 0;

	curl_easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, &r.status);
	curl_easy_getinfo(h->curl, CURLINFO_CONTENT_TYPE, &type);
	curl_easy_getinfo(h->curl, CURLINFO_RETRY_AFTER, &after);
	r.type = type ? type : "";
	if (after > 0)
		r.retry_after_ms = after * 1000;
	h->answer[h->len] = '\0';
	if (h->grpc)
		otlp_answer_grpc(&r, a);
	else
		otlp_answer_http(&r, a);
}

void otlp_http_post(struct otlp_http *h, const void *body, size_t len, struct otlp_answer *a)
{
	const char *wire = make_wire(h, body, &len);
	CURLcode code;

	*a = (struct otlp_answer){ .verdict = OTLP_RETRY, .retry_after_ms = -1 };
	if (!wire) {
		snprintf(a->text, sizeof(a->text), "out of memory");
		return;
	}
	h->len = 0;
	h->error[0] = h->grpc_message[0] = h->grpc_details[0] = '\0';
	h->grpc_status = -1;
	curl_easy_setopt(h->curl, CURLOPT_POSTFIELDS, wire);
	curl_easy_setopt(h->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len);
	code = curl_easy_perform(h->curl);
	if (code == CURLE_OK)
		read_response(h, a);
	else
		snprintf(a->text, sizeof(a->text), "%s",
			 h->error[0] ? h->error : curl_easy_strerror(code));
}
