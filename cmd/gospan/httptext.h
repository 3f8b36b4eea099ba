/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small readers of the texts that an HTTP request carries: addresses, routes,
 * queries, protocol versions, tracestate. They take bytes that the traced
 * program got from anybody, return slices of them, allocate nothing and never
 * fail otherwise than by finding nothing.
 */
#ifndef GOSPAN_HTTPTEXT_H
#define GOSPAN_HTTPTEXT_H

#include <stdbool.h>
#include <stddef.h>

/* A borrowed piece of text; nothing there is {NULL, 0}. */
struct slice {
	const char *s;
	size_t len;
};

struct hostport {
	struct slice host; /* without the brackets of an IPv6 literal */
	int port;	   /* 1 to 65535, 0 if there is none */
};

/*
 * Splits "host", "host:port", "[v6]", "[v6]:port" (a zone may follow the
 * address) and a bare IPv6 address.
 */
struct hostport hostport_split(const char *s, size_t len);

/*
 * The path of a route pattern of net/http ("[METHOD ][HOST]/[PATH]", net/http
 * ServeMux, Go 1.22); nothing if there is no path in it.
 */
struct slice route_path(const char *s, size_t len);

/* "1.1" from "HTTP/1.1", "2" from "HTTP/2.0"; nothing for other protocols. */
struct slice protocol_version(const char *s, size_t len);

/* Whether @s is a tracestate by W3C Trace Context, section 3.3.1. */
bool tracestate_valid(const char *s, size_t len);

/*
 * Replaces the values of keys that hold signatures and credentials by REDACTED
 * (semantic-conventions v1.44.0, url.query). Calls @put for each piece of the
 * result, in order.
 */
void query_redact(const char *s, size_t len, void (*put)(void *arg, const char *s, size_t len),
		  void *arg);

#endif
