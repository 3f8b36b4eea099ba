// SPDX-License-Identifier: Apache-2.0
/*
 * HTTP client spans, by semantic-conventions v1.44.0, docs/http/http-spans.md. What
 * net/http's fields hold is said where it matters.
 */
#include <string.h>

#include "semconv.h"
#include "semconv_http.h"

static void read_method(const struct attrs *a, const char *methods, struct description *d)
{
	const struct value *method = a->known[NAME_METHOD];

	d->method = attrs_text(a, method);
	if (!d->method.len) /* net/http.Request: for client requests "" means GET */
		d->method = (struct slice){ "GET", 3 };
	d->known_method = !(method && method->cut) && http_method_known(methods, d->method);
}

void http_client_describe(const struct attrs *a, enum ending how, const char *methods,
			  struct description *d)
{
	memset(d, 0, sizeof(*d));
	read_method(a, methods, d);
	attrs_i64(a, NAME_STATUS_CODE, &d->status_code);
	ending_describe(a, how, d);
	if (d->status_code && (d->status_code < 100 || d->status_code >= 400))
		http_status_error(d);
	d->name = d->known_method ? d->method : (struct slice){ "HTTP", 4 };
}

/* net/url, shouldEscape() with encodePath: all others of ASCII are escaped. */
static bool path_char(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("-_.~$&+,/:;=@", c));
}

/*
 * URL.Path is decoded; URL.RawPath is set where the encoding was another than the
 * usual one.
 */
static void add_path(const struct attrs *a, struct scratch *text)
{
	static const char hex[] = "0123456789ABCDEF";
	struct slice path = attrs_get(a, NAME_GO_URL_PATH),
		     raw = attrs_get(a, NAME_GO_URL_RAW_PATH);
	size_t from = 0;

	if (raw.len) {
		scratch_put(text, raw.s, raw.len);
		return;
	}
	for (size_t i = 0; i < path.len; i++) {
		unsigned char c = (unsigned char)path.s[i];
		char escaped[3] = { '%', hex[c >> 4], hex[c & 15] };

		if (path_char(c))
			continue;
		scratch_put(text, path.s + from, i - from);
		scratch_put(text, escaped, 3);
		from = i + 1;
	}
	scratch_put(text, path.s + from, path.len - from);
}

/* The whole URL, without the secrets in it. */
static void write_url(const struct attrs *a, struct scratch *text, struct jsonw *w)
{
	struct slice scheme = attrs_get(a, NAME_GO_URL_SCHEME);
	struct slice host = attrs_get(a, NAME_GO_URL_HOST);
	struct slice query = attrs_get(a, NAME_GO_URL_QUERY);

	if (a->known[NAME_FULL]) {
		attrs_write(a, NAME_FULL, w);
		return;
	}
	/* Without its path, which is not read of what is not sampled, it is another one. */
	if ((!scheme.len && !host.len) || !a->known[NAME_GO_URL_PATH])
		return;
	text->len = 0;
	scratch_put(text, scheme.s, scheme.len);
	scratch_put(text, "://", 3);
	if (attrs_true(a, NAME_GO_URL_USER))
		scratch_put(text, "REDACTED:REDACTED@", 18);
	scratch_put(text, host.s, host.len);
	add_path(a, text);
	if (query.len) {
		scratch_put(text, "?", 1);
		http_add_query(text, query);
	}
	jsonw_str(w, name_text(NAME_FULL), text->text, text->len);
}

static int default_port(struct slice scheme)
{
	if (scheme.len == 4 && !memcmp(scheme.s, "http", 4))
		return 80;
	return scheme.len == 5 && !memcmp(scheme.s, "https", 5) ? 443 : 0;
}

static void write_server(const struct attrs *a, struct jsonw *w)
{
	struct slice host = attrs_get(a, NAME_GO_URL_HOST);
	struct hostport hp = hostport_split(host.s, host.len);
	int port = hp.port ? hp.port : default_port(attrs_get(a, NAME_GO_URL_SCHEME));

	if (a->known[NAME_SERVER_ADDRESS]) {
		attrs_write(a, NAME_SERVER_ADDRESS, w);
		attrs_write(a, NAME_SERVER_PORT, w);
		return;
	}
	http_put_text(w, NAME_SERVER_ADDRESS, hp.host);
	if (hp.host.len && port)
		http_put_number(w, NAME_SERVER_PORT, port);
}

/* Both lengths are -1 where they are not known; that of an answer to HEAD is of no body. */
static void write_sizes(const struct attrs *a, const struct description *d, struct jsonw *w)
{
	bool body = !(d->method.len == 4 && !memcmp(d->method.s, "HEAD", 4));
	int64_t n;

	if (attrs_i64(a, NAME_REQUEST_SIZE, &n) && n > 0)
		http_put_number(w, NAME_REQUEST_SIZE, n);
	if (body && attrs_i64(a, NAME_RESPONSE_SIZE, &n) && n >= 0)
		http_put_number(w, NAME_RESPONSE_SIZE, n);
}

/*
 * By redirects, and by the Transport itself. Nothing where it is sent for the first time,
 * or where there are more redirects than are counted.
 */
static void write_resend(const struct attrs *a, struct jsonw *w)
{
	static const enum name hops[] = { NAME_GO_RESEND_1, NAME_GO_RESEND_2, NAME_GO_RESEND_3,
					  NAME_GO_RESEND_4 };
	const size_t most = sizeof(hops) / sizeof(hops[0]);
	int64_t retries = 0;
	size_t n = 0;

	while (n < most && attrs_true(a, hops[n]))
		n++;
	attrs_i64(a, NAME_GO_RETRIES, &retries);
	if (a->known[NAME_RESEND])
		attrs_write(a, NAME_RESEND, w);
	else if (n < most && (int64_t)n + retries > 0)
		http_put_number(w, NAME_RESEND, (int64_t)n + retries);
}

void http_client_attributes(const struct attrs *a, const struct description *d,
			    struct scratch *text, struct jsonw *w)
{
	http_write_method(d, w);
	write_url(a, text, w);
	if (d->status_code)
		http_put_number(w, NAME_STATUS_CODE, d->status_code);
	http_put_text(w, NAME_ERROR_TYPE, d->error_type);
	write_resend(a, w);
	write_server(a, w);
	http_write_protocol(a, w);
	write_sizes(a, d, w);
	attrs_write(a, NAME_FUNCTION, w);
	exception_attributes(a, text, w);
	attrs_write_others(a, w);
}

void http_client_active(const struct attrs *a, const char *methods, struct jsonw *w)
{
	struct description d;

	read_method(a, methods, &d);
	http_write_known_method(d.method, d.known_method, w);
	write_server(a, w);
	http_put_text(w, NAME_SCHEME, attrs_get(a, NAME_GO_URL_SCHEME));
}
