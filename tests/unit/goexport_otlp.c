// SPDX-License-Identifier: Apache-2.0
/* goexport's protobuf: what is packed is what was meant; answers of any bytes are read. */
#include "../../cmd/goexport/batch.h"
#include "../../cmd/goexport/otlp_answer.h"
#include "../../cmd/goexport/otlp_json.h"
#include "../../cmd/goexport/otlp_pb.h"
#include "../../cmd/goexport/otlp_reply.h"
#include "../../cmd/goexport/otlp_slice.h"
#include "../../cmd/goexport/otlp_url.h"
#include "../../cmd/goexport/pbw.h"
#include "otlp.pb-c.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tap.h"

static int bin_is(ProtobufCBinaryData b, const char *s)
{
	return b.len == strlen(s) && (!b.len || !memcmp(b.data, s, b.len));
}

static struct resource resource_of(uint64_t serial, const struct attr *attrs, size_t n)
{
	return (struct resource){ .serial = serial, .attrs = attrs, .n_attrs = n };
}

static void put(struct batch *b, const struct encoder *enc, const struct resource *r,
		const char *scope, const char *name)
{
	struct spanrec sp = { .trace_id = { 1 },
			      .span_id = { 2 },
			      .kind = SPAN_SERVER,
			      .start = 5,
			      .end = 7,
			      .flags = 0x301,
			      .name = text_of(name),
			      .scope = text_of(scope),
			      .resource = r };

	ok(!batch_put(b, enc, &sp), "put %s", name);
}

static Otlp__ExportTraceServiceRequest *read_request(const char *body, size_t len)
{
	return otlp__export_trace_service_request__unpack(NULL, len, (const uint8_t *)body);
}

static void check_groups(void)
{
	struct attr at = { text_of("service.name"),
			   { .type = ATTR_STRING, .str = text_of("shop") } };
	struct resource one = resource_of(1, &at, 1), two = resource_of(2, &at, 1);
	struct batch *b = batch_new();
	struct textbuf q = { 0 };
	Otlp__ExportTraceServiceRequest *rq;
	Otlp__Resource *res;
	Otlp__Span *span;

	put(b, &otlp_pb_encoder, &one, "net/http", "a");
	put(b, &otlp_pb_encoder, &two, "net/http", "b");
	put(b, &otlp_pb_encoder, &one, "main", "c");
	put(b, &otlp_pb_encoder, &one, "net/http", "d");
	otlp_pb_request(b, &q);
	rq = read_request(q.buf, q.len);
	ok(rq && rq->n_resource_spans == 2, "two resources");
	if (!rq || rq->n_resource_spans != 2)
		return;
	is_int((long long)rq->resource_spans[0]->n_scope_spans, 2, "two scopes in the first");
	is_int((long long)rq->resource_spans[1]->n_scope_spans, 1, "one in the second");
	ok(bin_is(rq->resource_spans[0]->scope_spans[1]->scope->name, "main"), "the scope's name");
	is_int((long long)rq->resource_spans[0]->scope_spans[0]->n_spans, 2, "two spans in it");
	span = otlp__span__unpack(NULL, rq->resource_spans[0]->scope_spans[0]->spans[1].len,
				  rq->resource_spans[0]->scope_spans[0]->spans[1].data);
	ok(span && bin_is(span->name, "d") && span->kind == 2 && span->flags == 0x301 &&
		   span->start_time_unix_nano == 5 && span->end_time_unix_nano == 7 &&
		   span->trace_id.len == 16 && !span->parent_span_id.len && !span->status,
	   "the span");
	res = otlp__resource__unpack(NULL, rq->resource_spans[1]->resource.len,
				     rq->resource_spans[1]->resource.data);
	ok(res && res->n_attributes == 1 && bin_is(res->attributes[0]->key, "service.name") &&
		   bin_is(res->attributes[0]->value->string_value, "shop"),
	   "the resource");
	otlp__resource__free_unpacked(res, NULL);
	otlp__span__free_unpacked(span, NULL);
	otlp__export_trace_service_request__free_unpacked(rq, NULL);
	batch_reset(b);
	q.len = 0;
	otlp_pb_request(b, &q);
	ok(!q.failed && q.len == 0, "an empty batch gives an empty request");
	batch_free(b);
	free(q.buf);
}

