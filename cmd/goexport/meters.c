// SPDX-License-Identifier: Apache-2.0
#include "meters.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#define SLOTS	4096
#define MAX_KEY 4096 /* bytes; a longer label set counts as overflow */

struct table {
	struct series *slot[SLOTS];
	struct series *first, **last, *overflow;
	size_t n;
};

/* The labels of what is at hand. */
struct key {
	char bytes[MAX_KEY];
	size_t len;
};

struct meters {
	struct meters_config c;
	struct table tables[FAMILY_COUNT];
	struct key key;
};

struct meters *meters_new(const struct meters_config *c)
{
	struct meters *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	known_init();
	m->c = *c;
	for (int i = 0; i < FAMILY_COUNT; i++)
		m->tables[i].last = &m->tables[i].first;
	return m;
}

static void point_free(struct point *p)
{
	if (!p)
		return;
	free(p->buckets);
	free(p->exp);
	free(p->exemplars);
	free(p);
}

static void series_free(struct series *s)
{
	for (int i = 0; i < METER_MAX_INSTRUMENTS; i++)
		point_free(s->points[i]);
	resource_drop(s->resource);
	free(s->text.buf);
	free(s->key);
	free(s);
}

void meters_free(struct meters *m)
{
	struct series *next;

	if (!m)
		return;
	for (int i = 0; i < FAMILY_COUNT; i++)
		for (struct series *s = m->tables[i].first; s; s = next) {
			next = s->next;
			series_free(s);
		}
	free(m);
}

static void unchain(struct table *t, struct series *s)
{
	struct series **at = &t->slot[s->hash % SLOTS];

	while (*at != s)
		at = &(*at)->chain;
	*at = s->chain;
	t->n--;
}

static void expire(struct table *t, int64_t before)
{
	struct series **at = &t->first, *s;

	while ((s = *at)) {
		if (!s->resource || !s->resource->ended || s->resource->ended > before) {
			at = &s->next;
			continue;
		}
		*at = s->next;
		unchain(t, s);
		series_free(s);
	}
	t->last = at;
}

