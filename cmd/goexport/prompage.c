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
	p->n_edges = 0;
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

static void put_double(struct textbuf *t, double d)
{
	char buf[NUMBER_MAX];

	if (isfinite(d))
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

/* The label of each bound, which all series of the family share. */
static void make_edges(struct prompage *p, const struct instrument *in, bool buckets)
{
	bool om = p->format == PROM_OPENMETRICS;
	char number[NUMBER_MAX];

	for (unsigned i = 0; i < in->n_bounds && buckets; i++) {
		struct promedge *e = &p->edges[p->n_edges++];

		number_double(number, in->bounds[i]);
		/* OpenMetrics' canonical form of a float has always a point. */
		e->len = (unsigned)snprintf(e->text, sizeof(e->text), ",le=\"%.20s%s\"} ", number,
					    om && !strchr(number, '.') ? ".0" : "");
	}
	p->edges[p->n_edges++] = (struct promedge){ sizeof(",le=\"+Inf\"} ") - 1,
						    ",le=\"+Inf\"} " };
}

/* Where the next byte goes; there is room, see histogram_room(). */
static char *add(char *to, const char *s, size_t len)
{
	memcpy(to, s, len);
	return to + len;
}

#define ADD(to, literal) add(to, literal, sizeof(literal) - 1)

static char *add_hex(char *to, const uint8_t *id, size_t n)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		*to++ = digits[id[i] >> 4];
		*to++ = digits[id[i] & 15];
	}
	return to;
}

static char *add_exemplar(char *to, const struct exemplar *x)
{
	unsigned ms = (unsigned)(x->time / 1000000u % 1000u);

	to = add_hex(ADD(to, " # {trace_id=\""), x->trace_id, sizeof(x->trace_id));
	to = add_hex(ADD(to, "\",span_id=\""), x->span_id, sizeof(x->span_id));
	to = ADD(to, "\"} ");
	to += number_double(to, x->value);
	*to++ = ' ';
	to += number_u64(to, x->time / 1000000000u);
	*to++ = '.';
	*to++ = (char)('0' + ms / 100);
	*to++ = (char)('0' + ms / 10 % 10);
	*to++ = (char)('0' + ms % 10);
	return to;
}

#define EXEMPLAR_ROOM (96 + 2 * NUMBER_MAX)

/* Bytes that all lines of one histogram take at most. */
static size_t histogram_room(const struct prompage *p, const struct series *s)
{
	size_t line = strlen(p->name) + s->text.len + sizeof(p->edges->text) + 16 + NUMBER_MAX;

	return (p->n_edges + 2) * (line + EXEMPLAR_ROOM);
}

/* The name with a suffix, and the labels up to where more may follow. */
static char *add_start(char *to, const struct prompage *p, const struct series *s, const char *end)
{
	to = add(to, p->name, strlen(p->name));
	to = add(to, end, strlen(end));
	return add(to, s->text.buf, s->text.len);
}

static char *add_bucket(char *to, const struct prompage *p, const struct series *s, unsigned i,
			uint64_t n, const struct exemplar *x)
{
	unsigned comma = s->text.len == 0; /* nothing to be parted from */

	to = add_start(to, p, s, "_bucket{");
	to = add(to, p->edges[i].text + comma, p->edges[i].len - comma);
	to += number_u64(to, n);
	if (x && x->time && p->format == PROM_OPENMETRICS)
		to = add_exemplar(to, x);
	*to++ = '\n';
	return to;
}

static char *add_totals(char *to, const struct prompage *p, const struct series *s,
			const struct point *pt)
{
	to = ADD(add_start(to, p, s, "_sum{"), "} ");
	to += number_double(to, pt->sum);
	to = ADD(add_start(ADD(to, "\n"), p, s, "_count{"), "} ");
	to += number_u64(to, pt->count);
	return ADD(to, "\n");
}

void prompage_histogram(struct prompage *p, struct series *s, const struct point *pt,
			const struct instrument *in)
{
	uint64_t n = 0;
	char *to;

	if (p->format == PROM_PROTOBUF) {
		promproto_histogram(p, s, pt, in);
		return;
	}
	if (!s->text.len)
		put_labels(&s->text, s->resource, s->attrs, s->n_attrs);
	if (!p->n_edges)
		make_edges(p, in, pt->buckets != NULL);
	p->out.failed |= s->text.failed;
	if (!textbuf_reserve(&p->out, histogram_room(p, s)))
		return;
	to = p->out.buf + p->out.len;
	for (unsigned i = 0; i < p->n_edges; i++) {
		n = pt->buckets ? n + pt->buckets[i] : pt->count;
		to = add_bucket(to, p, s, i, n, pt->exemplars ? &pt->exemplars[i] : NULL);
	}
	to = add_totals(to, p, s, pt);
	p->out.len = (size_t)(to - p->out.buf);
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