/* The names of a request's spans, in order, with '|' between scopes and '/' between resources. */
static void names_of(const struct parcel *p, char to[64])
{
	size_t n = 0;

	Otlp__ExportTraceServiceRequest *rq = read_request(p->body, p->len);

	*to = '\0';
	for (size_t i = 0; rq && i < rq->n_resource_spans; i++) {
		const Otlp__ResourceSpans *rs = rq->resource_spans[i];

		n += (size_t)snprintf(to + n, 64 - n, "%s", i ? "/" : "");
		for (size_t j = 0; j < rs->n_scope_spans; j++) {
			const Otlp__ScopeSpans *ss = rs->scope_spans[j];

			n += (size_t)snprintf(to + n, 64 - n, "%s", j ? "|" : "");
			for (size_t k = 0; k < ss->n_spans; k++) {
				Otlp__Span *sp = otlp__span__unpack(NULL, ss->spans[k].len,
								    ss->spans[k].data);

				n += (size_t)snprintf(to + n, 64 - n, "%.*s", (int)sp->name.len,
						      (char *)sp->name.data);
				otlp__span__free_unpacked(sp, NULL);
			}
		}
	}
	otlp__export_trace_service_request__free_unpacked(rq, NULL);
}

static struct parcel *sample_request(const struct resource *one, const struct resource *two,
				     int json)
{
	struct batch *b = batch_new();
	struct textbuf out = { 0 };
	struct jsonw w;
	struct encoder enc = json ? otlp_json_encoder(&w) : otlp_pb_encoder;

	jsonw_init(&w, -1);
	put(b, &enc, one, "net/http", "a");
	put(b, &enc, two, "", "b");
	put(b, &enc, one, "ma\"in", "c");
	put(b, &enc, one, "net/http", "d");
	put(b, &enc, two, "", "e");
	if (json) {
		otlp_json_request(&w, b);
		textbuf_put(&out, w.buf, w.len);
	} else {
		otlp_pb_request(b, &out);
	}
	jsonw_release(&w);
	batch_free(b);
	return parcel_new(out.buf, out.len, 5);
}

static void check_slices(void)
{
	static const char *const want[] = { "ad", "c/b", "e" };
	struct attr at = { text_of("service.name"),
			   { .type = ATTR_STRING, .str = text_of("shop") } };
	struct resource one = resource_of(1, &at, 1), two = resource_of(2, &at, 1);
	struct parcel *whole = sample_request(&one, &two, 0), *part;
	char names[64];

	names_of(whole, names);
	is(names, "ad|c/be", "a request");
	for (uint32_t i = 0; i < 3; i++) {
		part = otlp_slice(whole, false, 2 * i, i < 2 ? 2 * i + 2 : 5);
		names_of(part, names);
		is(names, want[i], "part of it");
		parcel_free(part);
	}
	part = otlp_slice(whole, false, 0, 5);
	ok(part->len == whole->len && !memcmp(part->body, whole->body, part->len),
	   "all of it is the same again");
	parcel_free(part);
	whole->len--;
	ok(!otlp_slice(whole, false, 0, 1), "what is no request is not divided");
	parcel_free(whole);

	whole = sample_request(&one, &two, 1);
	part = otlp_slice(whole, true, 0, 5);
	ok(part && part->len == whole->len && !memcmp(part->body, whole->body, part->len),
	   "all of a request in JSON is the same again");
	parcel_free(part);
	part = otlp_slice(whole, true, 2, 4);
	ok(part && memmem(part->body, part->len, "\"name\":\"c\"", 10) &&
		   memmem(part->body, part->len, "\"name\":\"b\"", 10) &&
		   !memmem(part->body, part->len, "\"name\":\"a\"", 10) &&
		   !memmem(part->body, part->len, "\"name\":\"e\"", 10),
	   "and part of it");
	parcel_free(part);
	whole->body[0] = '[';
	ok(!otlp_slice(whole, true, 0, 1), "nor is this");
	parcel_free(whole);
}

/* Every length that needs another size of varint, and nesting. */
static void check_lengths(void)
{
	static const size_t lens[] = { 0, 1, 127, 128, 16383, 16384, 2097151, 2097152 };
	int bad = 0;

	for (size_t i = 0; i < sizeof(lens) / sizeof(*lens); i++) {
		struct textbuf t = { 0 };
		char *big = calloc(1, lens[i] + 1);
		Otlp__KeyValue *kv;
		size_t value;

		memset(big, 'x', lens[i]);
		pbw_text(&t, 1, "key", 3);
		value = pbw_begin(&t, 2);
		pbw_bytes(&t, 1, big, lens[i]);
		pbw_end(&t, value);
		kv = otlp__key_value__unpack(NULL, t.len, (uint8_t *)t.buf);
		bad += !kv || !kv->value || !bin_is(kv->value->string_value, big);
		if (kv)
			otlp__key_value__free_unpacked(kv, NULL);
		free(big);
		free(t.buf);
	}
	is_int(bad, 0, "messages of any length");
	ok(pbw_zigzag(0) == 0 && pbw_zigzag(-1) == 1 && pbw_zigzag(1) == 2 &&
		   pbw_zigzag(INT64_MIN) == UINT64_MAX,
	   "zigzag");
}

