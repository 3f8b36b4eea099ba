// SPDX-License-Identifier: Apache-2.0
/* What goexport's views keep: traces in memory, traffic by route, filters. */
#include "../../cmd/goexport/callgraph.h"
#include "../../cmd/goexport/filter.h"
#include "../../cmd/goexport/jsoncut.h"
#include "../../cmd/goexport/resource.h"
#include "../../cmd/goexport/spanstore.h"
#include "../../cmd/goexport/toptable.h"
#include "../../cmd/goexport/tracehold.h"

#include <stdio.h>
#include <stdlib.h>

#include "tap.h"

#define MS 1000000ull
#define S  1000000000ull

static struct resource shop = { .refs = 1000000, .service = { "shop", 4 } };
static struct resource cart = { .refs = 1000000, .service = { "cart", 4 } };

/* Span @id of trace @trace, from @from to @to in milliseconds. */
static struct spanrec span(unsigned trace, unsigned id, unsigned parent, uint64_t from, uint64_t to)
{
	struct spanrec sp = { .start = from * MS,
			      .end = to * MS,
			      .kind = SPAN_SERVER,
			      .name = text_of("GET /"),
			      .resource = &shop };

	memcpy(sp.trace_id, &trace, sizeof(trace));
	memcpy(sp.span_id, &id, sizeof(id));
	memcpy(sp.parent_id, &parent, sizeof(parent));
	sp.has_parent = parent != 0;
	return sp;
}

static void check_glob(void)
{
	static const struct {
		const char *glob, *text;
		int matches;
	} cases[] = {
		{ "", "", 1 },
		{ "", "a", 0 },
		{ "*", "", 1 },
		{ "a", "a", 1 },
		{ "a?c", "abc", 1 },
		{ "a?c", "ac", 0 },
		{ "*b", "aab", 1 },
		{ "a*", "ba", 0 },
		{ "a*b*c", "axxbyyc", 1 },
		{ "a*b*c", "axxcyyb", 0 },
		{ "**", "x", 1 },
		{ "/u/*/x", "/u/7/x", 1 },
	};
	char many[200];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		ok(glob_matches(text_of(cases[i].glob), text_of(cases[i].text)) == cases[i].matches,
		   "'%s' and '%s'", cases[i].glob, cases[i].text);
	memset(many, 'a', sizeof(many));
	is_int(glob_matches(text_of("*a*a*a*a*a*a*a*b"), (struct text){ many, sizeof(many) }), 0,
	       "many stars end in time");
}

static void check_filter(void)
{
	struct attr attrs[] = {
		{ text_of("http.route"), { .type = ATTR_STRING, .str = { "/checkout", 9 } } },
		{ text_of("n"), { .type = ATTR_INT, .i = 42 } },
	};
	struct spanrec sp = span(1, 1, 0, 0, 80);
	struct filter f = { 0 }, all = { 0 };

	sp.attrs = attrs;
	sp.n_attrs = 2;
	ok(filter_wants(&all, &sp), "without conditions all is wanted");
	ok(!filter_set(&f, "slower-than", "79.5ms") && filter_wants(&f, &sp), "slower than");
	ok(!filter_set(&f, "slower-than", "0.08s") && !filter_wants(&f, &sp), "not slower than");
	ok(!filter_set(&f, "slower-than", "1us"), "a microsecond");
	ok(!filter_set(&f, "route", "/check*") && filter_wants(&f, &sp), "a route");
	ok(!filter_set(&f, "match", "n=4?") && filter_wants(&f, &sp), "a number");
	ok(!filter_set(&f, "service", "s*") && filter_wants(&f, &sp), "a service");
	ok(!filter_set(&f, "words", "CHECK 42") && filter_wants(&f, &sp),
	   "words, whatever the case");
	ok(!filter_set(&f, "words", "check 43") && !filter_wants(&f, &sp), "all of them");
	f.words.len = 0;
	ok(!filter_set(&f, "status", "error") && !filter_wants(&f, &sp), "status");
	ok(filter_set(&f, "status", "bad") && filter_set(&f, "slower-than", "-1") &&
		   filter_set(&f, "slower-than", "1 day") && filter_set(&f, "match", "=x") &&
		   filter_set(&f, "match", "x") && filter_set(&f, "trace", "12") &&
		   filter_set(&f, "trace", "0af7651916cd43dd8448eb211c80319c0"),
	   "what makes no sense is said");
}

