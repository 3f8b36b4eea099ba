// SPDX-License-Identifier: Apache-2.0
#include "prompage.h"

#include <math.h>
#include <stdio.h>
#include <strings.h>

#include "number.h"
#include "prompage_internal.h"
#include "promtext.h"

static const char *const type_names[] = { "counter", "gauge", "histogram", "info" };

void prompage_init(struct prompage *p, enum prom_format format)
{
	memset(p, 0, sizeof(*p));
	p->format = format;
}

void prompage_finish(struct prompage *p)
{
	if (p->format == PROM_OPENMETRICS)
		textbuf_puts(&p->out, "# EOF\n");
}

/* What a sample's name has behind that of the family. */
static const char *suffix(const struct prompage *p)
{
	return p->type == PROM_COUNTER ? "_total" : p->type == PROM_INFO ? "_info" : "";
}

void prompage_begin(struct prompage *p, const char *name, enum prom_type type, const char *unit,
		    const char *help)
{
	bool om = p->format == PROM_OPENMETRICS;

	snprintf(p->name, sizeof(p->name), "%s", name);
	p->type = type;
	if (p->format == PROM_PROTOBUF) {
		promproto_begin(p, help);
		return;
	}
	textbuf_printf(&p->out, "# HELP %s%s %s\n", name, om ? "" : suffix(p), help);
	textbuf_printf(&p->out, "# TYPE %s%s %s\n", name, om ? "" : suffix(p),
		       !om && type == PROM_INFO ? "gauge" : type_names[type]);
	if (om && *unit)
		textbuf_printf(&p->out, "# UNIT %s %s\n", name, unit);
}

void prompage_end(struct prompage *p)
{
	if (p->format == PROM_PROTOBUF)
		promproto_end(p);
}

static void put_labels(struct textbuf *t, const struct resource *r, const struct attr *attrs,
		       size_t n)
{
	bool comma = false;

	if (r) {
		promtext_label(t, false, "job", r->job);
		promtext_label(t, true, "instance", r->instance);
		comma = true;
	}
	for (size_t i = 0; i < n; i++, comma = true)
		promtext_attr(t, comma, &attrs[i]);
}

static void put_u64(struct textbuf *t, uint64_t n)
{
	char buf[24], *at = buf + sizeof(buf);

	do
		*--at = (char)('0' + n % 10);
	while (n /= 10);
	textbuf_put(t, at, (size_t)(buf + sizeof(buf) - at));
}

/* A whole number as such: counters are mostly that. */
static void put_double(struct textbuf *t, double d)
{
	char buf[NUMBER_MAX];

	if (d >= 0 && d < 1e15 && d == floor(d))
		put_u64(t, (uint64_t)d);
	else if (isfinite(d))
		textbuf_put(t, buf, number_double(buf, d));
	else
		textbuf_puts(t, isnan(d) ? "NaN" : d < 0 ? "-Inf" : "+Inf");
}

void prompage_sample(struct prompage *p, const struct resource *r, const struct attr *attrs,
		     size_t n, double value)
{
	struct textbuf *t = &p->out;

	if (p->format == PROM_PROTOBUF) {
		promproto_sample(p, r, attrs, n, value);
		return;
	}
	textbuf_puts(t, p->name);
	textbuf_puts(t, suffix(p));
	if (r || n) {
		textbuf_put(t, "{", 1);
		put_labels(t, r, attrs, n);
		textbuf_put(t, "}", 1);
	}
	textbuf_put(t, " ", 1);
	put_double(t, value);
	textbuf_put(t, "\n", 1);
}

/* The name with a suffix, and the labels up to where more may follow. */
static void put_start(struct prompage *p, const struct series *s, const char *end, size_t len)
{
	textbuf_put(&p->out, p->name, strlen(p->name));
	textbuf_put(&p->out, end, len);
	textbuf_put(&p->out, s->text.buf, s->text.len);
}

/* As a float in OpenMetrics' canonical form. */
static void put_bound(struct prompage *p, double bound)
{
	bool whole = bound == floor(bound);

	put_double(&p->out, bound);
	if (whole && p->format == PROM_OPENMETRICS)
		textbuf_put(&p->out, ".0", 2);
}

static void put_exemplar(struct textbuf *t, const struct exemplar *x)
{
	static const char digits[] = "0123456789abcdef";
	char ids[2 * sizeof(x->trace_id)], span[2 * sizeof(x->span_id)];

	for (size_t i = 0; i < sizeof(x->trace_id); i++) {
		ids[2 * i] = digits[x->trace_id[i] >> 4];
		ids[2 * i + 1] = digits[x->trace_id[i] & 15];
	}
	for (size_t i = 0; i < sizeof(x->span_id); i++) {
		span[2 * i] = digits[x->span_id[i] >> 4];
		span[2 * i + 1] = digits[x->span_id[i] & 15];
	}
	textbuf_printf(t, " # {trace_id=\"%.32s\",span_id=\"%.16s\"} ", ids, span);
	put_double(t, x->value);
	textbuf_printf(t, " %llu.%03llu", (unsigned long long)(x->time / 1000000000u),
		       (unsigned long long)(x->time / 1000000u % 1000u));
}

static void put_bucket(struct prompage *p, const struct series *s, double bound, uint64_t n,
		       const struct exemplar *x)
{
	struct textbuf *t = &p->out;

	put_start(p, s, "_bucket{", 8);
	textbuf_put(t, s->text.len ? ",le=\"" : "le=\"", s->text.len ? 5 : 4);
	if (isinf(bound))
		textbuf_put(t, "+Inf", 4);
	else
		put_bound(p, bound);
	textbuf_put(t, "\"} ", 3);
	put_u64(t, n);
	if (x && x->time && p->format == PROM_OPENMETRICS)
		put_exemplar(t, x);
	textbuf_put(t, "\n", 1);
}

void prompage_histogram(struct prompage *p, struct series *s, const struct point *pt,
			const struct instrument *in)
{
	uint64_t n = 0;

	if (p->format == PROM_PROTOBUF) {
		promproto_histogram(p, s, pt, in);
		return;
	}
	if (!s->text.len)
		put_labels(&s->text, s->resource, s->attrs, s->n_attrs);
	for (unsigned i = 0; i < in->n_bounds && pt->buckets; i++) {
		n += pt->buckets[i];
		put_bucket(p, s, in->bounds[i], n, pt->exemplars ? &pt->exemplars[i] : NULL);
	}
	put_bucket(p, s, INFINITY, pt->count,
		   pt->exemplars ? &pt->exemplars[pt->buckets ? in->n_bounds : 0] : NULL);
	put_start(p, s, "_sum{", 5);
	textbuf_put(&p->out, "} ", 2);
	put_double(&p->out, pt->sum);
	textbuf_put(&p->out, "\n", 1);
	put_start(p, s, "_count{", 7);
	textbuf_put(&p->out, "} ", 2);
	put_u64(&p->out, pt->count);
	textbuf_put(&p->out, "\n", 1);
	p->out.failed |= s->text.failed;
}

const char *prompage_content_type(enum prom_format format)
{
	switch (format) {
	case PROM_OPENMETRICS:
		return "application/openmetrics-text; version=1.0.0; charset=utf-8";
	case PROM_PROTOBUF:
		return "application/vnd.google.protobuf; "
		       "proto=io.prometheus.client.MetricFamily; encoding=delimited";
	default:
		return "text/plain; version=0.0.4; charset=utf-8";
	}
}
