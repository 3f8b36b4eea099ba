// SPDX-License-Identifier: Apache-2.0
/* goexport's request metrics: which spans count, in which bucket, and for how long. */
#include "../../cmd/goexport/backoff.h"
#include "../../cmd/goexport/redmetrics.h"
#include "../../cmd/goexport/resource.h"

#include <stdio.h>
#include <stdlib.h>

#include "tap.h"

static struct redmetrics *m;

static int page_has(const char *line)
{
	struct textbuf b = { 0 };
	int found;

	redmetrics_render(m, &b);
	textbuf_put(&b, "", 1);
	found = strstr(b.buf, line) != NULL;
	free(b.buf);
	return found;
}

static struct spanrec span_of(struct resource *r, struct attr *attrs, size_t n, uint64_t ns)
{
	return (struct spanrec){ .kind = SPAN_SERVER,
				 .start = 1000,
				 .end = 1000 + ns,
				 .attrs = attrs,
				 .n_attrs = n,
				 .resource = r };
}

static struct resource *resource_new(const char *instance)
{
	struct resource *r = calloc(1, sizeof(*r));

	r->refs = 1;
	r->job = r->service = text_of("shop");
	r->instance = text_of(instance);
	return r;
}

#define NAME   "http_server_request_duration_seconds"
#define LABELS "{job=\"shop\",instance=\"i\",http_request_method=\"GET\""

static void check_buckets(void)
{
	static const struct {
		uint64_t ns;
		const char *line;
	} cases[] = {
		{ 0, NAME "_bucket" LABELS ",le=\"0.005\"} 1\n" },
		{ 5000000, NAME "_bucket" LABELS ",le=\"0.005\"} 2\n" }, /* inclusive */
		{ 5000001, NAME "_bucket" LABELS ",le=\"0.01\"} 3\n" },
		{ 10000000000, NAME "_bucket" LABELS ",le=\"10\"} 4\n" },
		{ 10000000001, NAME "_bucket" LABELS ",le=\"+Inf\"} 5\n" },
	};
	struct resource *r = resource_new("i");
	struct attr get = { text_of("http.request.method"),
			    { .type = ATTR_STRING, .str = text_of("GET") } };
	struct spanrec sp;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		sp = span_of(r, &get, 1, cases[i].ns);
		redmetrics_span(m, &sp);
		ok(page_has(cases[i].line), "%llu ns", (unsigned long long)cases[i].ns);
	}
	ok(page_has(NAME "_bucket" LABELS ",le=\"10\"} 4\n"), "buckets are cumulative");
	ok(page_has(NAME "_count" LABELS "} 5\n"), "the count");
	ok(page_has(NAME "_sum" LABELS "} 20.01"), "the sum");
	sp = span_of(r, &get, 1, 1);
	sp.incomplete = true;
	redmetrics_span(m, &sp);
	sp = span_of(r, &get, 1, 1);
	sp.kind = SPAN_INTERNAL;
	redmetrics_span(m, &sp);
	sp = span_of(r, NULL, 0, 1);
	redmetrics_span(m, &sp);
	ok(page_has(NAME "_count" LABELS "} 5\n"), "spans without an end, or of no request");
	r->ended = 100;
	redmetrics_expire(m, 99);
	ok(page_has(NAME), "still there");
	redmetrics_expire(m, 100);
	ok(r->refs == 1, "gone, and nothing is held");
	resource_drop(r);
}

static void check_limits(void)
{
	char *big = calloc(1, 10000);
	struct attr at[] = { { text_of("http.request.method"),
			       { .type = ATTR_STRING, .str = text_of("GET") } },
			     { text_of("http.route"), { .type = ATTR_STRING } } };
	struct resource *r = resource_new("i");
	struct spanrec sp = span_of(r, at, 2, 1);
	char route[16];

	memset(big, 'x', 9999);
	at[1].value.str = text_of(big);
	redmetrics_span(m, &sp);
	ok(page_has(NAME "_count{otel_metric_overflow=\"true\"} 1\n"), "a label of 10 kB");
	for (int i = 0; i < REDMETRICS_MAX_SERIES + 10; i++) {
		snprintf(route, sizeof(route), "/%d", i);
		at[1].value.str = text_of(route);
		redmetrics_span(m, &sp);
	}
	ok(page_has(NAME "_count{otel_metric_overflow=\"true\"} 11\n"), "more series than allowed");
	at[1].value.str = text_of("/0");
	redmetrics_span(m, &sp);
	ok(page_has("http_route=\"/0\"} 2\n"), "what was there before goes on");
	r->ended = 1;
	redmetrics_expire(m, 2);
	redmetrics_span(m, &sp);
	ok(page_has("http_route=\"/0\"} 1\n"), "and expiry makes room");
	redmetrics_expire(m, 2);
	is_int(r->refs, 1, "nothing is held");
	resource_drop(r);
	free(big);
}

static void check_backoff(void)
{
	struct backoff b = { .seed = 7 };
	int64_t base = 500;
	int wrong = 0;

	for (int i = 0; i < 50; i++) {
		int64_t ms = backoff_next(&b);

		wrong += ms < base / 2 || ms > base + base / 2;
		base = base * 2 < 30000 ? base * 2 : 30000;
	}
	is_int(wrong, 0, "waits double up to 30 s, give or take a half");
	b.next_ms = 0;
	ok(backoff_next(&b) <= 750, "and begin anew");
}

int main(void)
{
	m = redmetrics_new();
	check_buckets();
	check_limits();
	redmetrics_free(m);
	check_backoff();
	return done();
}
