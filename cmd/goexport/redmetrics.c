// SPDX-License-Identifier: Apache-2.0
#include "redmetrics.h"

#include <inttypes.h>
#include <stdlib.h>

#include "promtext.h"
#include "resource.h"

#define N_BUCKETS  14
#define HASH_SIZE  2048
#define MAX_LABELS 4096 /* bytes; a longer list counts as overflow */

struct label {
	const char *attr, *name;
};

struct metric {
	const char *name, *help;
	enum span_kind kind;
	const char *needs;	/* the attribute that says that a span is of this kind */
	const char *const *le;	/* upper bounds as text, N_BUCKETS of them */
	const double *bound;	/* and as numbers */
	struct label labels[8]; /* ends with a NULL */
};

static const char *const http_le[N_BUCKETS] = { "0.005", "0.01", "0.025", "0.05", "0.075",
						"0.1",	 "0.25", "0.5",	  "0.75", "1",
						"2.5",	 "5",	 "7.5",	  "10" };
static const double http_bound[N_BUCKETS] = { 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25,
					      0.5,   0.75, 1,	  2.5,	5,     7.5, 10 };

static const struct metric metrics[] = {
	{
		.name = "http_server_request_duration_seconds",
		.help = "Duration of HTTP server requests.",
		.kind = SPAN_SERVER,
		.needs = "http.request.method",
		.le = http_le,
		.bound = http_bound,
		.labels = {
			{ "http.request.method", "http_request_method" },
			{ "http.response.status_code", "http_response_status_code" },
			{ "http.route", "http_route" },
			{ "url.scheme", "url_scheme" },
			{ "network.protocol.version", "network_protocol_version" },
			{ "error.type", "error_type" },
		},
	},
};

#define N_METRICS (sizeof(metrics) / sizeof(*metrics))

struct series {
	struct series *next;
	struct resource *resource; /* held; NULL for the overflow */
	uint32_t hash;
	size_t own;	     /* length of the labels without the resource's in front */
	struct textbuf text; /* all labels */
	uint64_t bucket[N_BUCKETS + 1];
	double sum;
};

struct table {
	struct series *slot[HASH_SIZE];
	struct series *overflow;
	unsigned n;
};

struct redmetrics {
	struct table table[N_METRICS];
	struct textbuf labels; /* of the span at hand */
};

struct redmetrics *redmetrics_new(void)
{
	return calloc(1, sizeof(struct redmetrics));
}

static void series_free(struct series *s)
{
	if (!s)
		return;
	resource_drop(s->resource);
	free(s->text.buf);
	free(s);
}

void redmetrics_free(struct redmetrics *m)
{
	if (!m)
		return;
	redmetrics_expire(m, INT64_MAX);
	for (size_t i = 0; i < N_METRICS; i++)
		series_free(m->table[i].overflow);
	free(m->labels.buf);
	free(m);
}

static bool has_ended(const struct resource *r, int64_t before)
{
	return before == INT64_MAX || (r->ended && r->ended <= before);
}

void redmetrics_expire(struct redmetrics *m, int64_t before)
{
	for (size_t i = 0; i < N_METRICS * HASH_SIZE; i++) {
		struct table *t = &m->table[i / HASH_SIZE];
		struct series **at = &t->slot[i % HASH_SIZE], *s;

		while ((s = *at)) {
			if (!has_ended(s->resource, before)) {
				at = &s->next;
				continue;
			}
			*at = s->next;
			t->n--;
			series_free(s);
		}
	}
}

static const struct metric *metric_of(const struct spanrec *sp)
{
	for (size_t i = 0; i < N_METRICS; i++)
		if (metrics[i].kind == sp->kind &&
		    attr_find(sp->attrs, sp->n_attrs, metrics[i].needs))
			return &metrics[i];
	return NULL;
}

/* The labels of the span into m->labels; false if they are too long. */
static bool read_labels(struct redmetrics *m, const struct metric *me, const struct spanrec *sp)
{
	m->labels.len = 0;
	for (const struct label *l = me->labels; l->attr; l++) {
		const struct attr *at = attr_find(sp->attrs, sp->n_attrs, l->attr);

		if (!at)
			continue;
		if (at->value.type == ATTR_STRING && at->value.str.len > MAX_LABELS)
			return false;
		promtext_value(&m->labels, m->labels.len > 0, l->name, &at->value);
	}
	return m->labels.len <= MAX_LABELS && !m->labels.failed;
}

