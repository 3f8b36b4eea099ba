// SPDX-License-Identifier: Apache-2.0
/* goexport's request metrics: which spans count, in which bucket, and for how long. */
#include "../../cmd/goexport/backoff.h"
#include "../../cmd/goexport/graph.h"
#include "../../cmd/goexport/meters.h"
#include "../../cmd/goexport/otlp_metrics.h"
#include "../../cmd/goexport/prommeters.h"
#include "../../cmd/goexport/resource.h"
#include "jsonv.h"
#include "otlp.pb-c.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tap.h"

static struct meters *m;

static int format_has(enum prom_format format, const char *line)
{
	struct prompage p;
	int found;

	prompage_init(&p, format);
	prommeters_render(&p, m);
	prompage_finish(&p);
	textbuf_put(&p.out, "", 1);
	found = strstr(p.out.buf, line) != NULL;
	free(p.out.buf);
	return found;
}

static int page_has(const char *line)
{
	return format_has(PROM_TEXT, line);
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
	r->serial = 1;
	r->job = r->service = text_of("shop");
	r->instance = text_of(instance);
	return r;
}

#define MAX_SERIES 100

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
	struct attr put = { text_of("http.request.method"),
			    { .type = ATTR_STRING, .str = text_of("PUT") } };
	struct spanrec sp;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		sp = span_of(r, &get, 1, cases[i].ns);
		meters_span(m, &sp);
		ok(page_has(cases[i].line), "%llu ns", (unsigned long long)cases[i].ns);
	}
	ok(page_has(NAME "_bucket" LABELS ",le=\"10\"} 4\n"), "buckets are cumulative");
	ok(page_has(NAME "_count" LABELS "} 5\n"), "the count");
	ok(page_has(NAME "_sum" LABELS "} 20.010000002\n"), "the sum");
	for (int i = 0; i < 10; i++) { /* in doubles 0.9999999999999999 */
		sp = span_of(r, &put, 1, 100000000);
		meters_span(m, &sp);
	}
	ok(page_has(NAME "_sum{job=\"shop\",instance=\"i\",http_request_method=\"PUT\"} 1\n"),
	   "a sum is exact");
	sp = span_of(r, &get, 1, 1);
	sp.incomplete = true;
	meters_span(m, &sp);
	sp = span_of(r, &get, 1, 1);
	sp.kind = SPAN_INTERNAL;
	meters_span(m, &sp);
	sp = span_of(r, NULL, 0, 1);
	meters_span(m, &sp);
	ok(page_has(NAME "_count" LABELS "} 5\n"), "spans without an end, or of no request");
	r->ended = 100;
	meters_expire(m, 99);
	ok(page_has(NAME), "still there");
	meters_expire(m, 100);
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
	meters_span(m, &sp);
	ok(page_has(NAME "_count{otel_metric_overflow=\"true\"} 1\n"), "a label of 10 kB");
	for (int i = 0; i < MAX_SERIES + 10; i++) {
		snprintf(route, sizeof(route), "/%d", i);
		at[1].value.str = text_of(route);
		meters_span(m, &sp);
	}
	ok(page_has(NAME "_count{otel_metric_overflow=\"true\"} 11\n"), "more series than allowed");
	at[1].value.str = text_of("/0");
	meters_span(m, &sp);
	ok(page_has("http_route=\"/0\"} 2\n"), "what was there before goes on");
	r->ended = 1;
	meters_expire(m, 2);
	meters_span(m, &sp);
	ok(page_has("http_route=\"/0\"} 1\n"), "and expiry makes room");
	meters_expire(m, 2);
	is_int(r->refs, 1, "nothing is held");
	resource_drop(r);
	free(big);
}

static struct attr text_attr(const char *key, const char *value)
{
	return (struct attr){ text_of(key), { .type = ATTR_STRING, .str = text_of(value) } };
}

static struct attr int_attr(const char *key, int64_t value)
{
	return (struct attr){ text_of(key), { .type = ATTR_INT, .i = value } };
}

