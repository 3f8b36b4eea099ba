// SPDX-License-Identifier: Apache-2.0
/*
 * Pairing under load and abuse: millions of events in random order stay within
 * the limits, and every one is accounted for.
 */
#include "../../cmd/gospan/pair.h"

#include <stdlib.h>

#include "memlimit.h"
#include "tap.h"

static struct jsonv_doc doc;
static struct jsonw out;
static struct pairing p;
static uint64_t seed = 1, spans;

static uint64_t any(uint64_t n)
{
	seed = hash_u64(seed, 1);
	return seed % n;
}

static void begin_test(size_t max_open, uint64_t timeout)
{
	jsonw_init(&out, -1);
	pairing_init(&p, &out, &doc, HTTP_METHODS, max_open, timeout);
	pairing_clock(&p, 1, 1000000000000000001ull);
	spans = 0;
}

/* What was written so far is looked at and dropped. */
static void drop_output(void)
{
	for (const char *s = out.buf, *end = s + out.len; s < end; s++) {
		spans += !strncmp(s, "{\"type\":\"span\"", 14);
		s = memchr(s, '\n', (size_t)(end - s));
	}
	out.len = out.mark = 0;
}

static void end_test(void)
{
	pairing_finish(&p);
	drop_output();
	pairing_release(&p);
	jsonw_release(&out);
}

static const struct jsonv span_type = {
	.text = "function", .len = 8, .next = 1, .type = JSONV_STRING
};

static struct event event(enum event_kind kind, uint64_t t, uint32_t pid, uint64_t goid,
			  int64_t depth, uint64_t id)
{
	struct event ev = { .kind = kind, .t = t, .pid = pid, .goid = goid, .depth = depth };

	ev.span = &span_type;
	ev.span_hash = event_name_hash(&span_type);
	ev.flags = 1;
	ev.has_span = ev.has_trace = id != 0;
	memcpy(ev.span_id, &id, sizeof(id));
	memcpy(ev.trace_id, &id, sizeof(id));
	return ev;
}

/* Random events of a few processes, goroutines and depths: most make no sense. */
static void test_random(void)
{
	uint64_t begins = 0, sum;
	int failed = 0, over = 0;

	begin_test(100, 1000);
	for (int i = 0; i < 300000; i++) {
		enum event_kind kind = (enum event_kind)any(4);
		struct event ev = event(kind, 1 + (uint64_t)i + any(50), (uint32_t)any(4), any(40),
					(int64_t)any(4) * 8, any(3) ? any(1000) : 0);

		begins += kind == EVENT_BEGIN;
		failed |= pairing_event(&p, &ev);
		over += p.calls.open > 100;
		if (!any(1000))
			failed |= pairing_process(&p, (uint32_t)any(4), any(2));
		if (!any(1000))
			pairing_exit(&p, (uint32_t)any(4), NULL);
		if (!(i % 1000))
			drop_output();
	}
	end_test();
	is_int(failed, 0, "no event fails");
	is_int(over, 0, "never more open calls than allowed");
	sum = p.counts.total[COUNT_SPANS] + p.counts.total[COUNT_REPEATED];
	is_int((long long)sum, (long long)begins, "each begin gives a span or is a repetition");
	is_int((long long)spans, (long long)p.counts.total[COUNT_SPANS], "each span was written");
	ok(!p.calls.open && !p.calls.bytes, "nothing is left");
}

/* Begins without an end. */
#define MANY 1000000

static void test_only_begins(void)
{
	struct event ev;
	int failed = 0;

	begin_test(1000, 0);
	for (uint64_t i = 1; i <= MANY; i++) {
		ev = event(EVENT_BEGIN, i, (uint32_t)(i % 7), i, (int64_t)i, i);
		failed |= pairing_event(&p, &ev);
		if (!(i % 1000))
			drop_output();
	}
	is_int(failed, 0, "a million begins without an end");
	is_int((long long)p.calls.open, 1000, "as many are open as may be");
	is_int((long long)p.counts.total[COUNT_INCOMPLETE], MANY - 1000, "the others came out");
	end_test();
	is_int((long long)spans, MANY, "at the end all of them");
}

/* On one goroutine, nested deeper than anything real; no time is lost in searching. */
static void test_deep(void)
{
	struct event ev;
	int failed = 0;

	begin_test(200000, 0);
	for (uint64_t i = 1; i <= 200000; i++) {
		ev = event(EVENT_BEGIN, i, 1, 1, (int64_t)i * 96, i);
		failed |= pairing_event(&p, &ev);
	}
	for (uint64_t i = 200000; i >= 1; i--) {
		ev = event(EVENT_END, 400001 - i, 1, 1, (int64_t)i * 96, i);
		failed |= pairing_event(&p, &ev);
		if (!(i % 1000))
			drop_output();
	}
	ok(!failed && !p.calls.open, "200,000 calls inside each other are all closed");
	end_test();
	ok(spans == 200000 && !p.counts.total[COUNT_INCOMPLETE], "and are complete");
}

/* Values are bounded by bytes, not only by calls. */
static void test_heavy(void)
{
	static char json[60000];
	struct event ev;
	struct errinfo e;
	size_t most = 0;
	int failed = 0, n;

	n = snprintf(json, sizeof(json), "{\"my.text\":\"%050000d\"}", 0);
	jsonv_parse(&doc, json, (size_t)n, &e);
	begin_test(1000, 0);
	for (uint64_t i = 1; i <= 5000; i++) {
		ev = event(any(3) ? EVENT_BEGIN : EVENT_POINT, i, 1, any(100), 8, 0);
		ev.values = jsonv_root(&doc);
		failed |= pairing_event(&p, &ev);
		most = p.calls.bytes > most ? p.calls.bytes : most;
		drop_output();
	}
	ok(!failed && most <= 1000 * 1024 + 60000, "memory stays within its limit");
	ok(p.counts.lost[LOST_LIMIT] > 0, "and that it was reached is counted");
	end_test();
}

static void test_processes(void)
{
	int failed = 0;

	begin_test(10, 0);
	for (uint32_t i = 0; i < PROCS_MAX + 10; i++)
		failed |= pairing_process(&p, i, 1);
	is_int(failed, 0, "more processes than are remembered");
	is_int((long long)p.counts.lost[LOST_PROCESSES], 10, "are counted");
	for (uint32_t i = 0; i < PROCS_MAX + 10; i++)
		pairing_exit(&p, i, NULL);
	is_int((long long)p.calls.procs.table.count, 0, "none is left after their exits");
	for (uint32_t i = 0; i < 1000; i++) {
		struct event ev = event(EVENT_BEGIN, i, i, 1, 8, i + 1);

		failed |= pairing_event(&p, &ev);
		ev.kind = EVENT_END;
		failed |= pairing_event(&p, &ev);
	}
	is_int(failed, 0, "calls of processes that no record spoke of");
	is_int((long long)p.calls.procs.table.count, 0, "leave nothing behind");
	end_test();
}

int main(void)
{
	test_random();
	test_only_begins();
	test_deep();
	test_heavy();
	test_processes();
	jsonv_release(&doc);
	return done();
}