/* FNV-1a */
static uint32_t hash_on(uint32_t h, const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)p[i]) * 16777619u;
	return h;
}

static uint32_t hash_of(const struct resource *r, const struct textbuf *labels)
{
	uint32_t h = hash_on(2166136261u, r->job.p, r->job.len);

	h = hash_on(h, r->instance.p, r->instance.len);
	return hash_on(h, labels->buf, labels->len);
}

static struct series *series_new(struct redmetrics *m, struct resource *r, uint32_t hash)
{
	struct series *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->resource = resource_hold(r);
	s->hash = hash;
	promtext_label(&s->text, false, "job", r->job);
	promtext_label(&s->text, true, "instance", r->instance);
	if (m->labels.len)
		textbuf_put(&s->text, ",", 1);
	s->own = m->labels.len;
	textbuf_put(&s->text, m->labels.buf, m->labels.len);
	if (s->text.failed) {
		series_free(s);
		return NULL;
	}
	return s;
}

static struct series *overflow_of(struct table *t)
{
	if (!t->overflow) {
		t->overflow = calloc(1, sizeof(*t->overflow));
		if (t->overflow)
			promtext_label(&t->overflow->text, false, "otel_metric_overflow",
				       text_of("true"));
	}
	return t->overflow;
}

/* The series lives as long as the newest process that it is of. */
static struct series *series_renew(struct series *s, struct resource *r)
{
	if (s->resource != r) {
		resource_drop(s->resource);
		s->resource = resource_hold(r);
	}
	return s;
}

static struct series *series_of(struct redmetrics *m, struct table *t, const struct spanrec *sp)
{
	/* The table is the one that may hold a resource that spans only look at. */
	struct resource *r = (struct resource *)(uintptr_t)sp->resource;
	uint32_t hash = hash_of(r, &m->labels);
	struct series **at = &t->slot[hash % HASH_SIZE], *s;

	for (s = *at; s; s = s->next)
		if (s->hash == hash && s->own == m->labels.len &&
		    (!s->own ||
		     !memcmp(s->text.buf + s->text.len - s->own, m->labels.buf, s->own)) &&
		    resource_same_target(s->resource, r))
			return series_renew(s, r);
	if (t->n >= REDMETRICS_MAX_SERIES)
		return overflow_of(t);
	s = series_new(m, r, hash);
	if (!s)
		return overflow_of(t);
	s->next = *at;
	*at = s;
	t->n++;
	return s;
}

void redmetrics_span(struct redmetrics *m, const struct spanrec *sp)
{
	const struct metric *me = sp->incomplete ? NULL : metric_of(sp);
	double seconds = (double)(sp->end - sp->start) / 1e9;
	struct series *s;
	struct table *t;
	int i = 0;

	if (!me)
		return;
	t = &m->table[me - metrics];
	s = read_labels(m, me, sp) ? series_of(m, t, sp) : overflow_of(t);
	if (!s)
		return;
	while (i < N_BUCKETS && seconds > me->bound[i])
		i++;
	s->bucket[i]++;
	s->sum += seconds;
}

static void render_series(const struct metric *me, const struct series *s, struct textbuf *p)
{
	uint64_t n = 0;

	for (int i = 0; i <= N_BUCKETS; i++) {
		n += s->bucket[i];
		textbuf_printf(p, "%s_bucket{", me->name);
		textbuf_put(p, s->text.buf, s->text.len);
		textbuf_printf(p, ",le=\"%s\"} %" PRIu64 "\n", i < N_BUCKETS ? me->le[i] : "+Inf",
			       n);
	}
	textbuf_printf(p, "%s_sum{", me->name);
	textbuf_put(p, s->text.buf, s->text.len);
	textbuf_printf(p, "} %.9g\n%s_count{", s->sum, me->name);
	textbuf_put(p, s->text.buf, s->text.len);
	textbuf_printf(p, "} %" PRIu64 "\n", n);
}

void redmetrics_render(const struct redmetrics *m, struct textbuf *p)
{
	for (size_t i = 0; i < N_METRICS; i++) {
		const struct table *t = &m->table[i];

		if (!t->n && !t->overflow)
			continue;
		promtext_head(p, metrics[i].name, "histogram", metrics[i].help);
		for (size_t j = 0; j < HASH_SIZE; j++)
			for (const struct series *s = t->slot[j]; s; s = s->next)
				render_series(&metrics[i], s, p);
		if (t->overflow)
			render_series(&metrics[i], t->overflow, p);
	}
}
