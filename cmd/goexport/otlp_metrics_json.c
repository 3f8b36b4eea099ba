// SPDX-License-Identifier: Apache-2.0
#include "jsonw.h"
#include "number.h"
#include "otlp_json.h"
#include "otlp_metrics.h"

static void put_double(struct jsonw *w, const char *key, double d)
{
	char buf[NUMBER_MAX];

	jsonw_raw(w, key, buf, number_double(buf, d));
}

static void put_exemplars(struct jsonw *w, const struct exemplar *x, size_t n)
{
	jsonw_arr(w, "exemplars");
	for (size_t i = 0; x && i < n; i++) {
		if (!x[i].time)
			continue;
		jsonw_obj(w, NULL);
		jsonw_u64(w, "timeUnixNano", x[i].time);
		put_double(w, "asDouble", x[i].value);
		jsonw_hex(w, "spanId", x[i].span_id, sizeof(x[i].span_id));
		jsonw_hex(w, "traceId", x[i].trace_id, sizeof(x[i].trace_id));
		jsonw_end_obj(w);
	}
	jsonw_end_arr(w);
}

static void put_histogram(struct jsonw *w, const struct point *pt, const struct instrument *in)
{
	jsonw_arr(w, "bucketCounts");
	for (unsigned i = 0; i <= in->n_bounds; i++)
		jsonw_u64(w, NULL, pt->buckets[i]);
	jsonw_end_arr(w);
	jsonw_arr(w, "explicitBounds");
	for (unsigned i = 0; i < in->n_bounds; i++)
		put_double(w, NULL, in->bounds[i]);
	jsonw_end_arr(w);
	put_exemplars(w, pt->exemplars, in->n_bounds + 1);
}

static void put_exponential(struct jsonw *w, const struct point *pt)
{
	const struct exphist *h = pt->exp;

	jsonw_int(w, "scale", h->scale);
	jsonw_u64(w, "zeroCount", h->zero);
	jsonw_obj(w, "positive");
	jsonw_int(w, "offset", h->offset);
	jsonw_arr(w, "bucketCounts");
	for (uint32_t i = 0; i < h->n; i++)
		jsonw_u64(w, NULL, h->counts[i]);
	jsonw_end_arr(w);
	jsonw_end_obj(w);
	put_exemplars(w, pt->exemplars, 1);
}

static void put_point(struct jsonw *w, const struct series *s, const struct point *pt,
		      const struct instrument *in, const struct metrics_request *rq)
{
	jsonw_obj(w, NULL);
	otlp_json_attrs(w, s->attrs, s->n_attrs);
	jsonw_u64(w, "startTimeUnixNano", s->start);
	jsonw_u64(w, "timeUnixNano", rq->time);
	if (in->type != METER_HISTOGRAM) {
		jsonw_u64(w, "asInt", pt->count);
		jsonw_end_obj(w);
		return;
	}
	jsonw_u64(w, "count", pt->count);
	put_double(w, "sum", pt->sum);
	if (pt->exp)
		put_exponential(w, pt);
	else
		put_histogram(w, pt, in);
	put_double(w, "min", pt->min);
	put_double(w, "max", pt->max);
	jsonw_end_obj(w);
}

static size_t put_points(struct jsonw *w, const struct metric_view *v,
			 const struct metrics_request *rq)
{
	size_t points = 0;

	jsonw_arr(w, "dataPoints");
	for (size_t i = 0; i < v->n; i++)
		if (v->series[i]->points[v->i]) {
			put_point(w, v->series[i], v->series[i]->points[v->i], v->in, rq);
			points++;
		}
	jsonw_end_arr(w);
	return points;
}

static const char *kind_of(const struct metric_view *v)
{
	if (v->in->type != METER_HISTOGRAM)
		return "sum";
	for (size_t i = 0; i < v->n; i++)
		if (v->series[i]->points[v->i])
			return v->series[i]->points[v->i]->exp ? "exponentialHistogram"
							       : "histogram";
	return "histogram";
}

size_t otlp_metrics_json(const struct metric_view *v, const struct metrics_request *rq,
			 struct textbuf *out)
{
	struct jsonw w;
	size_t points;

	jsonw_init(&w, -1);
	jsonw_obj(&w, NULL);
	jsonw_cstr(&w, "name", v->in->name);
	jsonw_cstr(&w, "description", v->in->help);
	jsonw_cstr(&w, "unit", v->in->unit);
	jsonw_obj(&w, kind_of(v));
	points = put_points(&w, v, rq);
	jsonw_int(&w, "aggregationTemporality", rq->delta && v->in->type != METER_UPDOWN ? 1 : 2);
	if (v->in->type == METER_COUNTER)
		jsonw_bool(&w, "isMonotonic", true);
	jsonw_end_obj(&w);
	jsonw_end_obj(&w);
	if (points) {
		if (out->len)
			textbuf_put(out, ",", 1);
		textbuf_put(out, w.buf, w.len);
	}
	out->failed |= w.err != 0;
	jsonw_release(&w);
	return points;
}
