// SPDX-License-Identifier: Apache-2.0
#include "traffic.h"

#include <errno.h>
#include <stdlib.h>

#include "resource.h"

/* A time that differs more is taken for wrong, unless several in a row do so. */
#define STRANGE_SECONDS 3600
#define STRANGE_MAX	8
#define LOWEST_BIT	7

struct traffic *traffic_new(void)
{
	return calloc(1, sizeof(struct traffic));
}

void traffic_free(struct traffic *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++)
		free(r->route[i]);
	free(r);
}

static unsigned bucket_of(uint64_t ns)
{
	unsigned bit = 63 - (unsigned)__builtin_clzll(ns | 1);

	if (bit < LOWEST_BIT)
		return 0;
	return (bit - LOWEST_BIT) * TRAFFIC_STEPS +
	       (unsigned)(ns >> (bit - 3) & (TRAFFIC_STEPS - 1));
}

uint64_t histogram_bound(unsigned i)
{
	if (i >= TRAFFIC_BUCKETS - 1)
		return UINT64_MAX;
	return (uint64_t)(TRAFFIC_STEPS + i % TRAFFIC_STEPS + 1)
	       << (i / TRAFFIC_STEPS + LOWEST_BIT - 3);
}

uint64_t histogram_quantile(const struct histogram *h, double q)
{
	double rank = q * (double)h->count;
	uint64_t seen = 0;

	for (unsigned i = 0; i < TRAFFIC_BUCKETS && h->count; i++) {
		uint64_t low = i ? histogram_bound(i - 1) : 0, high = histogram_bound(i), ns;

		if (!h->bucket[i] || (double)(seen + h->bucket[i]) < rank) {
			seen += h->bucket[i];
			continue;
		}
		ns = low + (uint64_t)((double)(high - low) * (rank - (double)seen) / h->bucket[i]);
		return ns >= low && ns < h->max ? ns : h->max; /* it may wrap */
	}
	return h->max;
}

struct histogram route_recent(const struct route *r)
{
	struct histogram h = r->recent[0];

	h.count += r->recent[1].count;
	h.sum += r->recent[1].sum;
	if (r->recent[1].max > h.max)
		h.max = r->recent[1].max;
	for (unsigned i = 0; i < TRAFFIC_BUCKETS; i++)
		h.bucket[i] += r->recent[1].bucket[i];
	return h;
}

static void histogram_add(struct histogram *h, uint64_t ns)
{
	h->count++;
	h->sum += ns;
	if (ns > h->max)
		h->max = ns;
	h->bucket[bucket_of(ns)]++;
}

static struct text name_of(const struct spanrec *sp)
{
	return sp->name.len ? sp->name : text_of("(no name)");
}

static uint32_t hash_of(struct text service, struct text name, enum span_kind kind)
{
	uint32_t h = 2166136261u + kind;

	for (size_t i = 0; i < service.len; i++)
		h = (h ^ (unsigned char)service.p[i]) * 16777619u;
	for (size_t i = 0; i < name.len; i++)
		h = (h ^ (unsigned char)name.p[i]) * 16777619u;
	return h % 1024;
}

static struct route *route_new(struct traffic *r, struct text service, struct text name,
			       enum span_kind kind)
{
	struct route *rt = calloc(1, sizeof(*rt) + service.len + name.len);
	char *text;
	uint32_t h = hash_of(service, name, kind);

	if (!rt)
		return NULL;
	text = (char *)(rt + 1);
	if (service.len)
		memcpy(text, service.p, service.len);
	if (name.len)
		memcpy(text + service.len, name.p, name.len);
	rt->service = (struct text){ text, service.len };
	rt->name = (struct text){ text + service.len, name.len };
	rt->kind = kind;
	rt->chain = r->bucket[h];
	r->bucket[h] = rt;
	r->route[r->n++] = rt;
	return rt;
}

static struct route *find(struct traffic *r, struct text service, struct text name,
			  enum span_kind kind)
{
	struct route *rt = r->bucket[hash_of(service, name, kind)];

	while (rt && !(rt->kind == kind && text_equal(rt->name, name) &&
		       text_equal(rt->service, service)))
		rt = rt->chain;
	return rt;
}

static struct route *route_of(struct traffic *r, const struct spanrec *sp)
{
	struct text service = sp->resource->service, name = name_of(sp);
	struct route *rt = find(r, service, name, sp->kind);

	if (rt)
		return rt;
	if (r->n < TRAFFIC_MAX)
		return route_new(r, service, name, sp->kind);
	name = text_of("(other)");
	rt = find(r, name, name, SPAN_INTERNAL);
	return rt ? rt : route_new(r, name, name, SPAN_INTERNAL);
}

static void forget_seconds(struct route *rt, uint64_t from, uint64_t to)
{
	if (to - from >= TRAFFIC_SECONDS)
		from = to - TRAFFIC_SECONDS;
	for (uint64_t s = from + 1; s <= to; s++)
		rt->second[s % TRAFFIC_SECONDS] = rt->second_errors[s % TRAFFIC_SECONDS] = 0;
}

