/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One connection to an OTLP receiver: posts a request and says what the answer
 * means (OTLP 1.11, "OTLP/HTTP Response"). Called by the sender's thread.
 */
#ifndef GOEXPORT_OTLP_HTTP_H
#define GOEXPORT_OTLP_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "errinfo.h"

enum otlp_verdict {
	OTLP_DONE,    /* taken, except for `rejected` spans, which must not be sent again */
	OTLP_RETRY,   /* not reached, or told to come again */
	OTLP_REFUSED, /* will not be taken */
};

struct otlp_answer {
	enum otlp_verdict verdict;
	int64_t retry_after_ms; /* as the receiver wishes; -1 if it said nothing */
	uint64_t rejected;
	char text[256]; /* what it said, or what went wrong; "" if nothing */
};

struct otlp_http;

/*
 * @headers are "Name: value". @timeout_ms: for one request, all in all. @give_up is
 * asked about every second during one. Everything is borrowed for the life of the
 * result. NULL with the reason in @e.
 */
struct otlp_http *otlp_http_new(const char *url, const char *const *headers, size_t n,
				int64_t timeout_ms, bool (*give_up)(void *), void *arg,
				struct errinfo *e);
void otlp_http_free(struct otlp_http *h);

void otlp_http_post(struct otlp_http *h, const void *body, size_t len, struct otlp_answer *a);

#endif
