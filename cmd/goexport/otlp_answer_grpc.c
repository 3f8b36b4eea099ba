// SPDX-License-Identifier: Apache-2.0
/*
 * gRPC over HTTP/2 (grpc/grpc, doc/PROTOCOL-HTTP2.md): the outcome is in the trailer
 * grpc-status, whatever the status of HTTP; the codes are those of google.rpc.Code.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base64.h"
#include "env.h"
#include "gzip.h"
#include "otlp_answer.h"
#include "otlp_reply.h"

#define MAX_MESSAGE 65536

static const char *const names[] = {
	"OK",
	"CANCELLED",
	"UNKNOWN",
	"INVALID_ARGUMENT",
	"DEADLINE_EXCEEDED",
	"NOT_FOUND",
	"ALREADY_EXISTS",
	"PERMISSION_DENIED",
	"RESOURCE_EXHAUSTED",
	"FAILED_PRECONDITION",
	"ABORTED",
	"OUT_OF_RANGE",
	"UNIMPLEMENTED",
	"INTERNAL",
	"UNAVAILABLE",
	"DATA_LOSS",
	"UNAUTHENTICATED",
};

enum {
	CANCELLED = 1,
	UNKNOWN = 2,
	DEADLINE_EXCEEDED = 4,
	PERMISSION_DENIED = 7,
	RESOURCE_EXHAUSTED = 8,
	ABORTED = 10,
	OUT_OF_RANGE = 11,
	UNIMPLEMENTED = 12,
	UNAVAILABLE = 14,
	DATA_LOSS = 15,
	UNAUTHENTICATED = 16,
};

/* The message in its frame: a byte that says whether it is compressed, 4 for its length. */
static void read_success(const struct otlp_response *r, struct otlp_answer *a)
{
	const unsigned char *p = (const unsigned char *)r->body;
	struct textbuf plain = { 0 };
	size_t len = 0;
	bool whole = false;
	int ret = -1;

	a->verdict = OTLP_DONE;
	if (!r->len)
		return;
	if (r->len >= 5) {
		len = (size_t)p[1] << 24 | (size_t)p[2] << 16 | (size_t)p[3] << 8 | p[4];
		whole = len <= r->len - 5;
	}
	if (whole && !p[0])
		ret = otlp_reply_success(p + 5, len, &a->rejected, a->text, sizeof(a->text));
	else if (whole && gzip_unpack(p + 5, len, MAX_MESSAGE, &plain))
		ret = otlp_reply_success(plain.buf, plain.len, &a->rejected, a->text,
					 sizeof(a->text));
	free(plain.buf);
	if (ret)
		snprintf(a->text, sizeof(a->text), "the answer is not OTLP");
}

/* The code for an answer of something that does not speak gRPC (doc/http-grpc-status-mapping.md).
 */
static int code_of(const struct otlp_response *r)
{
	if (r->grpc_status >= 0)
		return r->grpc_status;
	switch (r->status) {
	case 401:
		return UNAUTHENTICATED;
	case 403:
		return PERMISSION_DENIED;
	case 404:
		return UNIMPLEMENTED;
	case 429:
	case 502:
	case 503:
	case 504:
		return UNAVAILABLE;
	default:
		return UNKNOWN;
	}
}

static enum otlp_verdict verdict_of(int code, const struct otlp_answer *a)
{
	switch (code) {
	case CANCELLED:
	case DEADLINE_EXCEEDED:
	case ABORTED:
	case OUT_OF_RANGE:
	case UNAVAILABLE:
	case DATA_LOSS:
		return OTLP_RETRY;
	case RESOURCE_EXHAUSTED: /* of the receiver's limit for a message, if it does not say until
				    when */
		return a->retry_after_ms >= 0 ? OTLP_RETRY : OTLP_TOO_BIG;
	case PERMISSION_DENIED:
	case UNAUTHENTICATED:
	case UNIMPLEMENTED:
		return OTLP_DENIED;
	default:
		return OTLP_REFUSED;
	}
}

void otlp_answer_grpc(const struct otlp_response *r, struct otlp_answer *a)
{
	unsigned char details[2048];
	char msg[160];
	int code = code_of(r);

	if (!code) {
		read_success(r, a);
		return;
	}
	snprintf(msg, sizeof(msg), "%s", r->grpc_message);
	msg[percent_decode(msg, strlen(msg))] = '\0';
	if (*r->grpc_details) {
		char other[160];
		size_t len = base64_decode(r->grpc_details, details, sizeof(details));

		a->retry_after_ms = otlp_reply_error(details, len, other, sizeof(other));
	}
	a->verdict = verdict_of(code, a);
	if (r->grpc_status < 0)
		snprintf(a->text, sizeof(a->text), "HTTP status %ld, and no gRPC", r->status);
	else
		snprintf(a->text, sizeof(a->text), "gRPC status %s%s%s",
			 code <= UNAUTHENTICATED ? names[code] : "that is none", *msg ? ": " : "",
			 msg);
}
