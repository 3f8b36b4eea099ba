// SPDX-License-Identifier: Apache-2.0
/* goexport's protobuf: what is packed is what was meant; answers of any bytes are read. */
#include "../../cmd/goexport/batch.h"
#include "../../cmd/goexport/otlp_pb.h"
#include "../../cmd/goexport/otlp_url.h"
#include "otlp.pb-c.h"

#include <errno.h>
#include <stdlib.h>

#include "tap.h"

static int bin_is(ProtobufCBinaryData b, const char *s)
{
	return b.len == strlen(s) && !memcmp(b.data, s, b.len);
}

static struct resource resource_of(uint64_t serial, const struct attr *attrs, size_t n)
{
	return (struct resource){ .serial = serial, .attrs = attrs, .n_attrs = n };
}

static void put(struct batch *b, struct otlp_pb *p, const struct resource *r, const char *scope,
		const char *name)
{
	struct encoder enc = otlp_pb_encoder(p);
	struct spanrec sp = { .trace_id = { 1 },
			      .span_id = { 2 },
			      .kind = SPAN_SERVER,
			      .start = 5,
			      .end = 7,
			      .flags = 0x301,
			      .name = text_of(name),
			      .scope = text_of(scope),
			      .resource = r };

	ok(!batch_put(b, &enc, &sp), "put %s", name);
}

static void check_groups(void)
{
	struct attr at = { text_of("service.name"),
			   { .type = ATTR_STRING, .str = text_of("shop") } };
	struct resource one = resource_of(1, &at, 1), two = resource_of(2, &at, 1);
	struct batch *b = batch_new();
	struct otlp_pb p = { 0 }, q = { 0 };
	Otlp__ExportTraceServiceRequest *rq;
	Otlp__Resource *res;
	Otlp__Span *span;
	const void *body;
	size_t len;

	put(b, &p, &one, "net/http", "a");
	put(b, &p, &two, "net/http", "b");
	put(b, &p, &one, "main", "c");
	put(b, &p, &one, "net/http", "d");
	body = otlp_pb_request(&q, b, &len);
	rq = otlp__export_trace_service_request__unpack(NULL, len, body);
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
	ok(otlp_pb_request(&q, b, &len) && len == 0, "an empty batch gives an empty request");
	batch_free(b);
	otlp_pb_release(&p);
	otlp_pb_release(&q);
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

	ok(!otlp_pb_response(partial, sizeof(partial), &rejected, msg, sizeof(msg)) &&
		   rejected == 3,
	   "partial success");
	is(msg, "no", "its message");
	ok(!otlp_pb_response("", 0, &rejected, msg, sizeof(msg)) && !rejected && !*msg,
	   "an empty answer");
	ok(!otlp_pb_response(negative, sizeof(negative), &rejected, msg, sizeof(msg)) && !rejected,
	   "fewer than none are rejected");
	ok(otlp_pb_response(partial, 5, &rejected, msg, sizeof(msg)) == -EINVAL, "cut short");
	for (int i = 0; i < 100000; i++) {
		for (size_t j = 0; j < sizeof(junk); j++)
			junk[j] = (unsigned char)(rand_r(&seed) >> (j % 3 ? 4 : 20));
		otlp_pb_response(junk, (size_t)i % sizeof(junk), &rejected, msg, sizeof(msg));
		bad += strlen(msg) >= sizeof(msg);
		otlp_pb_error(junk, (size_t)i % sizeof(junk), msg, sizeof(msg));
		bad += strlen(msg) >= sizeof(msg);
	}
	is_int(bad, 0, "any bytes are read, and messages fit");
}

static void url_is(const char *from, int exact, const char *want, const char *shown)
{
	char *url, *show;
	struct errinfo e = { "" };
	int ret = otlp_url(from, exact, &url, &show, &e);

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

int main(void)
{
	check_groups();
	check_answers();
	check_urls();
	return done();
}