/* Spans of each kind count in the metric of the conventions, with its labels. */
static void check_families(void)
{
	struct resource *r = resource_new("i");
	struct attr http[] = { text_attr("http.request.method", "POST"),
			       int_attr("http.response.status_code", 503),
			       text_attr("error.type", "503"),
			       text_attr("server.address", "h"),
			       int_attr("server.port", 80),
			       text_attr("url.path", "/x"),
			       int_attr("http.request.body.size", 7),
			       int_attr("http.response.body.size", 20) };
	struct attr rpc[] = { text_attr("rpc.system.name", "grpc"),
			      text_attr("rpc.method", "a.B/C"),
			      text_attr("rpc.response.status_code", "OK") };
	struct attr db[] = { text_attr("db.system.name", "postgresql"),
			     text_attr("db.query.summary", "SELECT songs") };
	struct attr msg[] = { text_attr("messaging.system", "kafka"),
			      text_attr("messaging.operation.name", "send"),
			      text_attr("messaging.destination.name", "t"),
			      int_attr("messaging.batch.message_count", 3) };
	static const struct {
		enum span_kind kind;
		int set;
		const char *line;
	} cases[] = {
		{ SPAN_CLIENT, 0,
		  "http_client_request_duration_seconds_count{job=\"shop\",instance=\"i\","
		  "http_request_method=\"POST\",server_address=\"h\",server_port=\"80\","
		  "http_response_status_code=\"503\",error_type=\"503\"} 1\n" },
		{ SPAN_CLIENT, 0, "http_client_request_body_size_bytes_sum{job=\"shop\"" },
		{ SPAN_CLIENT, 0, "http_client_response_body_size_bytes_bucket{job=\"shop\"" },
		{ SPAN_SERVER, 0, "http_server_response_body_size_bytes_sum{" },
		{ SPAN_SERVER, 1,
		  "rpc_server_call_duration_seconds_count{job=\"shop\",instance=\"i\","
		  "rpc_system_name=\"grpc\",rpc_method=\"a.B/C\","
		  "rpc_response_status_code=\"OK\"} 1\n" },
		{ SPAN_CLIENT, 1, "rpc_client_call_duration_seconds_count{" },
		{ SPAN_CLIENT, 2,
		  "db_client_operation_duration_seconds_bucket{job=\"shop\",instance=\"i\","
		  "db_system_name=\"postgresql\",db_query_summary=\"SELECT songs\","
		  "le=\"0.001\"} 1\n" },
		{ SPAN_PRODUCER, 3,
		  "messaging_client_sent_messages_total{job=\"shop\",instance=\"i\","
		  "messaging_operation_name=\"send\",messaging_system=\"kafka\","
		  "messaging_destination_name=\"t\"} 3\n" },
		{ SPAN_PRODUCER, 3, "messaging_client_operation_duration_seconds_count{" },
		{ SPAN_CLIENT, 3, "messaging_client_consumed_messages_total{" },
		{ SPAN_CONSUMER, 3, "messaging_process_duration_seconds_count{" },
	};
	struct attr *const sets[] = { http, rpc, db, msg };
	static const size_t lens[] = { 8, 3, 2, 4 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct spanrec sp = span_of(r, sets[cases[i].set], lens[cases[i].set], 1000);

		sp.kind = cases[i].kind;
		r->ended = 0;
		meters_span(m, &sp);
		ok(page_has(cases[i].line), "%.60s", cases[i].line);
		r->ended = 1;
		meters_expire(m, 1);
	}
	ok(!page_has("url_path"), "a path is never a label");
	resource_drop(r);
}

static void check_exemplars(void)
{
	struct resource *r = resource_new("i");
	struct attr get = text_attr("http.request.method", "GET");
	struct spanrec sp = span_of(r, &get, 1, 6000000);

	memset(sp.trace_id, 0xab, 16);
	memset(sp.span_id, 0xcd, 8);
	meters_span(m, &sp);
	ok(!format_has(PROM_OPENMETRICS, "# {"), "no exemplar of a span that is not sampled");
	sp.flags = 0x101;
	meters_span(m, &sp);
	ok(format_has(PROM_OPENMETRICS,
		      "le=\"0.01\"} 2 # {trace_id=\"abababababababababababababababab\","
		      "span_id=\"cdcdcdcdcdcdcdcd\"} 0.006 0.006\n"),
	   "an exemplar in its bucket");
	ok(format_has(PROM_OPENMETRICS, ",le=\"1.0\"} 2\n"), "bounds are floats there");
	ok(format_has(PROM_OPENMETRICS, "# TYPE " NAME " histogram\n# UNIT " NAME " seconds\n"),
	   "the unit");
	ok(!format_has(PROM_TEXT, "# {"), "text 0.0.4 has no exemplars");
	r->ended = 1;
	meters_expire(m, 1);
	resource_drop(r);
}

