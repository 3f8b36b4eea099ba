// SPDX-License-Identifier: Apache-2.0
#include "otlp_metrics.h"

#include <stdlib.h>

#include "jsonw.h"
#include "otlp_json.h"
#include "otlp_pb.h"
#include "pbw.h"
#include "schema.h"

#define SCOPE "gotap"

/* All series, ordered by resource and family, so that what belongs together is together. */
struct ordered {
	struct series *s;
	int family;
};

static int compare(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;
	uint64_t rx = x->s->resource ? x->s->resource->serial : 0;
	uint64_t ry = y->s->resource ? y->s->resource->serial : 0;

	if (rx != ry)
		return rx < ry ? -1 : 1;
	return x->family - y->family;
}

static struct ordered *order(const struct meters *m, size_t *n)
{
	struct ordered *o = calloc(meters_count(m) + 1, sizeof(*o));

	*n = 0;
	if (!o)
		return NULL;
	for (int f = 0; f < FAMILY_COUNT; f++)
		for (struct series *s = meters_first(m, (enum meter_family_id)f); s; s = s->next)
			o[(*n)++] = (struct ordered){ s, f };
	qsort(o, *n, sizeof(*o), compare);
	return o;
}

/* What stands for series of no process: the service graph, and what is past a limit. */
static const struct attr own_attrs[] = {
	{ { "service.name", 12 }, { .type = ATTR_STRING, .str = { "gotap", 5 } } },
	{ { "telemetry.sdk.name", 18 }, { .type = ATTR_STRING, .str = { "gotap", 5 } } },
	{ { "telemetry.sdk.language", 22 }, { .type = ATTR_STRING, .str = { "go", 2 } } },
};

/* All metrics of one family, of @n series of one resource. */
static size_t put_family(const struct ordered *o, size_t n, const struct metrics_request *rq,
			 struct textbuf *out, struct series **series)
{
	struct metric_view v = { .family = &meter_families[o->family], .series = series, .n = n };
	size_t points = 0;

	for (size_t i = 0; i < n; i++)
		series[i] = o[i].s;
	for (v.i = 0; v.i < METER_MAX_INSTRUMENTS; v.i++) {
		v.in = &v.family->instruments[v.i];
		if (v.in->name)
			points += rq->json ? otlp_metrics_json(&v, rq, out)
					   : otlp_metrics_pb(&v, rq, out);
	}
	return points;
}

/* The metrics of one resource, one behind the other. */
static size_t put_metrics(const struct ordered *o, size_t n, const struct metrics_request *rq,
			  struct textbuf *out)
{
	struct series **series = calloc(n, sizeof(struct series *));
	size_t points = 0, many;

	if (!series) {
		out->failed = true;
		return 0;
	}
	for (size_t i = 0; i < n; i += many) {
		for (many = 1; i + many < n && o[i + many].family == o[i].family;)
			many++;
		points += put_family(o + i, many, rq, out, series);
	}
	free(series);
	return points;
}

static void put_resource_pb(const struct attr *attrs, size_t n, const struct textbuf *metrics,
			    struct textbuf *out)
{
	size_t rm = pbw_begin(out, 1), inner = pbw_begin(out, 1);

	otlp_pb_attrs(out, 1, attrs, n);
	pbw_end(out, inner);
	inner = pbw_begin(out, 2);
	{
		size_t scope = pbw_begin(out, 1);

		pbw_text(out, 1, SCOPE, sizeof(SCOPE) - 1);
		pbw_text(out, 2, GOTAP_VERSION, sizeof(GOTAP_VERSION) - 1);
		pbw_end(out, scope);
	}
	textbuf_put(out, metrics->buf, metrics->len);
	pbw_text(out, 3, SCHEMA_URL, sizeof(SCHEMA_URL) - 1);
	pbw_end(out, inner);
	pbw_text(out, 3, SCHEMA_URL, sizeof(SCHEMA_URL) - 1);
	pbw_end(out, rm);
}

static void put_resource_json(const struct attr *attrs, size_t n, const struct textbuf *metrics,
			      struct textbuf *out)
{
	struct jsonw w;

	jsonw_init(&w, -1);
	jsonw_obj(&w, NULL);
	jsonw_obj(&w, "resource");
	otlp_json_attrs(&w, attrs, n);
	jsonw_end_obj(&w);
	jsonw_arr(&w, "scopeMetrics");
	jsonw_obj(&w, NULL);
	jsonw_obj(&w, "scope");
	jsonw_cstr(&w, "name", SCOPE);
	jsonw_cstr(&w, "version", GOTAP_VERSION);
	jsonw_end_obj(&w);
	jsonw_arr(&w, "metrics");
	jsonw_raw(&w, NULL, metrics->buf, metrics->len);
	jsonw_end_arr(&w);
	jsonw_cstr(&w, "schemaUrl", SCHEMA_URL);
	jsonw_end_obj(&w);
	jsonw_end_arr(&w);
	jsonw_cstr(&w, "schemaUrl", SCHEMA_URL);
	jsonw_end_obj(&w);
	if (out->len)
		textbuf_put(out, ",", 1);
	textbuf_put(out, w.buf, w.len);
	out->failed |= w.err != 0;
	jsonw_release(&w);
}

static size_t put_resource(const struct ordered *o, size_t n, const struct metrics_request *rq,
			   struct textbuf *out)
{
	const struct resource *r = o->s->resource;
	const struct attr *attrs = r ? r->attrs : own_attrs;
	size_t n_attrs = r ? r->n_attrs : sizeof(own_attrs) / sizeof(*own_attrs);
	struct textbuf metrics = { 0 };
	size_t points = put_metrics(o, n, rq, &metrics);

	out->failed |= metrics.failed;
	if (points && rq->json)
		put_resource_json(attrs, n_attrs, &metrics, out);
	else if (points)
		put_resource_pb(attrs, n_attrs, &metrics, out);
	free(metrics.buf);
	return points;
}

/* {"resourceMetrics":[…]} around what is there. */
static void wrap_json(struct textbuf *out)
{
	static const char head[] = "{\"resourceMetrics\":[";
	size_t n = sizeof(head) - 1;

	if (!textbuf_reserve(out, n))
		return;
	memmove(out->buf + n, out->buf, out->len);
	memcpy(out->buf, head, n);
	out->len += n;
	textbuf_put(out, "]}", 2);
}

/* One request, of @n series. */
static void request(const struct ordered *o, size_t n, const struct metrics_request *rq,
		    metrics_take take, void *arg)
{
	struct textbuf out = { 0 };
	size_t many, points = 0;

	for (size_t i = 0; i < n; i += many) {
		for (many = 1; i + many < n && o[i + many].s->resource == o[i].s->resource;)
			many++;
		points += put_resource(o + i, many, rq, &out);
	}
	if (points && rq->json)
		wrap_json(&out);
	if (points || out.failed)
		take(arg, &out, points);
	else
		free(out.buf);
}

void otlp_metrics_requests(const struct meters *m, const struct metrics_request *rq,
			   metrics_take take, void *arg)
{
	struct textbuf none = { .failed = true };
	size_t n, many;
	struct ordered *o = order(m, &n);

	if (!o) {
		take(arg, &none, 0);
		return;
	}
	for (size_t i = 0; i < n; i += many) {
		many = n - i < METRICS_MAX_SERIES ? n - i : METRICS_MAX_SERIES;
		request(o + i, many, rq, take, arg);
	}
	free(o);
}
