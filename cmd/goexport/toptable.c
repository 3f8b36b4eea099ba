// SPDX-License-Identifier: Apache-2.0
#include "toptable.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "termtext.h"
#include "waterfall.h"

/* Narrower than this, columns are left out. */
#define WIDE   100
#define MIDDLE 76
#define NARROW 56

static bool contains(struct text t, const char *word)
{
	size_t len = strlen(word);

	for (size_t i = 0; i + len <= t.len; i++) {
		size_t n = 0;

		while (n < len &&
		       tolower((unsigned char)t.p[i + n]) == tolower((unsigned char)word[n]))
			n++;
		if (n == len)
			return true;
	}
	return false;
}

static void fill(struct top_row *r, const struct traffic *traffic, const struct route *rt)
{
	struct histogram h = route_recent(rt);

	*r = (struct top_row){
		.service = rt->service,
		.name = rt->name,
		.rate = traffic_rate(traffic, rt->second),
		.error_rate = traffic_rate(traffic, rt->second_errors),
		.count = h.count,
		.errors = rt->recent_errors[0] + rt->recent_errors[1],
		.p50 = histogram_quantile(&h, .5),
		.p95 = histogram_quantile(&h, .95),
		.p99 = histogram_quantile(&h, .99),
		.max = h.max,
		.slowest = rt->slowest[0],
		.failed = rt->failed,
	};
	if (rt->slowest[1].set &&
	    (!r->slowest.set || rt->slowest[1].duration > r->slowest.duration))
		r->slowest = rt->slowest[1];
	for (unsigned i = 0; i < TRAFFIC_SECONDS; i++)
		r->seconds[i] = traffic_at(traffic, rt->second, TRAFFIC_SECONDS - 1 - i);
}

static int by_text(struct text a, struct text b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : (a.len > b.len) - (a.len < b.len);
}

static double key_of(const struct top_row *r, enum top_order order)
{
	switch (order) {
	case TOP_RATE:
		return r->rate;
	case TOP_ERRORS:
		return r->count ? (double)r->errors / (double)r->count : 0;
	case TOP_P50:
		return (double)r->p50;
	case TOP_P95:
		return (double)r->p95;
	case TOP_P99:
		return (double)r->p99;
	case TOP_MAX:
		return (double)r->max;
	default:
		return 0;
	}
}

static int compare(const void *a, const void *b, void *arg)
{
	const struct top_row *x = a, *y = b;
	double kx = key_of(x, *(enum top_order *)arg), ky = key_of(y, *(enum top_order *)arg);
	int c;

	if (kx != ky)
		return kx > ky ? -1 : 1;
	c = by_text(x->service, y->service);
	return c ? c : by_text(x->name, y->name);
}

int top_table_make(struct top_table *t, const struct traffic *traffic, const char *filter,
		   enum top_order order)
{
	top_table_release(t);
	t->rows = malloc((traffic->n + 1) * sizeof(*t->rows));
	if (!t->rows)
		return -ENOMEM;
	t->now = traffic->now;
	for (size_t i = 0; i < traffic->n; i++) {
		const struct route *rt = traffic->route[i];

		if (*filter && !contains(rt->service, filter) && !contains(rt->name, filter))
			continue;
		fill(&t->rows[t->n], traffic, rt);
		t->rate += t->rows[t->n].rate;
		t->error_rate += t->rows[t->n].error_rate;
		t->n++;
	}
	qsort_r(t->rows, t->n, sizeof(*t->rows), compare, &order);
	return 0;
}

void top_table_release(struct top_table *t)
{
	free(t->rows);
	*t = (struct top_table){ 0 };
}

const char *top_order_name(enum top_order order)
{
	static const char *const names[TOP_ORDERS] = { "req/s", "errors", "p50", "p95",
						       "p99",	"max",	  "name" };

	return names[order];
}

static void put_right(struct textbuf *b, const char *s, int width)
{
	int used = termtext_width(text_of(s), width);

	termtext_pad(b, width - used);
	termtext_put(b, text_of(s), width);
}

static void put_left(struct textbuf *b, struct text t, int width)
{
	termtext_pad(b, width - termtext_put(b, t, width));
}

/* Columns; each number has a space before it. */
struct columns {
	int service, route, rate, errors, time, spark;
	bool p50, p95, max;
};

static struct columns columns_of(int width)
{
	struct columns c = { .p50 = width >= NARROW,
			     .p95 = width >= MIDDLE,
			     .max = width >= MIDDLE };

