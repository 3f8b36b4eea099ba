// SPDX-License-Identifier: Apache-2.0
/* goexport's traces: when one is complete, in what order, and how much is held. */
#include "../../cmd/goexport/resource.h"
#include "../../cmd/goexport/trace.h"
#include "../../cmd/goexport/waterfall.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "tap.h"

static char log_text[256];
static unsigned handed, spans_handed;

static void on_done(void *arg, struct trace *t)
{
	size_t n = strlen(log_text);

	(void)arg;
	handed++;
	spans_handed += t->n_spans;
	snprintf(log_text + n, sizeof(log_text) - n, "%c%u ", 'a' + t->id[15], t->n_spans);
}

static const char *flush_log(void)
{
	static char copy[sizeof(log_text)];

	memcpy(copy, log_text, sizeof(copy));
	*log_text = '\0';
	return copy;
}

#define MS 1000000ull

/* A span of trace @trace ('a'…), from @from to @to in milliseconds. */
static void add(struct traces *ts, int trace, unsigned id, unsigned parent, int remote,
		uint64_t from, uint64_t to)
{
	static struct resource r;
	struct spanrec sp = { .start = from * MS, .end = to * MS, .name = text_of("n") };

	sp.trace_id[0] = 1;
	sp.trace_id[12] = sp.trace_id[15] = (uint8_t)(trace - 'a');
	memcpy(sp.span_id, &id, sizeof(id));
	memcpy(sp.parent_id, &parent, sizeof(parent));
	sp.has_parent = parent != 0;
	sp.remote_parent = remote;
	sp.resource = &r;
	traces_add(ts, &sp);
}

static void check_order(void)
{
	struct traces *ts = traces_new(on_done, NULL);

	add(ts, 'a', 2, 1, 0, 1000, 1010); /* its parent comes later */
	add(ts, 'b', 3, 0, 0, 1000, 1011);
	add(ts, 'c', 4, 9, 1, 1000, 1012); /* called from elsewhere */
	add(ts, 'd', 5, 0, 0, 1300, 1311);
	is(flush_log(), "", "nothing before 300 ms of quiet");
	add(ts, 'e', 6, 0, 0, 1300, 1312);
	is(flush_log(), "b1 ", "then what is complete");
	add(ts, 'a', 1, 0, 0, 1000, 2000);
	is(flush_log(), "d1 e1 ", "while one waits for its parent");
	add(ts, 'f', 7, 0, 0, 2300, 2301);
	is(flush_log(), "a2 ", "which comes after all");
	add(ts, 'g', 8, 0, 0, 3000, 3013);
	is(flush_log(), "f1 c1 ", "a remote parent is not waited for longer than two seconds");
	add(ts, 'h', 10, 11, 0, 3000, 3014);
	add(ts, 'i', 12, 0, 0, 4000, 4001);
	is(flush_log(), "g1 ", "a parent that does not come");
	add(ts, 'j', 13, 0, 0, 63000, 63015);
	is(flush_log(), "i1 h1 ", "is given up after a minute");
	is_int(traces_idle(ts, 1000), 1, "something is held");
	is_int(traces_idle(ts, 1299), 1, "and is not for 299 ms of idleness");
	is(flush_log(), "", "handed out");
	is_int(traces_idle(ts, 1300), 0, "but for 300 ms");
	is(flush_log(), "j1 ", "it is");
	add(ts, 'k', 14, 15, 0, 70000, 70001);
	add(ts, 'l', 16, 0, 0, 70000, 70001);
	traces_finish(ts);
	is(flush_log(), "k1 l1 ", "at the end all come out");
	add(ts, 'm', 17, 0, 0, UINT64_MAX / MS - 1, UINT64_MAX / MS - 1);
	add(ts, 'n', 18, 0, 0, 0, 0);
	traces_free(ts);
	is(flush_log(), "", "times at the edges; freed without handing out");
}

static void check_bounds(void)
{
	struct traces *ts = traces_new(on_done, NULL);

	handed = spans_handed = 0;
	for (unsigned i = 0; i < TRACE_MAX_SPANS + 5; i++)
		add(ts, 'a', i + 1, i, 0, 0, 1);
	traces_finish(ts);
	is_int(spans_handed, TRACE_MAX_SPANS, "of one trace so many spans are kept");
	*log_text = '\0';
	handed = spans_handed = 0;
	for (unsigned i = 0; i < 30; i++)
		for (unsigned j = 0; j < 1000; j++)
			add(ts, 'a' + (int)i, j + 2, 1, 0, 0, 1);
	is_int(spans_handed, 30000 - TRACES_MAX_SPANS, "past the limit the oldest are handed out");
	traces_finish(ts);
	is_int(handed, 30, "each once");
	traces_free(ts);
	*log_text = '\0';
}

static unsigned late, open_ended, rooted;
static uint64_t shortest, more, more_failed;

static void on_look(void *arg, struct trace *t)
{
	(void)arg;
	handed++;
	late += t->late;
	open_ended += t->goes_on;
	more += t->more;
	more_failed += t->more_failed;
	for (unsigned i = 0; i < t->n_spans; i++) {
		const struct trace_span *s = t->spans[i];

		rooted += !s->has_parent;
		if (s->end - s->start < shortest)
			shortest = s->end - s->start;
	}
}