/* Which bucket holds @v, as a share: base^i < v <= base^(i+1). */
static void check_exponential(void)
{
	static const double values[] = { 1,	2,    4,     1.5,   1e-9, 3e5,
					 0.001, 1e10, 0.125, 7.999, 8,	  8.0001 };
	struct exphist h;
	int wrong = 0;
	uint64_t n = 0;

	for (int scale = -2; scale <= 20; scale++)
		for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
			double base = exp2(exp2(-scale)), v = values[i];

			exphist_init(&h, scale);
			exphist_record(&h, v);
			wrong += h.n != 1 || h.counts[0] != 1 ||
				 pow(base, h.offset) > v * (1 + 1e-9) ||
				 pow(base, h.offset + 1.0) < v * (1 - 1e-9);
		}
	is_int(wrong, 0, "each value is in its bucket");
	exphist_init(&h, 3);
	exphist_record(&h, 2);
	ok(h.offset == 7, "a power of two is at the upper end of one");
	exphist_init(&h, EXPHIST_SCALE);
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		exphist_record(&h, values[i]);
	exphist_record(&h, 0);
	for (uint32_t i = 0; i < h.n; i++)
		n += h.counts[i];
	ok(n == sizeof(values) / sizeof(*values) && h.zero == 1 && h.n <= EXPHIST_BUCKETS,
	   "far apart: coarser, and nothing is lost (scale %d)", h.scale);
	ok(pow(exp2(exp2(-h.scale)), h.offset) < 1e-9 * 1.0001 &&
		   pow(exp2(exp2(-h.scale)), (double)h.offset + h.n) >= 1e10,
	   "and all are covered");
}

static void check_routes(void)
{
	static const char *const cases[][2] = {
		{ "/users/7", "/users/{id}" },
		{ "/users/7/cart", "/users/:id/cart" },
		{ "/users/", NULL },
		{ "/users", NULL },
		{ "/static/a/b.js", "/static/*" },
		{ "/static/", "/static/*" },
		{ "/", NULL },
		{ "x", NULL },
	};
	static const char *const guesses[][2] = {
		{ "/api/v1/orders/8f3a-77/items", "/api/v1/orders/{id}/items" },
		{ "/", "/" },
		{ "/a/b/c/d/e/f/g/h", "/a/b/c/d/e/f/*" },
		{ "/Zm9vYmFyYmF6cXV4cXV1eGZvb2Jhcg", "/{id}" },
		{ "no path", NULL },
	};
	struct text_list l = { { "/users/{id}, /users/:id/cart", "/static/*" }, 2 };
	struct text_list bad = { { "users" }, 1 };
	struct routes *rs;
	struct errinfo e = { "" };
	char buf[ROUTE_MAX];

	ok(!routes_new(&rs, &l, &e) && rs, "patterns");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct text got = routes_find(rs, text_of(cases[i][0]), buf);

		ok(cases[i][1] ? text_is(got, cases[i][1]) : !got.len, "%s: %.*s", cases[i][0],
		   (int)got.len, got.p ? got.p : "");
	}
	routes_free(rs);
	l = (struct text_list){ { "auto" }, 1 };
	ok(!routes_new(&rs, &l, &e) && rs, "a guess");
	for (size_t i = 0; i < sizeof(guesses) / sizeof(*guesses); i++) {
		struct text got = routes_find(rs, text_of(guesses[i][0]), buf);

		ok(guesses[i][1] ? text_is(got, guesses[i][1]) : !got.len, "%s: %.*s",
		   guesses[i][0], (int)got.len, got.p ? got.p : "");
	}
	routes_free(rs);
	ok(routes_new(&rs, &bad, &e) && strstr(e.text, "'users'"), "%s", e.text);
	ok(!routes_find(NULL, text_of("/"), buf).len, "no patterns, no route");
}

static struct spanrec half(struct resource *r, enum span_kind kind, uint64_t span, uint64_t parent)
{
	struct spanrec sp = span_of(r, NULL, 0, 150000000);

	sp.kind = kind;
	memset(sp.trace_id, 1, 16);
	memcpy(sp.span_id, &span, 8);
	memcpy(sp.parent_id, &parent, 8);
	sp.has_parent = parent != 0;
	return sp;
}

#define EDGE(c, s, t) "{client=\"" c "\",server=\"" s "\",connection_type=\"" t "\""

