// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "jsonv.h"
#include "otlp_answer.h"
#include "otlp_reply.h"

static bool type_is(const struct otlp_response *r, const char *type)
{
	return !strncasecmp(r->type, type, strlen(type));
}

/* The same in JSON: {"partialSuccess":{"rejectedSpans":"1","errorMessage":"…"}}. */
static int read_json(const struct otlp_response *r, struct otlp_answer *a)
{
	struct jsonv_doc d = { 0 };
	const struct jsonv *partial;
	const char *s;
	size_t len;
	int ret = jsonv_parse(&d, r->body, r->len, NULL);

	if (!ret) {
		partial = jsonv_member(jsonv_root(&d), "partialSuccess");
		if (jsonv_u64(jsonv_member(partial, "rejectedSpans"), &a->rejected))
			jsonv_u64(jsonv_member(partial, "rejectedDataPoints"), &a->rejected);
		if (!jsonv_str(&d, jsonv_member(partial, "errorMessage"), &s, &len))
			snprintf(a->text, sizeof(a->text), "%.*s", (int)len, s);
	}
	jsonv_release(&d);
	return ret;
}

static void read_success(const struct otlp_response *r, struct otlp_answer *a)
{
	int ret = -1;

	a->verdict = OTLP_DONE;
	if (!r->len)
		return;
	if (type_is(r, "application/x-protobuf"))
		ret = otlp_reply_success(r->body, r->len, &a->rejected, a->text, sizeof(a->text));
	else if (type_is(r, "application/json"))
		ret = read_json(r, a);
	if (ret)
		snprintf(a->text, sizeof(a->text),
			 "the answer is not OTLP; is this the right URL?");
}

/* The message of a google.rpc.Status, or the first line of a text. */
static void describe(const struct otlp_response *r, struct otlp_answer *a)
{
	char msg[192] = "";

	if (type_is(r, "application/x-protobuf"))
		otlp_reply_error(r->body, r->len, msg, sizeof(msg));
	else if (r->len && r->body[0] != '<')
		snprintf(msg, sizeof(msg), "%.*s", (int)strcspn(r->body, "\r\n"), r->body);
	snprintf(a->text, sizeof(a->text), "HTTP status %ld%s%s", r->status, *msg ? ": " : "", msg);
}

void otlp_answer_http(const struct otlp_response *r, struct otlp_answer *a)
{
	if (r->status >= 200 && r->status < 300) {
		read_success(r, a);
		return;
	}
	describe(r, a);
	switch (r->status) {
	case 429:
	case 502:
	case 503:
	case 504:
		a->verdict = OTLP_RETRY;
		a->retry_after_ms = r->retry_after_ms;
		break;
	case 413:
		a->verdict = OTLP_TOO_BIG;
		break;
	case 401:
	case 403:
	case 404:
	case 405:
		a->verdict = OTLP_DENIED;
		break;
	default:
		a->verdict = OTLP_REFUSED;
		break;
	}
}
