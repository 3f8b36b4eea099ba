/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every attribute name of the OpenTelemetry conventions that gospan writes, and
 * every name of raw material that it reads from captures, in one table. The
 * conventions are semantic-conventions v1.44.0 (docs/http/http-spans.md,
 * docs/registry/attributes/code.md).
 */
#ifndef GOSPAN_NAMES_H
#define GOSPAN_NAMES_H

#include <stddef.h>

/* X(NAME, "text"). The raw material starts at GO_TLS. */
#define ATTRIBUTE_NAMES(X)                                                                         \
	X(METHOD, "http.request.method")                                                           \
	X(METHOD_ORIGINAL, "http.request.method_original")                                         \
	X(SCHEME, "url.scheme")                                                                    \
	X(PATH, "url.path")                                                                        \
	X(QUERY, "url.query")                                                                      \
	X(ROUTE, "http.route")                                                                     \
	X(STATUS_CODE, "http.response.status_code")                                                \
	X(ERROR_TYPE, "error.type")                                                                \
	X(SERVER_ADDRESS, "server.address")                                                        \
	X(SERVER_PORT, "server.port")                                                              \
	X(CLIENT_ADDRESS, "client.address")                                                        \
	X(PEER_ADDRESS, "network.peer.address")                                                    \
	X(PEER_PORT, "network.peer.port")                                                          \
	X(PROTOCOL_VERSION, "network.protocol.version")                                            \
	X(USER_AGENT, "user_agent.original")                                                       \
	X(REQUEST_SIZE, "http.request.body.size")                                                  \
	X(RESPONSE_SIZE, "http.response.body.size")                                                \
	X(FUNCTION, "code.function.name")                                                          \
	X(FULL, "url.full")                                                                        \
	X(RESEND, "http.request.resend_count")                                                     \
	X(EXCEPTION_TYPE, "exception.type")                                                        \
	X(EXCEPTION_MESSAGE, "exception.message")                                                  \
	X(GO_TLS, "go.tls")                                                                        \
	X(GO_REMOTE_ADDR, "go.remote_addr")                                                        \
	X(GO_HOST, "go.host")                                                                      \
	X(GO_PROTO, "go.proto")                                                                    \
	X(GO_HIJACKED, "go.hijacked")                                                              \
	X(GO_TRACESTATE, "go.tracestate")                                                          \
	X(GO_URL_SCHEME, "go.url.scheme")                                                          \
	X(GO_URL_HOST, "go.url.host")                                                              \
	X(GO_URL_PATH, "go.url.path")                                                              \
	X(GO_URL_RAW_PATH, "go.url.raw_path")                                                      \
	X(GO_URL_QUERY, "go.url.query")                                                            \
	X(GO_URL_USER, "go.url.user")                                                              \
	X(GO_RESEND_1, "go.resend.1")                                                              \
	X(GO_RESEND_2, "go.resend.2")                                                              \
	X(GO_RESEND_3, "go.resend.3")                                                              \
	X(GO_RESEND_4, "go.resend.4")                                                              \
	X(GO_RETRIES, "go.retries")                                                                \
	X(GO_NAME, "go.name")                                                                      \
	X(GO_SCOPE, "go.scope")                                                                    \
	X(GO_STATUS, "go.status")                                                                  \
	X(GO_STATUS_TEXT, "go.status.text")

enum name {
#define X(name, text) NAME_##name,
	ATTRIBUTE_NAMES(X)
#undef X
		NAME_RAW, /* another name that begins go. or gotap.: material nobody here uses */
	NAME_OTHER,	  /* anything else: an attribute of the recipe's own */
	NAME_COUNT,
};

/*
 * The number of @text. @hint is the number expected, NAME_COUNT if none: names
 * come in the same order in every event of a probe.
 */
enum name name_find(const char *text, size_t len, enum name hint);
/* The text of @name, which is below NAME_RAW. */
const char *name_text(enum name name);

#endif