static void check_graph(void)
{
	struct resource *a = resource_new("a"), *b = resource_new("b");
	struct attr db[] = { text_attr("db.system.name", "redis") };
	struct attr peer[] = { text_attr("server.address", "far.example") };
	struct graph *g = graph_new(m);
	struct spanrec sp;

	a->service = text_of("front");
	b->service = text_of("back");
	for (uint64_t i = 1; i < 3; i++) { /* either side first */
		sp = i == 1 ? half(a, SPAN_CLIENT, 5, 4) : half(b, SPAN_SERVER, 7, 6);
		graph_span(g, &sp, 0);
		sp = i == 1 ? half(b, SPAN_SERVER, 9, 5) : half(a, SPAN_CLIENT, 6, 4);
		sp.status = i == 1 ? STATUS_ERROR : STATUS_UNSET;
		graph_span(g, &sp, 0);
	}
	ok(page_has("traces_service_graph_request_total" EDGE("front", "back", "") "} 2\n"),
	   "two requests");
	ok(page_has("traces_service_graph_request_failed_total" EDGE("front", "back", "") "} 1\n"),
	   "one failed");
	ok(page_has("traces_service_graph_request_server_seconds_bucket" EDGE(
		   "front", "back", "") ",le=\"0.2\"} 2\n"),
	   "the server's side");
	ok(page_has("traces_service_graph_request_client_seconds_count" EDGE("front", "back",
									     "") "} 2\n"),
	   "the client's");
	sp = half(b, SPAN_SERVER, 20, 0);
	graph_span(g, &sp, 0);
	ok(page_has("request_total" EDGE("user", "back", "virtual_node") "} 1\n"), "from outside");
	sp = half(b, SPAN_CLIENT, 21, 20);
	sp.attrs = db;
	sp.n_attrs = 1;
	graph_span(g, &sp, 0);
	ok(page_has("request_total" EDGE("back", "redis", "database") "} 1\n"), "a database");
	sp = half(a, SPAN_PRODUCER, 30, 4);
	graph_span(g, &sp, 0);
	sp = half(b, SPAN_CONSUMER, 31, 30);
	graph_span(g, &sp, 0);
	ok(page_has("request_total" EDGE("front", "back", "messaging_system") "} 1\n"),
	   "a message");
	sp = half(a, SPAN_CLIENT, 40, 4);
	sp.attrs = peer;
	sp.n_attrs = 1;
	graph_span(g, &sp, 100);
	sp = half(a, SPAN_SERVER, 41, 99);
	graph_span(g, &sp, 100);
	ok(graph_expire(g, 100 + GRAPH_WAIT_MS - 1) && !graph_unpaired(g), "they wait");
	ok(!graph_expire(g, 100 + GRAPH_WAIT_MS), "but not for ever");
	ok(page_has("request_total" EDGE("front", "far.example", "virtual_node") "} 1\n"),
	   "whom it called is not traced");
	is_int((long long)graph_unpaired(g), 1, "who called is not known");
	for (uint64_t i = 0; i < 3 * GRAPH_MAX; i++) {
		sp = half(a, SPAN_CLIENT, 1000 + i, 4);
		graph_span(g, &sp, 0);
	}
	is_int((long long)graph_unpaired(g), 1 + 2 * GRAPH_MAX, "no more than so many wait");
	graph_free(g);
	ok(a->refs == 1 && b->refs == 1, "nothing is held");
	resource_drop(a);
	resource_drop(b);
}

/* The last request, and how many there were, and points in all. */
struct taken {
	struct textbuf out;
	size_t requests, points;
};

static void take(void *arg, struct textbuf *out, size_t points)
{
	struct taken *t = arg;

	free(t->out.buf);
	t->out = *out;
	t->requests++;
	t->points += points;
}

static struct taken take_all(const struct meters *of, const struct metrics_request *rq)
{
	struct taken t = { .points = 0 };

	otlp_metrics_requests(of, rq, take, &t);
	return t;
}

