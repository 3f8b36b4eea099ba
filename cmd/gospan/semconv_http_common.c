// SPDX-License-Identifier: Apache-2.0
#include "semconv_http.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* RFC 9110, PATCH of RFC 5789, QUERY of RFC 10008. */
const char HTTP_METHODS[] = "CONNECT,DELETE,GET,HEAD,OPTIONS,PATCH,POST,PUT,QUERY,TRACE";

/* Whether @m is one of the names in @list, compared byte for byte. */
bool http_method_known(const char *list, struct slice m)
{
	const char *comma;

	if (!m.len || memchr(m.s, ',', m.len))
		return false;
	for (;; list = comma + 1) {
		comma = strchrnul(list, ',');
		if ((size_t)(comma - list) == m.len && !memcmp(list, m.s, m.len))
			return true;
		if (!*comma)
			return false;
	}
}

void http_status_error(struct description *d)
{
	int n;

	d->error = true;
	if (d->error_type.len)
		return;
	n = snprintf(d->number, sizeof(d->number), "%" PRId64, d->status_code);
	d->error_type = (struct slice){ d->number, (size_t)n };
}

void http_put_text(struct jsonw *w, enum name name, struct slice t)
{
	if (t.len)
		jsonw_str(w, name_text(name), t.s, t.len);
}

void http_put_number(struct jsonw *w, enum name name, int64_t n)
{
	jsonw_int(w, name_text(name), n);
}

void http_write_known_method(struct slice method, bool known, struct jsonw *w)
{
	http_put_text(w, NAME_METHOD, known ? method : (struct slice){ "_OTHER", 6 });
}

void http_write_method(const struct description *d, struct jsonw *w)
{
	http_write_known_method(d->method, d->known_method, w);
	if (!d->known_method)
		http_put_text(w, NAME_METHOD_ORIGINAL, d->method);
}

static void put_piece(void *arg, const char *s, size_t len)
{
	scratch_put(arg, s, len);
}

void http_add_query(struct scratch *text, struct slice query)
{
	query_redact(query.s, query.len, put_piece, text);
}

void http_write_protocol(const struct attrs *a, struct jsonw *w)
{
	struct slice proto = attrs_get(a, NAME_GO_PROTO);

	if (a->known[NAME_PROTOCOL_VERSION])
		attrs_write(a, NAME_PROTOCOL_VERSION, w);
	else if (proto.len)
		http_put_text(w, NAME_PROTOCOL_VERSION, protocol_version(proto.s, proto.len));
}