static void grpc_is(int status, const char *details, int verdict, int64_t after)
{
	struct otlp_response r = { .status = 200,
				   .type = "application/grpc",
				   .body = "",
				   .retry_after_ms = -1,
				   .grpc_status = status,
				   .grpc_message = "a%20b%zz",
				   .grpc_details = details };
	struct otlp_answer a = { .verdict = OTLP_RETRY, .retry_after_ms = -1 };

	otlp_answer_grpc(&r, &a);
	ok((int)a.verdict == verdict && a.retry_after_ms == after, "gRPC status %d: %s", status,
	   a.text);
}

static void check_grpc(void)
{
	/* A google.rpc.Status of code 8 with a RetryInfo of 1.5 s. */
	static const char info[] = "CAgSBGJ1c3kaNgoodHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbG"
				   "UucnBjLlJldHJ5SW5mbxIKCggIARCAyrXuAQ==";
	static const char other[] = "CAgSBGJ1c3k"; /* no RetryInfo */
	static const int retried[] = { 1, 4, 10, 11, 14, 15 };

	for (size_t i = 0; i < sizeof(retried) / sizeof(*retried); i++)
		grpc_is(retried[i], "", OTLP_RETRY, -1);
	grpc_is(0, "", OTLP_DONE, -1);
	grpc_is(8, "", OTLP_TOO_BIG, -1);
	grpc_is(8, other, OTLP_TOO_BIG, -1);
	grpc_is(8, info, OTLP_RETRY, 1500);
	grpc_is(14, info, OTLP_RETRY, 1500);
	grpc_is(7, "", OTLP_DENIED, -1);
	grpc_is(16, "", OTLP_DENIED, -1);
	grpc_is(12, "", OTLP_DENIED, -1);
	grpc_is(3, "", OTLP_REFUSED, -1);
	grpc_is(13, "", OTLP_REFUSED, -1);
	grpc_is(99, "", OTLP_REFUSED, -1);
	grpc_is(-1, "", OTLP_REFUSED, -1);
}

/* Bodies shorter than a frame's head, at the end of the memory that there is. */
static void check_grpc_short(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p + page, page, PROT_NONE)) {
		ok(0, "two pages");
		return;
	}
	for (size_t n = 1; n <= 5; n++) {
		struct otlp_response r = { .status = 200,
					   .type = "application/grpc",
					   .body = p + page - n,
					   .len = n,
					   .grpc_message = "",
					   .grpc_details = "" };
		struct otlp_answer a = { .verdict = OTLP_RETRY };

		otlp_answer_grpc(&r, &a);
		ok(a.verdict == OTLP_DONE && !*a.text == (n == 5), "an answer of %zu bytes", n);
	}
	munmap(p, 2 * page);
}

static void check_answers(void)
{
	static const unsigned char partial[] = { 0x0a, 6, 0x08, 3, 0x12, 2, 'n', 'o' };
	static const unsigned char negative[] = { 0x0a, 11,   0x08, 0xff, 0xff, 0xff, 0xff,
						  0xff, 0xff, 0xff, 0xff, 0xff, 0x01 };
	unsigned char junk[64];
	uint64_t rejected;
	char msg[4];
	unsigned seed = 1, bad = 0;

	ok(!otlp_reply_success(partial, sizeof(partial), &rejected, msg, sizeof(msg)) &&
		   rejected == 3,
	   "partial success");
	is(msg, "no", "its message");
	ok(!otlp_reply_success("", 0, &rejected, msg, sizeof(msg)) && !rejected && !*msg,
	   "an empty answer");
	ok(!otlp_reply_success(negative, sizeof(negative), &rejected, msg, sizeof(msg)) &&
		   !rejected,
	   "fewer than none are rejected");
	ok(otlp_reply_success(partial, 5, &rejected, msg, sizeof(msg)) == -EINVAL, "cut short");
	for (int i = 0; i < 100000; i++) {
		for (size_t j = 0; j < sizeof(junk); j++)
			junk[j] = (unsigned char)(rand_r(&seed) >> (j % 3 ? 4 : 20));
		otlp_reply_success(junk, (size_t)i % sizeof(junk), &rejected, msg, sizeof(msg));
		bad += strlen(msg) >= sizeof(msg);
		otlp_reply_error(junk, (size_t)i % sizeof(junk), msg, sizeof(msg));
		bad += strlen(msg) >= sizeof(msg);
	}
	is_int(bad, 0, "any bytes are read, and messages fit");
}