/* What goes out says the same in JSON, and is what the data model has. */
static void check_otlp(bool exponential)
{
	struct meters_config c = { .max_series = 1,
				   .max_scale = EXPHIST_SCALE,
				   .exponential = exponential };
	struct meters *own = meters_new(&c);
	struct metrics_request rq = { .time = 1764510000000000000u };
	struct resource *r = resource_new("i");
	struct attr at[] = { text_attr("http.request.method", "GET"),
			     int_attr("http.response.body.size", 30) };
	struct spanrec sp = span_of(r, at, 2, 6000000);
	struct taken t;
	struct jsonv_doc d = { 0 };
	Otlp__ExportMetricsServiceRequest *got;
	Otlp__Metric *metric;

	sp.flags = 1;
	meters_span(own, &sp);
	meters_span(own, &sp);
	at[0] = text_attr("http.request.method", "PUT");
	meters_span(own, &sp);
	t = take_all(own, &rq);
	is_int((long long)t.points, 4, "points: two, and past the limit");
	got = otlp__export_metrics_service_request__unpack(NULL, t.out.len, (uint8_t *)t.out.buf);
	ok(got && got->n_resource_metrics == 2, "by resource");
	if (!got || got->n_resource_metrics != 2)
		exit(1);
	metric = got->resource_metrics[1]->scope_metrics[0]->metrics[0];
	ok(!memcmp(metric->name.data, "http.server.request.duration", 28) &&
		   metric->unit.data[0] == 's',
	   "name and unit");
	if (exponential) {
		Otlp__ExponentialHistogramDataPoint *pt = metric->exponential->data_points[0];

		ok(pt->count == 2 && pt->sum == 0.012 && pt->min == 0.006 && pt->max == 0.006 &&
			   pt->scale == 20 && pt->positive->n_bucket_counts == 1 &&
			   pt->positive->bucket_counts[0] == 2 && pt->n_exemplars == 1,
		   "an exponential histogram");
		ok(metric->exponential->aggregation_temporality == 2, "cumulative");
	} else {
		Otlp__HistogramDataPoint *pt = metric->histogram->data_points[0];

		ok(pt->count == 2 && pt->sum == 0.012 && pt->min == 0.006 && pt->max == 0.006 &&
			   pt->n_bucket_counts == 15 && pt->n_explicit_bounds == 14 &&
			   pt->bucket_counts[1] == 2 && pt->explicit_bounds[1] == 0.01 &&
			   pt->n_exemplars == 1 && pt->exemplars[0]->as_double == 0.006 &&
			   pt->n_attributes == 1 && pt->time_unix_nano == rq.time &&
			   pt->start_time_unix_nano > 1000000000000000000u,
		   "a histogram");
		ok(metric->histogram->aggregation_temporality == 2, "cumulative");
	}
	otlp__export_metrics_service_request__free_unpacked(got, NULL);
	rq.json = rq.delta = true;
	free(t.out.buf);
	t = take_all(own, &rq);
	is_int((long long)t.points, 4, "the same in JSON");
	ok(!jsonv_parse(&d, t.out.buf, t.out.len, NULL) &&
		   memmem(t.out.buf, t.out.len, "\"aggregationTemporality\":1", 26),
	   "which is JSON");
	meters_restart(own);
	free(t.out.buf);
	t = take_all(own, &rq);
	is_int((long long)t.requests, 0, "started again: nothing");
	meters_free(own);
	resource_drop(r);
	jsonv_release(&d);
	free(t.out.buf);
}

/* The one metric that goes down again: by any temporality the number of the moment. */
static void check_active(void)
{
	struct meters_config c = { .max_series = 1, .max_scale = EXPHIST_SCALE };
	struct metrics_request rq = { .time = 1764510000000000000u, .delta = true };
	struct resource *r = resource_new("i");
	struct activerec ar = { .server = true,
				.count = 3,
				.attrs = { text_attr("http.request.method", "GET"),
					   text_attr("url.scheme", "http") },
				.n_attrs = 2 };
	struct taken t;
	Otlp__ExportMetricsServiceRequest *got;
	Otlp__Metric *metric;
	struct meters *was = m;

	m = meters_new(&c);
	meters_active(m, &ar, r);
	ok(page_has("# TYPE http_server_active_requests gauge\n"), "a gauge for Prometheus");
	ok(page_has("http_server_active_requests" LABELS ",url_scheme=\"http\"} 3\n"), "its value");
	ok(format_has(PROM_OPENMETRICS, "# TYPE http_server_active_requests gauge\n"),
	   "OpenMetrics");
	meters_restart(m);
	ar.count = 2;
	meters_active(m, &ar, r);
	ok(page_has("http_server_active_requests" LABELS ",url_scheme=\"http\"} 2\n"),
	   "what is told is the number, not a difference");
	meters_restart(m);
	t = take_all(m, &rq);
	is_int((long long)t.points, 1, "one point for OTLP");
	got = otlp__export_metrics_service_request__unpack(NULL, t.out.len, (uint8_t *)t.out.buf);
	metric = got->resource_metrics[0]->scope_metrics[0]->metrics[0];
	ok(metric->sum && !metric->sum->is_monotonic && metric->sum->aggregation_temporality == 2 &&
		   metric->sum->data_points[0]->as_int == 2 &&
		   metric->sum->data_points[0]->n_attributes == 2,
	   "a cumulative sum that is not monotonic");
	otlp__export_metrics_service_request__free_unpacked(got, NULL);
	rq.json = true;
	free(t.out.buf);
	t = take_all(m, &rq);
	ok(memmem(t.out.buf, t.out.len, "\"aggregationTemporality\":2", 26) &&
		   !memmem(t.out.buf, t.out.len, "isMonotonic", 11),
	   "the same in JSON");
	ar.attrs[0] = text_attr("http.request.method", "PUT");
	meters_active(m, &ar, r);
	ok(!page_has("PUT") && !page_has("otel_metric_overflow"), "past the limit: left out");
	ar.server = false;
	meters_active(m, &ar, r);
	ok(!page_has("PUT"), "neither a server's nor a client's");
	ar.client = true;
	meters_active(m, &ar, r);
	ok(page_has(
		   "http_client_active_requests{job=\"shop\",instance=\"i\",http_request_method=\"PUT\""),
	   "a client's");
	meters_free(m);
	m = was;
	resource_drop(r);
	free(t.out.buf);
}