/* Trace number @n, one span of @ms. */
static void add_trace(struct traces *ts, unsigned n, unsigned id, unsigned parent, uint64_t from,
		      uint64_t ms, bool failed)
{
	static struct resource r;
	struct spanrec sp = { .start = from * MS,
			      .end = (from + ms) * MS,
			      .name = text_of("n"),
			      .resource = &r,
			      .has_parent = parent != 0,
			      .status = failed ? STATUS_ERROR : STATUS_UNSET };

	memcpy(sp.trace_id, &n, sizeof(n)); /* the rest is the same: as bad as ids can be */
	memcpy(sp.span_id, &id, sizeof(id));
	memcpy(sp.parent_id, &parent, sizeof(parent));
	traces_add(ts, &sp);
}

/* A span that comes when its trace has been handed out is late, after many others, too. */
static void check_late(void)
{
	struct traces *ts = traces_new(on_look, NULL);

	handed = late = 0;
	for (unsigned n = 0; n < 20000; n++)
		add_trace(ts, n, 1, 0, 1000 + n, 1, false);
	add_trace(ts, 99999, 1, 0, 30000, 1, false);
	add_trace(ts, 99998, 1, 0, 40000, 1, false);
	is_int(handed, 20001, "twenty thousand traces");
	is_int(late, 0, "none is late");
	for (unsigned n = 0; n < 20000; n += 10)
		add_trace(ts, n, 2, 1, 1000 + n, 2, false);
	traces_finish(ts);
	is_int(late, 2000, "what comes after that is late, each of it");
	traces_free(ts);
}

/* Spans end before those that they are part of: those that come last matter most. */
static void check_longest(void)
{
	struct traces *ts = traces_new(on_look, NULL);

	handed = rooted = 0;
	more = more_failed = 0;
	shortest = UINT64_MAX;
	for (unsigned i = 0; i < 100000; i++) {
		unsigned ms = 1 + i * 7919 % 5000;

		add_trace(ts, 7, i + 2, 1, 5000, ms, ms <= 10 || ms > 4990);
	}
	add_trace(ts, 7, 1, 0, 5000, 6000, false);
	traces_finish(ts);
	is_int(handed, 1, "a trace of 100,001 spans");
	is_int(rooted, 1, "shows its root, which came last");
	is_int((long)more, 100001 - TRACE_MAX_SPANS, "counts those that it does not show");
	is_int((long)(shortest / MS), 5000 - TRACE_MAX_SPANS / 20 + 1, "which are the shortest");
	is_int((long)more_failed, 10 * 20, "and the failed ones of these");
	traces_free(ts);
}

static void check_endless(void)
{
	struct traces *ts = traces_new(on_look, NULL);

	handed = late = open_ended = 0;
	more = 0;
	for (unsigned i = 0; i < 10000; i++)
		add_trace(ts, 7, i + 2, 1, 1000 + 100 * (uint64_t)i, 1, false);
	is_int(handed, 3, "a trace without an end is handed out every five minutes");
	is_int(open_ended, 3, "which is said");
	is_int(late, 2, "and its other parts are late");
	traces_free(ts);
}

static void draw(void *arg, struct trace *t)
{
	struct waterfall_style style = { .width = 80 };

	waterfall_draw(arg, t, &style);
}

static unsigned lines(const struct textbuf *b)
{
	unsigned n = 0;

	for (size_t i = 0; i < b->len; i++)
		n += b->buf[i] == '\n';
	return n;
}

/* A chain of a thousand, a ring, spans of one id: each span is drawn once. */
static void check_shapes(void)
{
	struct textbuf b = { 0 };
	struct traces *ts = traces_new(draw, &b);

	for (unsigned i = 0; i < 1000; i++)
		add(ts, 'a', i + 1, i, 0, 0, 1);
	traces_finish(ts);
	is_int(lines(&b), 1002, "a chain of a thousand spans");
	b.len = 0;
	for (unsigned i = 0; i < 100; i++)
		add(ts, 'b', i + 1, i ? i : 100, 0, 0, 1);
	traces_finish(ts);
	is_int(lines(&b), 102, "a ring of a hundred");
	b.len = 0;
	for (unsigned i = 0; i < 10; i++)
		add(ts, 'c', 1, 1, 0, 0, 0);
	traces_finish(ts);
	is_int(lines(&b), 12, "ten that are their own parents");
	ok(!b.failed, "nothing failed");
	free(b.buf);
	traces_free(ts);
}

static void duration_is(uint64_t ns, const char *want)
{
	char buf[16];

	waterfall_duration(buf, ns, false);
	is(buf, want, want);
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	check_order();
	check_bounds();
	check_late();
	check_longest();
	check_endless();
	check_shapes();
	duration_is(0, "0ns");
	duration_is(999, "999ns");
	duration_is(1000, "1.00us");
	duration_is(9994, "9.99us");
	duration_is(9996, "10.0us");
	duration_is(999999, "1000us");
	duration_is(12345678, "12.3ms");
	duration_is(99999999999, "100s");
	duration_is(100000000000, "1m40s");
	duration_is(359999999999999, "99h59m");
	duration_is(360000000000000, "4d04h");
	duration_is(8639999999999999, "99d23h");
	duration_is(863999999999999999, "9999d");
	duration_is(UINT64_MAX, "584y");
	return done();
}
