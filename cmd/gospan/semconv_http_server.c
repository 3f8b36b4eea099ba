// SPDX-License-Identifier: Apache-2.0
/*
 * HTTP server spans, by semantic-conventions v1.44.0, docs/http/http-spans.md.
 * What net/http's fields hold is said where it matters.
 */
#include "semconv.h"
#include "semconv_http.h"

#include <string.h>

/*
 * The status code that was sent, 0 if none is known. A handler that writes
 * nothing leaves response.status at 0 and net/http sends 200 after it returned
 * (net/http/server.go, finishRequest); a hijacked connection has no response.
 */
static int64_t status_code(const struct attrs *a, enum ending how)
{
	int64_t code;

	if (attrs_i64(a, NAME_STATUS_CODE, &code) && code > 0)
		return code;
	if (how != ENDING_NORMAL || attrs_true(a, NAME_GO_HIJACKED) ||
	    attrs_listed(a, ROLE_UNREAD, NAME_STATUS_CODE))
		return 0;
	return 200;
}

static void describe_name(struct description *d, struct scratch *text)
{
	d->name = d->known_method ? d->method : (struct slice){ "HTTP", 4 };
	if (!d->route.len)
		return;
	text->len = 0;
	if (scratch_put(text, d->name.s, d->name.len) && scratch_put(text, " ", 1) &&
	    scratch_put(text, d->route.s, d->route.len))
		d->name = (struct slice){ text->text, text->len };
}

static void read_method(const struct attrs *a, const char *methods, struct description *d)
{
	const struct value *method = a->known[NAME_METHOD];

	d->method = attrs_text(a, method);
	d->known_method = method && !method->cut && http_method_known(methods, d->method);
}

void http_server_describe(const struct attrs *a, enum ending how, const char *methods,
			  struct scratch *text, struct description *d)
{
	struct slice route = attrs_get(a, NAME_ROUTE);

	memset(d, 0, sizeof(*d));
	read_method(a, methods, d);
	d->route = route.len ? route_path(route.s, route.len) : route;
	d->status_code = status_code(a, how);
	ending_describe(a, how, d);
	if (d->status_code && (d->status_code < 100 || d->status_code >= 500))
		http_status_error(d);
	describe_name(d, text);
}

static void write_scheme(const struct attrs *a, struct jsonw *w)
{
	if (a->known[NAME_SCHEME])
		attrs_write(a, NAME_SCHEME, w);
	else if (a->known[NAME_GO_TLS])
		jsonw_cstr(w, name_text(NAME_SCHEME),
			   attrs_true(a, NAME_GO_TLS) ? "https" : "http");
}

static void write_url(const struct attrs *a, struct scratch *text, struct jsonw *w)
{
	struct slice query = attrs_get(a, NAME_QUERY);

	write_scheme(a, w);
	attrs_write(a, NAME_PATH, w);
	if (!query.len)
		return;
	text->len = 0;
	http_add_query(text, query);
	jsonw_str(w, name_text(NAME_QUERY), text->text, text->len);
}

/* The Host header, or what takes its place in HTTP/2. */
static void write_server(const struct attrs *a, struct jsonw *w)
{
	struct slice host = attrs_get(a, NAME_GO_HOST);
	struct hostport hp = hostport_split(host.s, host.len);

	if (a->known[NAME_SERVER_ADDRESS]) {
		attrs_write(a, NAME_SERVER_ADDRESS, w);
		attrs_write(a, NAME_SERVER_PORT, w);
		return;
	}
	if (!hp.host.len)
		return;
	http_put_text(w, NAME_SERVER_ADDRESS, hp.host);
	if (a->known[NAME_SERVER_PORT])
		attrs_write(a, NAME_SERVER_PORT, w);
	else if (hp.port)
		http_put_number(w, NAME_SERVER_PORT, hp.port);
}

/*
 * Request.RemoteAddr: "host:port" over TCP; over a Unix socket the client's
 * path, or "@" or nothing for the usual client without one (net.UnixAddr).
 */
static struct hostport remote_addr(const struct attrs *a)
{
	struct slice addr = attrs_get(a, NAME_GO_REMOTE_ADDR);

	if (!addr.len || (addr.len == 1 && addr.s[0] == '@'))
		return (struct hostport){ .port = 0 };
	if (addr.s[0] == '/' || addr.s[0] == '@')
		return (struct hostport){ .host = addr };
	return hostport_split(addr.s, addr.len);
}

static void write_client(const struct attrs *a, struct jsonw *w)
{
	struct hostport peer = remote_addr(a);

	if (a->known[NAME_CLIENT_ADDRESS])
		attrs_write(a, NAME_CLIENT_ADDRESS, w);
	else
		http_put_text(w, NAME_CLIENT_ADDRESS, peer.host);
	if (a->known[NAME_PEER_ADDRESS]) {
		attrs_write(a, NAME_PEER_ADDRESS, w);
		attrs_write(a, NAME_PEER_PORT, w);
		return;
	}
	http_put_text(w, NAME_PEER_ADDRESS, peer.host);
	if (peer.port)
		http_put_number(w, NAME_PEER_PORT, peer.port);
}

/*
 * Request.ContentLength is -1 where it is not known, and 0 where there is no body.
 * response.written counts what the handler wrote by its ResponseWriter: nothing of
 * it is sent for HEAD, and what it sent by a hijacked connection is not in it.
 */
static void write_sizes(const struct attrs *a, const struct description *d, struct jsonw *w)
{
	bool counted = !(d->method.len == 4 && !memcmp(d->method.s, "HEAD", 4)) &&
		       !attrs_true(a, NAME_GO_HIJACKED);
	int64_t n;

	if (attrs_i64(a, NAME_REQUEST_SIZE, &n) && n > 0)
		http_put_number(w, NAME_REQUEST_SIZE, n);
	if (counted && attrs_i64(a, NAME_RESPONSE_SIZE, &n) && n >= 0)
		http_put_number(w, NAME_RESPONSE_SIZE, n);
}

void http_server_attributes(const struct attrs *a, const struct description *d,
			    struct scratch *text, struct jsonw *w)
{
	http_write_method(d, w);
	write_url(a, text, w);
	http_put_text(w, NAME_ROUTE, d->route);
	if (d->status_code)
		http_put_number(w, NAME_STATUS_CODE, d->status_code);
	http_put_text(w, NAME_ERROR_TYPE, d->error_type);
	write_server(a, w);
	write_client(a, w);
	http_write_protocol(a, w);
	http_put_text(w, NAME_USER_AGENT, attrs_get(a, NAME_USER_AGENT));
	write_sizes(a, d, w);
	attrs_write(a, NAME_FUNCTION, w);
	exception_attributes(a, text, w);
	attrs_write_others(a, w);
}

void http_server_active(const struct attrs *a, const char *methods, struct jsonw *w)
{
	struct description d;

	read_method(a, methods, &d);
	http_write_known_method(d.method, d.known_method, w);
	write_scheme(a, w);
}