static void next_minute(struct route *rt, bool next)
{
	if (next) {
		rt->recent[1] = rt->recent[0];
		rt->slowest[1] = rt->slowest[0];
	} else {
		memset(&rt->recent[1], 0, sizeof(rt->recent[1]));
		memset(&rt->slowest[1], 0, sizeof(rt->slowest[1]));
	}
	rt->recent_errors[1] = next ? rt->recent_errors[0] : 0;
	rt->recent_errors[0] = 0;
	memset(&rt->recent[0], 0, sizeof(rt->recent[0]));
	memset(&rt->slowest[0], 0, sizeof(rt->slowest[0]));
}

static void go_to(struct traffic *r, uint64_t second)
{
	for (size_t i = 0; i < r->n; i++) {
		forget_seconds(r->route[i], r->now, second);
		if (second / 60 != r->now / 60)
			next_minute(r->route[i], second / 60 == r->now / 60 + 1);
	}
	r->now = second;
}

static void restart_at(struct traffic *r, uint64_t second)
{
	for (size_t i = 0; i < r->n; i++) {
		memset(r->route[i]->second, 0, sizeof(r->route[i]->second));
		memset(r->route[i]->second_errors, 0, sizeof(r->route[i]->second_errors));
	}
	r->now = r->first = second;
	r->strange = 0;
}

/* Moves on to the time of a span; false if it is too old to be counted by seconds. */
static bool move_on(struct traffic *r, uint64_t second)
{
	uint64_t apart = second > r->now ? second - r->now : r->now - second;

	if (!r->now) {
		r->now = r->first = second;
	} else if (apart > STRANGE_SECONDS) {
		if (++r->strange < STRANGE_MAX)
			return false;
		restart_at(r, second);
	} else {
		r->strange = 0;
		if (second > r->now)
			go_to(r, second);
	}
	return r->now - second < TRAFFIC_SECONDS;
}

static void note_exemplar(struct exemplar *e, const struct spanrec *sp)
{
	memcpy(e->trace_id, sp->trace_id, sizeof(e->trace_id));
	e->duration = sp->end - sp->start;
	e->set = true;
}

static bool counts(const struct spanrec *sp)
{
	return sp->kind == SPAN_SERVER || sp->kind == SPAN_CONSUMER || !sp->has_parent ||
	       sp->remote_parent;
}

int traffic_span(struct traffic *r, const struct spanrec *sp, int64_t now)
{
	uint64_t ns = sp->end - sp->start, second = sp->end / 1000000000;
	bool failed = sp->status == STATUS_ERROR;
	struct route *rt;

	if (!counts(sp))
		return 0;
	rt = route_of(r, sp);
	if (!rt)
		return -ENOMEM;
	r->spans++;
	if (move_on(r, second)) {
		rt->second[second % TRAFFIC_SECONDS]++;
		rt->second_errors[second % TRAFFIC_SECONDS] += failed;
	}
	r->came_at = now;
	histogram_add(&rt->all, ns);
	histogram_add(&rt->recent[0], ns);
	rt->errors += failed;
	rt->recent_errors[0] += failed;
	if (sp->unsampled)
		return 0; /* there is no trace to point to */
	if (!rt->slowest[0].set || ns > rt->slowest[0].duration)
		note_exemplar(&rt->slowest[0], sp);
	if (failed)
		note_exemplar(&rt->failed, sp);
	return 0;
}

void traffic_idle(struct traffic *r, int64_t now)
{
	if (!r->now || now - r->came_at < 1000)
		return;
	go_to(r, r->now + (uint64_t)(now - r->came_at) / 1000);
	r->came_at += (now - r->came_at) / 1000 * 1000;
}

void traffic_clear(struct traffic *r)
{
	for (size_t i = 0; i < r->n; i++) {
		struct route *rt = r->route[i], fresh = { .service = rt->service,
							  .name = rt->name,
							  .kind = rt->kind,
							  .chain = rt->chain };

		*rt = fresh;
	}
	r->first = r->now;
	r->spans = 0;
}

static bool points_to(const struct exemplar *e, const uint8_t id[16])
{
	return e->set && !memcmp(e->trace_id, id, sizeof(e->trace_id));
}

bool traffic_want(const struct traffic *r, const uint8_t trace_id[16])
{
	for (size_t i = 0; i < r->n; i++) {
		const struct route *rt = r->route[i];

		if (points_to(&rt->slowest[0], trace_id) || points_to(&rt->slowest[1], trace_id) ||
		    points_to(&rt->failed, trace_id))
			return true;
	}
	return false;
}

uint32_t traffic_at(const struct traffic *r, const uint32_t second[TRAFFIC_SECONDS], unsigned ago)
{
	return r->now >= ago ? second[(r->now - ago) % TRAFFIC_SECONDS] : 0;
}

double traffic_rate(const struct traffic *r, const uint32_t second[TRAFFIC_SECONDS])
{
	uint64_t seconds = r->now - r->first, n = 0;

	if (seconds > TRAFFIC_SECONDS - 1)
		seconds = TRAFFIC_SECONDS - 1;
	if (!seconds) /* all of it within one second */
		return r->now ? traffic_at(r, second, 0) : 0;
	for (unsigned ago = 1; ago <= seconds; ago++)
		n += traffic_at(r, second, ago);
	return (double)n / (double)seconds;
}
