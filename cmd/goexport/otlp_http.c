// SPDX-License-Identifier: Apache-2.0
#include "otlp_http.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "otlp_pb.h"

/* More than this of an answer is read and thrown away. */
#define MAX_ANSWER 65536

struct otlp_http {
	CURL *curl;
	struct curl_slist *headers;
	bool (*give_up)(void *arg);
	void *arg;
	char error[CURL_ERROR_SIZE];
	unsigned char answer[MAX_ANSWER];
	size_t len;
};

static size_t on_data(char *p, size_t size, size_t n, void *arg)
{
	struct otlp_http *h = arg;
	size_t room = sizeof(h->answer) - h->len, take = n * size < room ? n * size : room;

	memcpy(h->answer + h->len, p, take);
	h->len += take;
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

static int set_headers(struct otlp_http *h, const char *const *headers, size_t n)
{
	int ret = add_header(h, "Content-Type: application/x-protobuf");

	if (!ret)
		ret = add_header(h, "Expect:"); /* no round trip before the body */
	for (size_t i = 0; i < n && !ret; i++)
		ret = add_header(h, headers[i]);
	return ret;
}

static void set_options(struct otlp_http *h, const char *url, int64_t timeout_ms)
{
	curl_easy_setopt(h->curl, CURLOPT_URL, url);
	curl_easy_setopt(h->curl, CURLOPT_HTTPHEADER, h->headers);
	curl_easy_setopt(h->curl, CURLOPT_USERAGENT, "gotap-goexport/" GOTAP_VERSION);
	curl_easy_setopt(h->curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(h->curl, CURLOPT_TIMEOUT_MS, (long)timeout_ms);
	curl_easy_setopt(h->curl, CURLOPT_ERRORBUFFER, h->error);
	curl_easy_setopt(h->curl, CURLOPT_WRITEFUNCTION, on_data);
	curl_easy_setopt(h->curl, CURLOPT_WRITEDATA, h);
	curl_easy_setopt(h->curl, CURLOPT_XFERINFOFUNCTION, on_progress);
	curl_easy_setopt(h->curl, CURLOPT_XFERINFODATA, h);
	curl_easy_setopt(h->curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(h->curl, CURLOPT_POST, 1L);
}

struct otlp_http *otlp_http_new(const char *url, const char *const *headers, size_t n,
				int64_t timeout_ms, bool (*give_up)(void *), void *arg,
				struct errinfo *e)
{
	struct otlp_http *h = calloc(1, sizeof(*h));

	if (h)
		h->curl = curl_easy_init();
	if (!h || !h->curl || set_headers(h, headers, n)) {
		errinfo_set(e, -ENOMEM, "otlp: libcurl does not start");
		otlp_http_free(h);
		return NULL;
	}
	h->give_up = give_up;
	h->arg = arg;
	set_options(h, url, timeout_ms);
	return h;
}

void otlp_http_free(struct otlp_http *h)
{
	if (!h)
		return;
	curl_slist_free_all(h->headers);
	curl_easy_cleanup(h->curl);
	free(h);
}

static bool is_protobuf(struct otlp_http *h)
{
	char *type = NULL;

	curl_easy_getinfo(h->curl, CURLINFO_CONTENT_TYPE, &type);
	return type && !strncasecmp(type, "application/x-protobuf", 22);
}

static void read_success(struct otlp_http *h, struct otlp_answer *a)
{
	a->verdict = OTLP_DONE;
	if (!h->len)
		return;
	if (!is_protobuf(h) ||
	    otlp_pb_response(h->answer, h->len, &a->rejected, a->text, sizeof(a->text)))
		snprintf(a->text, sizeof(a->text),
			 "the answer is not OTLP; is this the right URL?");
}

/* The status, and what the body says: a google.rpc.Status, or the first line of a text. */
static void describe(struct otlp_http *h, long status, struct otlp_answer *a)
{
	char msg[192] = "";

	if (is_protobuf(h))
		otlp_pb_error(h->answer, h->len, msg, sizeof(msg));
	else if (h->len && h->answer[0] != '<')
		snprintf(msg, sizeof(msg), "%.*s", (int)strcspn((char *)h->answer, "\r\n"),
			 (char *)h->answer);
	snprintf(a->text, sizeof(a->text), "HTTP status %ld%s%s", status, *msg ? ": " : "", msg);
}

static void read_status(struct otlp_http *h, struct otlp_answer *a)
{
	curl_off_t after = 0;
	long status = 0;

	curl_easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, &status);
	if (status >= 200 && status < 300) {
		read_success(h, a);
		return;
	}
	h->answer[h->len < MAX_ANSWER ? h->len : MAX_ANSWER - 1] = '\0';
	describe(h, status, a);
	a->verdict = OTLP_REFUSED;
	if (status != 429 && status != 502 && status != 503 && status != 504)
		return;
	a->verdict = OTLP_RETRY;
	curl_easy_getinfo(h->curl, CURLINFO_RETRY_AFTER, &after);
	if (after > 0)
		a->retry_after_ms = after * 1000;
}

void otlp_http_post(struct otlp_http *h, const void *body, size_t len, struct otlp_answer *a)
{
	CURLcode code;

	*a = (struct otlp_answer){ .verdict = OTLP_RETRY, .retry_after_ms = -1 };
	h->len = 0;
	h->error[0] = '\0';
	curl_easy_setopt(h->curl, CURLOPT_POSTFIELDS, body);
	curl_easy_setopt(h->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len);
	code = curl_easy_perform(h->curl);
	if (code == CURLE_OK)
		read_status(h, a);
	else
		snprintf(a->text, sizeof(a->text), "%s",
			 h->error[0] ? h->error : curl_easy_strerror(code));
}
