// SPDX-License-Identifier: Apache-2.0
#include "otlp_metrics.h"
#include "otlp_pb.h"
#include "pbw.h"

/* Field numbers that differ between the kinds of points. */
enum {
	NUMBER_ATTRS = 7,
	HISTOGRAM_ATTRS = 9,
	EXPONENTIAL_ATTRS = 1,
};

static void put_exemplars(struct textbuf *t, unsigned field, const struct exemplar *x, size_t n)
{
	for (size_t i = 0; x && i < n; i++) {
		size_t exemplar;

		if (!x[i].time)
			continue;
		exemplar = pbw_begin(t, field);
		pbw_fixed64(t, 2, x[i].time);
		pbw_double(t, 3, x[i].value);
		pbw_bytes(t, 4, x[i].span_id, sizeof(x[i].span_id));
		pbw_bytes(t, 5, x[i].trace_id, sizeof(x[i].trace_id));
		pbw_end(t, exemplar);
	}
}

static void put_head(struct textbuf *t, const struct series *s, unsigned attrs,
		     const struct metrics_request *rq)
{
	otlp_pb_attrs(t, attrs, s->attrs, s->n_attrs);
	pbw_fixed64(t, 2, s->start);
	pbw_fixed64(t, 3, rq->time);
}

static void put_histogram(struct textbuf *t, const struct series *s, const struct point *pt,
			  const struct instrument *in, const struct metrics_request *rq)
{
	put_head(t, s, HISTOGRAM_ATTRS, rq);
	pbw_fixed64(t, 4, pt->count);
	pbw_double(t, 5, pt->sum);
	pbw_head(t, 6, 8ul * (in->n_bounds + 1));
	for (unsigned i = 0; i <= in->n_bounds; i++)
		pbw_raw64(t, pt->buckets[i]);
	pbw_head(t, 7, 8ul * in->n_bounds);
	for (unsigned i = 0; i < in->n_bounds; i++)
		pbw_raw_double(t, in->bounds[i]);
	put_exemplars(t, 8, pt->exemplars, in->n_bounds + 1);
	pbw_double(t, 11, pt->min);
	pbw_double(t, 12, pt->max);
}

static void put_exponential(struct textbuf *t, const struct series *s, const struct point *pt,
			    const struct metrics_request *rq)
{
	const struct exphist *h = pt->exp;
	size_t buckets, counts;

	put_head(t, s, EXPONENTIAL_ATTRS, rq);
	pbw_fixed64(t, 4, pt->count);
	pbw_double(t, 5, pt->sum);
	pbw_uint(t, 6, pbw_zigzag(h->scale));
	pbw_fixed64(t, 7, h->zero);
	buckets = pbw_begin(t, 8);
	pbw_uint(t, 1, pbw_zigzag(h->offset));
	counts = pbw_begin(t, 2);
	for (uint32_t i = 0; i < h->n; i++)
		pbw_raw_varint(t, h->counts[i]);
	pbw_end(t, counts);
	pbw_end(t, buckets);
	put_exemplars(t, 11, pt->exemplars, 1);
	pbw_double(t, 12, pt->min);
	pbw_double(t, 13, pt->max);
}

static void put_point(struct textbuf *t, const struct series *s, const struct point *pt,
		      const struct instrument *in, const struct metrics_request *rq)
{
	size_t point = pbw_begin(t, 1);

	if (in->type != METER_HISTOGRAM) {
		put_head(t, s, NUMBER_ATTRS, rq);
		pbw_fixed64(t, 6, pt->count); /* as_int */
	} else if (pt->exp) {
		put_exponential(t, s, pt, rq);
	} else {
		put_histogram(t, s, pt, in, rq);
	}
	pbw_end(t, point);
}

static bool is_exponential(const struct metric_view *v)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->series[i]->points[v->i])
			return v->series[i]->points[v->i]->exp != NULL;
	return false;
}

size_t otlp_metrics_pb(const struct metric_view *v, const struct metrics_request *rq,
		       struct textbuf *out)
{
	size_t before = out->len, metric = pbw_begin(out, 2), data, points = 0;
	bool sum = v->in->type != METER_HISTOGRAM;

	pbw_text(out, 1, v->in->name, strlen(v->in->name));
	pbw_text(out, 2, v->in->help, strlen(v->in->help));
	pbw_text(out, 3, v->in->unit, strlen(v->in->unit));
	data = pbw_begin(out, sum ? 7 : is_exponential(v) ? 10 : 9);
	for (size_t i = 0; i < v->n; i++)
		if (v->series[i]->points[v->i]) {
			put_point(out, v->series[i], v->series[i]->points[v->i], v->in, rq);
			points++;
		}
	/* enum AggregationTemporality; "delta" is not for UpDownCounters */
	pbw_varint(out, 2, rq->delta && v->in->type != METER_UPDOWN ? 1 : 2);
	if (v->in->type == METER_COUNTER)
		pbw_varint(out, 3, true); /* is_monotonic */
	pbw_end(out, data);
	pbw_end(out, metric);
	if (!points)
		out->len = before;
	return points;
}