/* Many series make many requests, none of them too large. */
static void check_split(void)
{
	struct meters_config c = { .max_series = 2000, .max_scale = EXPHIST_SCALE };
	struct metrics_request rq = { .time = 1764510000000000000u, .json = true };
	struct meters *own = meters_new(&c);
	struct resource *r = resource_new("i");
	struct jsonv_doc d = { 0 };
	struct taken t;
	char route[16];

	for (int i = 0; i < 1000; i++) {
		struct attr at[] = { text_attr("http.request.method", "GET"),
				     text_attr("http.route", route) };
		struct spanrec sp;

		snprintf(route, sizeof(route), "/%d", i);
		at[1].value.str = text_of(route);
		sp = span_of(r, at, 2, 1000);
		meters_span(own, &sp);
	}
	t = take_all(own, &rq);
	is_int((long long)t.points, 1000, "1,000 points");
	is_int((long long)t.requests, 4, "in four requests");
	ok(t.out.len < 1 << 20 && !jsonv_parse(&d, t.out.buf, t.out.len, NULL), "each whole");
	meters_free(own);
	resource_drop(r);
	jsonv_release(&d);
	free(t.out.buf);
}

static void check_accept(void)
{
	static const struct {
		const char *accept;
		enum prom_format text, protobuf;
	} cases[] = {
		{ NULL, PROM_TEXT, PROM_TEXT },
		{ "*/*", PROM_TEXT, PROM_TEXT },
		{ "text/plain;version=0.0.4", PROM_TEXT, PROM_TEXT },
		{ "application/openmetrics-text;version=1.0.0,application/openmetrics-text;"
		  "version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
		  PROM_OPENMETRICS, PROM_OPENMETRICS },
		{ "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;"
		  "encoding=delimited,application/openmetrics-text;version=1.0.0;q=0.8",
		  PROM_OPENMETRICS, PROM_PROTOBUF },
		{ "application/openmetrics-text;version=2.0.0, text/plain;q=0.1", PROM_TEXT,
		  PROM_TEXT },
		{ "text/plain, application/openmetrics-text; q=0.5", PROM_TEXT, PROM_TEXT },
		{ "image/png", PROM_TEXT, PROM_TEXT },
		{ ";;,,;q=,q=x", PROM_TEXT, PROM_TEXT },
	};
	int wrong = 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		wrong += prompage_negotiate(cases[i].accept, false) != cases[i].text ||
			 prompage_negotiate(cases[i].accept, true) != cases[i].protobuf;
	is_int(wrong, 0, "the format that is asked for");
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
	struct meters_config c = { .max_series = MAX_SERIES, .max_scale = EXPHIST_SCALE };

	m = meters_new(&c);
	check_buckets();
	check_limits();
	check_families();
	check_exemplars();
	check_graph();
	meters_free(m);
	check_otlp(false);
	check_otlp(true);
	check_active();
	check_split();
	check_exponential();
	check_routes();
	check_accept();
	check_backoff();
	return done();
}
