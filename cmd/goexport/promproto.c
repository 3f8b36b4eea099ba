// SPDX-License-Identifier: Apache-2.0
/*
 * Prometheus' protobuf format: MetricFamily messages (prometheus/client_model,
 * metrics.proto), each behind its length.
 */
#include <stdio.h>

#include "pbw.h"
#include "prompage_internal.h"
#include "promtext.h"

/* enum MetricType */
static const unsigned types[] = {
	[PROM_COUNTER] = 0,
	[PROM_GAUGE] = 1,
	[PROM_HISTOGRAM] = 4,
	[PROM_INFO] = 1,
};

void promproto_begin(struct prompage *p, const char *help)
{
	struct textbuf *t = &p->out;
	const char *end = p->type == PROM_COUNTER ? "_total" : p->type == PROM_INFO ? "_info" : "";
	size_t len = strlen(p->name);

	p->begin = t->len;
	pbw_head(t, 1, len + strlen(end));
	textbuf_put(t, p->name, len);
	textbuf_puts(t, end);
	pbw_text(t, 2, help, strlen(help));
	pbw_varint(t, 3, types[p->type]);
}

/* The length, which was not known before, goes in front. */
void promproto_end(struct prompage *p)
{
	size_t len = p->out.len - p->begin, n = pbw_varint_size(len);

	if (!textbuf_reserve(&p->out, n))
		return;
	memmove(p->out.buf + p->begin + n, p->out.buf + p->begin, len);
	pbw_put_varint(p->out.buf + p->begin, len);
	p->out.len += n;
}

static void put_label(struct textbuf *t, unsigned field, const char *name, struct text value)
{
	size_t label = pbw_begin(t, field);

	pbw_bytes(t, 1, name, strlen(name));
	pbw_bytes(t, 2, value.p, value.len);
	pbw_end(t, label);
}

static void put_attr(struct textbuf *t, const struct attr *at)
{
	char buf[PROMTEXT_SCALAR];
	size_t label = pbw_begin(t, 1), name = pbw_begin(t, 1);
	struct text value = promtext_scalar(&at->value, buf);

	promtext_name(t, at->key);
	pbw_end(t, name);
	pbw_bytes(t, 2, value.p, value.len);
	pbw_end(t, label);
}

static void put_labels(struct textbuf *t, const struct resource *r, const struct attr *attrs,
		       size_t n)
{
	if (r) {
		put_label(t, 1, "job", r->job);
		put_label(t, 1, "instance", r->instance);
	}
	for (size_t i = 0; i < n; i++)
		put_attr(t, &attrs[i]);
}

void promproto_sample(struct prompage *p, const struct resource *r, const struct attr *attrs,
		      size_t n, double value)
{
	struct textbuf *t = &p->out;
	size_t metric = pbw_begin(t, 4), inner;

	put_labels(t, r, attrs, n);
	inner = pbw_begin(t, p->type == PROM_COUNTER ? 3 : 2);
	pbw_double(t, 1, value);
	pbw_end(t, inner);
	pbw_end(t, metric);
}

static void put_exemplar(struct textbuf *t, const struct exemplar *x)
{
	size_t exemplar, time;
	char hex[33];

	if (!x || !x->time)
		return;
	exemplar = pbw_begin(t, 3);
	for (int i = 0; i < 16; i++)
		snprintf(hex + 2 * i, 3, "%02x", x->trace_id[i]);
	put_label(t, 1, "trace_id", (struct text){ hex, 32 });
	for (int i = 0; i < 8; i++)
		snprintf(hex + 2 * i, 3, "%02x", x->span_id[i]);
	put_label(t, 1, "span_id", (struct text){ hex, 16 });
	pbw_double(t, 2, x->value);
	time = pbw_begin(t, 3);
	pbw_uint(t, 1, x->time / 1000000000u);
	pbw_uint(t, 2, x->time % 1000000000u);
	pbw_end(t, time);
	pbw_end(t, exemplar);
}

static void put_buckets(struct textbuf *t, const struct point *pt, const struct instrument *in)
{
	uint64_t n = 0;

	for (unsigned i = 0; i <= in->n_bounds; i++) {
		size_t bucket = pbw_begin(t, 3);

		n += pt->buckets[i];
		pbw_varint(t, 1, n);
		pbw_double(t, 2, i < in->n_bounds ? in->bounds[i] : __builtin_inf());
		put_exemplar(t, pt->exemplars ? &pt->exemplars[i] : NULL);
		pbw_end(t, bucket);
	}
}

/* One span of buckets, and for each the difference to the one before. */
static void put_native(struct textbuf *t, const struct point *pt)
{
	const struct exphist *h = pt->exp;
	int64_t before = 0;
	size_t span;

	if (pt->exemplars) {
		size_t bucket = pbw_begin(t, 3);

		pbw_varint(t, 1, pt->count);
		pbw_double(t, 2, __builtin_inf());
		put_exemplar(t, pt->exemplars);
		pbw_end(t, bucket);
	}
	pbw_varint(t, 5, pbw_zigzag(h->scale));
	pbw_double(t, 6, 0);
	pbw_varint(t, 7, h->zero);
	if (!h->n) { /* an empty span tells it from a histogram without buckets */
		span = pbw_begin(t, 12);
		pbw_end(t, span);
		return;
	}
	span = pbw_begin(t, 12);
	/* Prometheus counts buckets by their upper end, OpenTelemetry by the lower. */
	pbw_varint(t, 1, pbw_zigzag((int64_t)h->offset + 1));
	pbw_varint(t, 2, h->n);
	pbw_end(t, span);
	for (uint32_t i = 0; i < h->n; i++) {
		pbw_varint(t, 13, pbw_zigzag((int64_t)h->counts[i] - before));
		before = (int64_t)h->counts[i];
	}
}

void promproto_histogram(struct prompage *p, const struct series *s, const struct point *pt,
			 const struct instrument *in)
{
	struct textbuf *t = &p->out;
	size_t metric = pbw_begin(t, 4), histogram;

	put_labels(t, s->resource, s->attrs, s->n_attrs);
	histogram = pbw_begin(t, 7);
	pbw_varint(t, 1, pt->count);
	pbw_double(t, 2, pt->sum);
	if (pt->exp)
		put_native(t, pt);
	else
		put_buckets(t, pt, in);
	pbw_end(t, histogram);
	pbw_end(t, metric);
}