static void check_store(void)
{
	struct spanstore s;
	struct spanrec sp;
	const struct stored_trace *t;
	uint8_t id[16] = { 0 };

	spanstore_init(&s, 200000);
	for (unsigned i = 1; i <= 1000; i++) {
		sp = span(i, 1, 0, i, i + 1);
		spanstore_add(&s, &sp);
	}
	ok(s.bytes <= 200000 && s.n_traces > 100, "within its memory: %zu traces",
	   (size_t)s.n_traces);
	is_int(s.n_traces + s.evicted_traces, 1000, "and what went is counted");
	memcpy(id, &(unsigned){ 1 }, sizeof(unsigned));
	ok(!spanstore_find(&s, id), "the oldest went");
	memcpy(id, &(unsigned){ 1000 }, sizeof(unsigned));
	ok(spanstore_find(&s, id) == s.newest, "the newest is there");
	for (unsigned i = 2; i <= 1000; i++) {
		sp = span(1000, i, 1, 1000, 1001 + i);
		sp.status = STATUS_ERROR;
		spanstore_add(&s, &sp);
	}
	t = spanstore_find(&s, id);
	ok(t && t->more && t->n_spans + t->more == 1000, "an endless trace is cut and counted");
	is_int(t ? (long long)t->n_errors : 0, 999, "with all its errors");
	is_int(t ? (long long)(t->end / MS) : 0, 2001, "and its whole time");
	ok(s.n_traces > 1, "others are still there");
	is_int(s.n_errors, 1, "one trace has errors");
	spanstore_release(&s);
}

static bool want_first(void *arg, const uint8_t id[16])
{
	(void)arg;
	return id[0] == 1 && !id[1];
}

static void check_wanted(void)
{
	struct spanstore s;
	uint8_t id[16] = { 1 };

	spanstore_init(&s, 100000);
	s.wanted = want_first;
	for (unsigned i = 1; i <= 1000; i++) {
		struct spanrec sp = span(i, 1, 0, i, i + 1);

		spanstore_add(&s, &sp);
	}
	ok(spanstore_find(&s, id) != NULL, "a trace that is wanted stays");
	spanstore_release(&s);
}

static void check_traffic(void)
{
	struct traffic *r = traffic_new();
	struct histogram h;

	for (unsigned i = 0; i < 1000; i++) { /* 100 a second, 1 to 1000 ms long */
		struct spanrec sp = span(i + 1, 1, 0, 0, 0);

		sp.end = 1764510000 * S + i * 10 * MS;
		sp.start = sp.end - (i + 1) * MS;
		sp.status = i % 10 ? STATUS_UNSET : STATUS_ERROR;
		traffic_span(r, &sp, 0);
	}
	is_int(r->n, 1, "one route");
	h = route_recent(r->route[0]);
	is_int(h.count, 1000, "a thousand requests");
	ok(labs((long)(histogram_quantile(&h, .5) / MS) - 500) < 40, "the median is about 500 ms");
	ok(labs((long)(histogram_quantile(&h, .99) / MS) - 990) < 70, "p99 is about 990 ms");
	is_int(histogram_quantile(&h, 1) / MS, 1000, "no quantile is over the longest");
	ok(traffic_rate(r, r->route[0]->second) > 99.5 &&
		   traffic_rate(r, r->route[0]->second) < 100.5,
	   "a hundred a second");
	is_int(r->route[0]->errors, 100, "every tenth failed");
	is_int(r->route[0]->slowest[0].duration / MS, 1000, "the slowest");
	traffic_idle(r, 120000);
	is_int((long)traffic_rate(r, r->route[0]->second), 0, "after two idle minutes no rate");
	is_int(route_recent(r->route[0]).count, 0, "and nothing of late");
	is_int(r->route[0]->all.count, 1000, "but all that was");
	traffic_free(r);
}

/* What streams for days, or from 1970 to now, has its quantiles like the others. */
static void check_long(void)
{
	static const uint64_t took[] = { 3600 * S, 86400 * S, 1764510000 * S, UINT64_MAX };
	struct histogram h;

	for (size_t i = 0; i < sizeof(took) / sizeof(took[0]); i++) {
		struct traffic *r = traffic_new();
		struct spanrec sp = span(1, 1, 0, 0, 0);

		sp.end = took[i];
		for (int n = 0; n < 10; n++)
			traffic_span(r, &sp, 0);
		h = route_recent(r->route[0]);
		ok(histogram_quantile(&h, .5) / 10 >= took[i] / 10 / 8 * 7,
		   "the median of what takes %llu s", (unsigned long long)(took[i] / S));
		is_int(histogram_quantile(&h, 1) == took[i], 1, "no quantile is over it");
		traffic_free(r);
	}
}

static void check_bad_times(void)
{
	struct traffic *r = traffic_new();
	struct spanrec sp = span(1, 1, 0, 1000, 2000), odd = span(2, 1, 0, 0, 0);

	sp.start = sp.end = 1764510000 * S;
	odd.end = UINT64_MAX;
	traffic_span(r, &sp, 0);
	traffic_span(r, &odd, 0);
	is_int(r->now, 1764510000, "one span of the year 2554 does not move the clock");
	for (int i = 0; i < 20; i++)
		traffic_span(r, &odd, 0);
	is_int(r->now, UINT64_MAX / S, "many do");
	traffic_span(r, &sp, 0);
	is_int(r->route[0]->all.count, 23, "all count");
	traffic_free(r);
}