void meters_expire(struct meters *m, int64_t before)
{
	for (int i = 0; i < FAMILY_COUNT; i++)
		expire(&m->tables[i], before);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static bool key_put(struct key *k, const void *p, size_t len)
{
	if (len > sizeof(k->bytes) - k->len)
		return false;
	memcpy(k->bytes + k->len, p, len);
	k->len += len;
	return true;
}

/* A label: its id, type, and value. False when there is no room. */
static bool key_label(struct key *k, int label, const struct attr_value *v)
{
	unsigned char head[2] = { (unsigned char)label, (unsigned char)v->type };

	if (v->type == ATTR_ARRAY)
		return true; /* no value for a label */
	if (!key_put(k, head, sizeof(head)))
		return false;
	if (v->type == ATTR_STRING)
		return key_put(k, &v->str.len, sizeof(v->str.len)) &&
		       key_put(k, v->str.p, v->str.len);
	if (v->type == ATTR_BOOL)
		return key_put(k, &v->b, sizeof(v->b));
	return key_put(k, &v->i, sizeof(v->i)); /* or d, of the same size */
}

/* The labels back out of a series' key, which its text points into. */
static void read_key(struct series *s)
{
	const char *p = s->key, *end = p + s->key_len;

	while (p < end) {
		struct attr *at = &s->attrs[s->n_attrs++];

		at->key = text_of(known_name((enum known)(unsigned char)p[0]));
		at->value.type = (enum attr_type)p[1];
		p += 2;
		if (at->value.type == ATTR_STRING) {
			memcpy(&at->value.str.len, p, sizeof(at->value.str.len));
			p += sizeof(at->value.str.len);
			at->value.str.p = p;
			p += at->value.str.len;
		} else if (at->value.type == ATTR_BOOL) {
			memcpy(&at->value.b, p, sizeof(at->value.b));
			p += sizeof(at->value.b);
		} else {
			memcpy(&at->value.i, p, sizeof(at->value.i));
			p += sizeof(at->value.i);
		}
	}
}

/* Eight bytes at a time; the mixing of wyhash's kind. */
static uint64_t hash_of(const char *p, size_t len, uint64_t h)
{
	uint64_t word;

	for (; len >= 8; p += 8, len -= 8) {
		memcpy(&word, p, 8);
		h = (h ^ word) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	word = len;
	memcpy(&word, p, len);
	h = (h ^ word ^ (uint64_t)len << 56) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 32;
}

static struct series *series_add(struct table *t, struct series *s)
{
	s->start = now_ns();
	*t->last = s;
	t->last = &s->next;
	return s;
}

/* Made when it is needed first; NULL when out of memory. */
static struct series *overflow_of(struct table *t)
{
	struct series *s = t->overflow;

	if (s)
		return s;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->attrs[0].key = text_of(METERS_OVERFLOW);
	s->attrs[0].value = (struct attr_value){ .type = ATTR_BOOL, .b = true };
	s->n_attrs = 1;
	t->overflow = s;
	return series_add(t, s);
}

static struct series *series_new(struct resource *r, const struct key *k, uint64_t hash)
{
	struct series *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->key = malloc(k->len ? k->len : 1);
	if (!s->key) {
		free(s);
		return NULL;
	}
	memcpy(s->key, k->bytes, k->len);
	s->key_len = k->len;
	s->hash = hash;
	s->resource = r ? resource_hold(r) : NULL;
	read_key(s);
	return s;
}

static bool same_target(const struct resource *a, const struct resource *b)
{
	return a == b || (a && b && resource_same_target(a, b));
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

static struct series *series_of(struct meters *m, struct table *t, struct resource *r)
{
	uint64_t hash = hash_of(m->key.bytes, m->key.len, r ? r->target_hash : 0);
	struct series **at = &t->slot[hash % SLOTS], *s;

	for (s = *at; s; s = s->chain)
		if (s->hash == hash && s->key_len == m->key.len &&
		    !memcmp(s->key, m->key.bytes, s->key_len) && same_target(s->resource, r))
			return series_renew(s, r);
	if (t->n >= m->c.max_series)
		return overflow_of(t);
	s = series_new(r, &m->key, hash);
	if (!s)
		return overflow_of(t);
	s->chain = *at;
	*at = s;
	t->n++;
	return series_add(t, s);
}

static struct point *point_of(const struct meters *m, struct series *s, const struct instrument *in,
			      int i)
{
	struct point *p = s->points[i];

	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	if (in->type == METER_HISTOGRAM && m->c.exponential) {
		p->exp = malloc(sizeof(*p->exp));
		if (p->exp)
			exphist_init(p->exp, m->c.max_scale);
	} else if (in->type == METER_HISTOGRAM) {
		p->buckets = calloc(in->n_bounds + 1, sizeof(*p->buckets));
	}
	if (in->type == METER_HISTOGRAM && !p->exp && !p->buckets) {
		free(p);
		return NULL;
	}
	s->points[i] = p;
	return p;
}

static void keep_exemplar(const struct meters *m, const struct instrument *in, struct point *p,
			  unsigned bucket, double value, const struct spanrec *sp)
{
	struct exemplar *x;

	if (!sp || m->c.exemplars == EXEMPLARS_NONE ||
	    (m->c.exemplars == EXEMPLARS_SAMPLED && (sp->unsampled || !(sp->flags & 1))))
		return;
	if (!p->exemplars)
		p->exemplars = calloc(p->buckets ? in->n_bounds + 1 : 1, sizeof(*p->exemplars));
	if (!p->exemplars)
		return;
	x = &p->exemplars[bucket];
	memcpy(x->trace_id, sp->trace_id, sizeof(x->trace_id));
	memcpy(x->span_id, sp->span_id, sizeof(x->span_id));
	x->value = value;
	x->time = sp->end;
}

static void record(const struct meters *m, struct series *s, const struct meter_family *f, int i,
		   double value, const struct spanrec *sp)
{
	const struct instrument *in = &f->instruments[i];
	struct point *p = point_of(m, s, in, i);
	unsigned bucket = 0;

	if (!p)
		return;
	p->min = p->count && p->min < value ? p->min : value;
	p->max = p->count && p->max > value ? p->max : value;
	p->total += rint(value * in->steps);
	p->sum = p->total / in->steps;
	p->count++;
	if (in->type != METER_HISTOGRAM)
		return;
	if (p->exp) {
		exphist_record(p->exp, value);
	} else {
		while (bucket < in->n_bounds && value > in->bounds[bucket])
			bucket++;
		p->buckets[bucket]++;
	}
	keep_exemplar(m, in, p, bucket, value, sp);
}

static const struct meter_family *family_of(const struct spanrec *sp, const struct known_attrs *k)
{
	for (int i = 0; i < FAMILY_COUNT; i++)
		if (meter_families[i].kinds & 1u << sp->kind && k->at[meter_families[i].needs])
			return &meter_families[i];
	return NULL;
}

/* The labels of a span into m->key; false if they are too long. */
static bool read_labels(struct meters *m, const struct meter_family *f, struct known_attrs *k)
{
	m->key.len = 0;
	for (const int *l = f->labels; *l != KNOWN_NONE; l++)
		if (k->at[*l] && !key_label(&m->key, *l, &k->at[*l]->value))
			return false;
	return true;
}

/* Whether the span has a value for the instrument. */
static bool value_of(const struct instrument *in, const struct spanrec *sp,
		     const struct known_attrs *k, double *value)
{
	const struct attr *at;

	if (in->kinds && !(in->kinds & 1u << sp->kind))
		return false;
	if (in->value == VALUE_SECONDS) {
		*value = (double)(sp->end - sp->start) / 1e9;
		return true;
	}
	if (in->value < 0)
		return false;
	at = k->at[in->value];
	*value = at && at->value.type == ATTR_INT ? (double)at->value.i : 1;
	if (in->type == METER_COUNTER)
		return *value >= 0;
	return at && at->value.type == ATTR_INT && at->value.i >= 0;
}

/* Counters count what the value says; `count` is what they show. */
static void count(const struct meters *m, struct series *s, const struct meter_family *f, int i,
		  double value)
{
	struct point *p = point_of(m, s, &f->instruments[i], i);

	if (p)
		p->count += (uint64_t)value;
}

void meters_span(struct meters *m, const struct spanrec *sp)
{
	/* The table is the one that may hold a resource that spans only look at. */
	struct resource *r = (struct resource *)(uintptr_t)sp->resource;
	const struct meter_family *f;
	struct known_attrs k;
	struct attr route = { .value = { .type = ATTR_STRING } };
	char buf[ROUTE_MAX];
	struct table *t;
	struct series *s;
	double value;

	if (sp->incomplete)
		return;
	known_find(&k, sp->attrs, sp->n_attrs);
	f = family_of(sp, &k);
	if (!f)
		return;
	if (f == &meter_families[FAMILY_HTTP_SERVER] && m->c.routes && !k.at[KNOWN_HTTP_ROUTE]) {
		route.value.str = routes_find(m->c.routes, known_text(&k, KNOWN_URL_PATH), buf);
		if (route.value.str.len)
			k.at[KNOWN_HTTP_ROUTE] = &route;
	}
	t = &m->tables[f - meter_families];
	s = read_labels(m, f, &k) ? series_of(m, t, r) : overflow_of(t);
	for (int i = 0; s && i < METER_MAX_INSTRUMENTS && f->instruments[i].name; i++)
		if (value_of(&f->instruments[i], sp, &k, &value)) {
			if (f->instruments[i].type == METER_COUNTER)
				count(m, s, f, i, value);
			else
				record(m, s, f, i, value, sp);
		}
}

void meters_active(struct meters *m, const struct activerec *ar, struct resource *r)
{
	int id = ar->server ? FAMILY_ACTIVE_SERVER : FAMILY_ACTIVE_CLIENT;
	const struct meter_family *f = &meter_families[id];
	struct table *t = &m->tables[id];
	struct known_attrs k;
	struct series *s;
	struct point *p;

	if (!ar->server && !ar->client)
		return;
	known_find(&k, ar->attrs, ar->n_attrs);
	s = read_labels(m, f, &k) ? series_of(m, t, r) : NULL;
	p = s && s != t->overflow ? point_of(m, s, &f->instruments[0], 0) : NULL;
	if (p)
		p->count = ar->count;
}

void meters_edge(struct meters *m, const struct edge *e)
{
	const struct meter_family *f = &meter_families[FAMILY_GRAPH];
	struct attr_value client = { .type = ATTR_STRING, .str = e->client };
	struct attr_value server = { .type = ATTR_STRING, .str = e->server };
	struct attr_value type = { .type = ATTR_STRING, .str = text_of(e->type) };
	struct table *t = &m->tables[FAMILY_GRAPH];
	struct series *s;

	m->key.len = 0;
	s = key_label(&m->key, KNOWN_GRAPH_CLIENT, &client) &&
			    key_label(&m->key, KNOWN_GRAPH_SERVER, &server) &&
			    key_label(&m->key, KNOWN_GRAPH_TYPE, &type)
		    ? series_of(m, t, NULL)
		    : overflow_of(t);
	if (!s)
		return;
	count(m, s, f, GRAPH_TOTAL, 1);
	count(m, s, f, GRAPH_FAILED, e->failed);
	if (e->server_seconds >= 0)
		record(m, s, f, GRAPH_SERVER_SECONDS, e->server_seconds, e->sp);
	if (e->client_seconds >= 0)
		record(m, s, f, GRAPH_CLIENT_SECONDS, e->client_seconds, e->sp);
}

void meters_restart(struct meters *m)
{
	uint64_t now = now_ns();

	for (int i = 0; i < FAMILY_COUNT; i++) {
		if (meter_families[i].instruments[0].type == METER_UPDOWN)
			continue;
		for (struct series *s = m->tables[i].first; s; s = s->next) {
			for (int j = 0; j < METER_MAX_INSTRUMENTS; j++) {
				point_free(s->points[j]);
				s->points[j] = NULL;
			}
			s->start = now;
		}
	}
}

struct series *meters_first(const struct meters *m, enum meter_family_id id)
{
	return m->tables[id].first;
}

size_t meters_count(const struct meters *m)
{
	size_t n = 0;

	for (int i = 0; i < FAMILY_COUNT; i++)
		n += m->tables[i].n + (m->tables[i].overflow != NULL);
	return n;
}