static void url_is(const char *from, int exact, const char *want, const char *shown)
{
	char *url, *show;
	struct errinfo e = { "" };
	struct otlp_choice how = { .protocol = OTLP_HTTP_PROTOBUF };
	int ret = otlp_url(from, exact, OTLP_TRACES, &how, &url, &show, &e);

	is(url, want, from);
	if (want)
		is(show, shown, "what is shown of it");
	else
		ok(ret == -EINVAL && *e.text, "with a reason: %s", e.text);
	free(url);
	free(show);
}

static void check_urls(void)
{
	const char *v1 = "http://localhost:4318/v1/traces";

	url_is("http://localhost:4318", 0, v1, v1);
	url_is("http://localhost:4318/", 0, v1, v1);
	url_is("http://localhost:4318/v1/traces", 0, v1, v1);
	url_is("http://localhost:4318/v1/traces/", 0, v1, v1);
	url_is("HTTP://localhost:4318", 0, v1, v1);
	url_is("https://h/a/b/", 0, "https://h/a/b/v1/traces", "https://h/a/b/v1/traces");
	url_is("https://h/xv1/traces", 0, "https://h/xv1/traces/v1/traces",
	       "https://h/xv1/traces/v1/traces");
	url_is("https://me:secret@h/?key=k", 0, "https://me:secret@h/v1/traces?key=k",
	       "https://h/v1/traces");
	url_is("http://[::1]:4318", 0, "http://[::1]:4318/v1/traces",
	       "http://[::1]:4318/v1/traces");
	url_is("https://h/exact", 1, "https://h/exact", "https://h/exact");
	url_is("localhost:4318", 0, NULL, NULL);
	url_is("grpc://localhost", 0, NULL, NULL);
	url_is("http://", 0, NULL, NULL);
	url_is("http://h:99999", 0, NULL, NULL);
	url_is("http://h h", 0, NULL, NULL);
}

static void grpc_url_is(const char *from, bool insecure, const char *want)
{
	static const char path[] =
		"/opentelemetry.proto.collector.metrics.v1.MetricsService/Export";
	struct otlp_choice how = { .protocol = OTLP_GRPC, .insecure = insecure };
	char *url, *show, whole[200];
	struct errinfo e;

	otlp_url(from, false, OTLP_METRICS, &how, &url, &show, &e);
	snprintf(whole, sizeof(whole), "%s%s", want, path);
	is(url, whole, from);
	free(url);
	free(show);
}

static void check_grpc_urls(void)
{
	grpc_url_is("http://h:4317", false, "http://h:4317");
	grpc_url_is("https://h:4317/ignored", true, "https://h:4317");
	grpc_url_is("h:4317", false, "https://h:4317");
	grpc_url_is("h:4317", true, "http://h:4317");
	grpc_url_is("[::1]:4317", true, "http://[::1]:4317");
}

static void check_choices(void)
{
	struct otlp_choice c = { .timeout_ms = 5, .headers = { "A: 1" }, .n_headers = 1 };
	struct otlp_choice low = { .timeout_ms = 7,
				   .protocol = OTLP_GRPC,
				   .headers = { "a: 2", "b: 3", "b: 4" },
				   .n_headers = 3 };
	char *line;

	otlp_choice_under(&c, &low);
	ok(c.timeout_ms == 5 && c.protocol == OTLP_GRPC, "what is said above wins");
	ok(c.n_headers == 3 && !strcmp(c.headers[0], "A: 1") && !strcmp(c.headers[1], "b: 3") &&
		   !strcmp(c.headers[2], "b: 4"),
	   "headers by name, in any case");
	line = otlp_header_line(" k = a=b%3D%2c ", 15, true);
	is(line, "k: a=b=,", "a header is divided at the first '=', and decoded");
	free(line);
	ok(!otlp_header_line("k=a%0ab", 7, true), "a line feed in it is refused");
	ok(!otlp_header_line("k k=a", 5, true) && !otlp_header_line("=a", 2, true) &&
		   !otlp_header_line("ka", 2, true),
	   "and a name that is none");
}

int main(void)
{
	check_groups();
	check_slices();
	check_lengths();
	check_answers();
	check_grpc();
	check_grpc_short();
	check_urls();
	check_grpc_urls();
	check_choices();
	return done();
}