static void check_many_routes(void)
{
	struct traffic *r = traffic_new();
	struct top_table t = { 0 };
	char name[16];

	for (int i = 0; i < 3000; i++) {
		struct spanrec sp = span(1, 1, 0, 1000, 1001);

		snprintf(name, sizeof(name), "/%d", i);
		sp.name = text_of(name);
		traffic_span(r, &sp, 0);
	}
	is_int(r->n, TRAFFIC_MAX + 1, "routes are bounded");
	is_int(r->route[TRAFFIC_MAX]->all.count, 2000, "the rest is one");
	top_table_make(&t, r, "/12", TOP_RATE);
	is_int(t.n, 11, "a filter of the table");
	top_table_release(&t);
	traffic_free(r);
}

static void check_graph(void)
{
	struct callgraph *g = callgraph_new();
	struct spanstore s;
	struct attr db = { text_of("db.system.name"), { .type = ATTR_STRING, .str = { "pg", 2 } } };
	struct spanrec a = span(1, 1, 0, 0, 10), b = span(1, 2, 1, 1, 9), c = span(1, 3, 2, 2, 8),
		       d = span(1, 4, 3, 3, 5), itself = span(2, 7, 7, 0, 1);

	spanstore_init(&s, 1 << 20);
	b.kind = d.kind = SPAN_CLIENT;
	c.resource = d.resource = &cart;
	d.attrs = &db;
	d.n_attrs = 1;
	spanstore_add(&s, &d); /* children come first */
	spanstore_add(&s, &c);
	spanstore_add(&s, &b);
	spanstore_add(&s, &a);
	spanstore_add(&s, &itself);
	callgraph_fill(g, &s);
	is_int(g->n_nodes, 3, "two services and a database");
	is_int(g->n_edges, 2, "two calls");
	callgraph_free(g);
	spanstore_release(&s);
}

static char given[256];

static void on_given(void *arg, const struct spanrec *sp)
{
	size_t n = strlen(given);

	(void)arg;
	snprintf(given + n, sizeof(given) - n, "%u.%u ", sp->trace_id[0], sp->span_id[0]);
}

static void hold(struct tracehold *h, struct spanrec sp)
{
	tracehold_span(h, &sp);
}

static void check_hold(void)
{
	struct filter f = { 0 };
	struct tracehold *h;

	filter_set(&f, "slower-than", "50ms");
	h = tracehold_new(&f, on_given, NULL);
	hold(h, span(1, 2, 1, 1000, 1010));
	hold(h, span(2, 2, 1, 1000, 1011));
	is(given, "", "nothing is given out yet");
	hold(h, span(2, 1, 0, 990, 1012));
	hold(h, span(1, 1, 0, 900, 1015));
	is(given, "1.2 1.1 ", "a trace that is slow: all of it, in order");
	hold(h, span(1, 3, 1, 1000, 1020));
	is(given, "1.2 1.1 1.3 ", "and what still comes");
	for (unsigned i = 0; i < 10; i++)
		hold(h, span(3, 10 + i, 1, 2000 + 1000 * i, 2001 + 1000 * i));
	given[0] = '\0';
	hold(h, span(2, 3, 1, 8000, 8090));
	is(given, "2.3 ", "what was over is not held any more");
	is_int(tracehold_idle(h, 0), 1, "one is held");
	tracehold_idle(h, 59999);
	is_int(tracehold_idle(h, 59999), 1, "for a minute of idleness");
	is_int(tracehold_idle(h, 60000), 0, "and no longer");
	tracehold_free(h);
}

static void check_cut(void)
{
	static const char text[] = " {\"a\\\"]\" : [1, {\"x\":\"}\"}],\n\"b\":null} [] 7 ";
	struct jsoncut all = { text, text + sizeof(text) - 1, false }, in;
	struct jsonpiece p, key, value;

	ok(jsoncut_value(&all, &p) && *p.p == '{' && p.p[p.len - 1] == '}', "an object");
	ok(jsoncut_into(p, '{', &in) && jsoncut_member(&in, &key, &value) && key.len == 6 &&
		   *value.p == '[' && value.len == 14,
	   "its first member");
	ok(jsoncut_member(&in, &key, &value) && value.len == 4, "its second");
	ok(!jsoncut_member(&in, &key, &value) && !in.broken, "no third");
	ok(jsoncut_value(&all, &p) && p.len == 2 && jsoncut_value(&all, &p) && p.len == 1,
	   "what follows it");
	ok(!jsoncut_value(&all, &p) && !all.broken, "and the end");
	for (size_t n = 1; n < 30; n++) { /* cut anywhere */
		struct jsoncut part = { text, text + n, false };

		while (jsoncut_value(&part, &p))
			;
		if (n > 1 && !part.broken)
			ok(0, "cut at %zu", n);
	}
	all = (struct jsoncut){ "]", "]" + 1, false };
	ok(!jsoncut_value(&all, &p) && all.broken, "a bracket alone");
}

int main(void)
{
	check_glob();
	check_filter();
	check_store();
	check_wanted();
	check_traffic();
	check_long();
	check_bad_times();
	check_many_routes();
	check_graph();
	check_hold();
	check_cut();
	return done();
}