	c.rate = width >= WIDE ? 9 : 8;
	c.errors = width >= WIDE ? 8 : 7;
	c.time = width >= WIDE ? 8 : 7;
	c.spark = width >= WIDE ? (width >= 150 ? 60 : 20) : width >= MIDDLE ? 6 : 0;
	c.service = width >= 130 ? 20 : width >= WIDE ? 14 : width >= MIDDLE ? 10 : 9;
	c.route = width - c.service - c.rate - c.errors - c.time * (1 + c.p50 + c.p95 + c.max) -
		  c.spark - 2;
	return c;
}

static void put_head(struct textbuf *b, const char *name, enum top_order is, enum top_order order,
		     int width)
{
	char text[16];

	snprintf(text, sizeof(text), "%s%s", is == order ? "*" : "", name);
	put_right(b, text, width);
}

void top_table_head(struct textbuf *b, enum top_order order, int width, bool utf8)
{
	struct columns c = columns_of(width);

	(void)utf8;
	put_left(b, text_of("SERVICE"), c.service);
	textbuf_puts(b, " ");
	put_left(b, text_of("ROUTE"), c.route);
	put_head(b, "REQ/S", TOP_RATE, order, c.rate);
	put_head(b, "ERRORS", TOP_ERRORS, order, c.errors);
	if (c.p50)
		put_head(b, "P50", TOP_P50, order, c.time);
	if (c.p95)
		put_head(b, "P95", TOP_P95, order, c.time);
	put_head(b, "P99", TOP_P99, order, c.time);
	if (c.max)
		put_head(b, "MAX", TOP_MAX, order, c.time);
	textbuf_puts(b, " ");
	put_left(b, text_of(c.spark >= 20 ? "LAST MINUTE" : c.spark ? "MINUTE" : ""), c.spark);
}

static void put_spark(struct textbuf *b, const struct top_row *r, int width, bool utf8)
{
	static const char *const fancy[] = { " ",
					     "\xe2\x96\x81",
					     "\xe2\x96\x82",
					     "\xe2\x96\x83",
					     "\xe2\x96\x84",
					     "\xe2\x96\x85",
					     "\xe2\x96\x86",
					     "\xe2\x96\x87",
					     "\xe2\x96\x88" };
	static const char *const plain[] = { " ", ".", ".", ":", ":", "-", "=", "#", "#" };
	uint32_t sum[TRAFFIC_SECONDS] = { 0 }, most = 1;
	int each = width ? TRAFFIC_SECONDS / width : 1;

	for (int i = 0; i < width; i++) {
		for (int j = 0; j < each; j++)
			sum[i] += r->seconds[i * each + j];
		most = sum[i] > most ? sum[i] : most;
	}
	for (int i = 0; i < width; i++) {
		uint32_t level = (uint32_t)(((uint64_t)sum[i] * 8 + most - 1) / most);

		textbuf_puts(b, (utf8 ? fancy : plain)[level]);
	}
}

static void put_duration(struct textbuf *b, const struct top_row *r, uint64_t ns, int width,
			 bool utf8)
{
	char text[16] = "-";

	if (r->count)
		waterfall_duration(text, ns, utf8);
	textbuf_puts(b, " ");
	put_right(b, text, width - 1);
}

static void put_rate(struct textbuf *b, double rate, int width)
{
	char text[24];

	snprintf(text, sizeof(text), "%.*f", rate < 10 ? 2 : rate < 100 ? 1 : 0, rate);
	put_right(b, text, width);
}

void top_table_row(struct textbuf *b, const struct top_row *r, int width, bool utf8)
{
	struct columns c = columns_of(width);
	char errors[16] = "-";

	put_left(b, r->service, c.service);
	textbuf_puts(b, " ");
	put_left(b, r->name, c.route);
	put_rate(b, r->rate, c.rate);
	if (r->errors)
		snprintf(errors, sizeof(errors), "%.1f%%",
			 100.0 * (double)r->errors / (double)r->count);
	put_right(b, errors, c.errors);
	if (c.p50)
		put_duration(b, r, r->p50, c.time, utf8);
	if (c.p95)
		put_duration(b, r, r->p95, c.time, utf8);
	put_duration(b, r, r->p99, c.time, utf8);
	if (c.max)
		put_duration(b, r, r->max, c.time, utf8);
	textbuf_puts(b, " ");
	put_spark(b, r, c.spark, utf8);
}

void top_table_sums(struct textbuf *b, const struct top_table *t)
{
	time_t sec = (time_t)t->now;
	char when[16] = "--:--:--";
	struct tm tm;

	if (t->now && localtime_r(&sec, &tm))
		strftime(when, sizeof(when), "%H:%M:%S", &tm);
	textbuf_printf(b, "%s  %.1f req/s, %.1f failed/s, %zu route%s", when, t->rate,
		       t->error_rate, t->n, t->n == 1 ? "" : "s");
}
