/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One connection to an OTLP receiver, by libcurl: posts a request and says what the
 * answer means (OTLP 1.11, "OTLP/HTTP Response", "OTLP/gRPC Response"). Called by the
 * sender's thread.
 */
#ifndef GOEXPORT_OTLP_HTTP_H
#define GOEXPORT_OTLP_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "errinfo.h"
#include "otlp_choice.h"

enum otlp_verdict {
	OTLP_DONE,    /* taken, except for `rejected` items, which must not be sent again */
	OTLP_RETRY,   /* not reached, or told to come again */
	OTLP_REFUSED, /* will not be taken */
	OTLP_TOO_BIG, /* will not be taken as large as this */
	OTLP_DENIED,  /* nothing will be taken: not allowed, or the wrong URL */
};

struct otlp_answer {
	enum otlp_verdict verdict;
	int64_t retry_after_ms; /* as the receiver wishes; -1 if it said nothing */
	uint64_t rejected;
	char text[256]; /* what it said, or what went wrong; "" if nothing */
};

/* What came back, before anybody knows what it means. */
struct otlp_response {
	long status;	  /* of HTTP */
	const char *type; /* Content-Type, "" if there was none */
	const char *body; /* as much as is kept, and a NUL */
	size_t len;
	int64_t retry_after_ms;	  /* of Retry-After; -1 if there was none */
	int grpc_status;	  /* -1 if there was none */
	const char *grpc_message; /* percent-encoded, as it came */
	const char *grpc_details; /* base64, likewise */
};

struct otlp_http;

/*
 * @url, and how to talk to it; @give_up is asked about every second while a request
 * is under way. Everything is borrowed for the life of the result. NULL with the
 * reason in @e.
 */
struct otlp_http *otlp_http_new(const char *url, const struct otlp_choice *c,
				bool (*give_up)(void *), void *arg, struct errinfo *e);
void otlp_http_free(struct otlp_http *h);

void otlp_http_post(struct otlp_http *h, const void *body, size_t len, struct otlp_answer *a);

#endif
