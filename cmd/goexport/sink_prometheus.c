// SPDX-License-Identifier: Apache-2.0
#include "sink_prometheus.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "graph.h"
#include "losses.h"
#include "metering.h"
#include "prommeters.h"
#include "promserve.h"
#include "promtext.h"
#include "resource.h"
#include "selfmetrics.h"
#include "stagecounts.h"
#include "webconfig.h"

/* How long the numbers of a process that has ended are still there to be scraped. */
#define KEEP_MS	    300000
#define SWEEP_MS    10000
#define MAX_TARGETS 2000
#define MAX_SEEN    4096

struct prom {
	struct sink base;
	pthread_mutex_t lock; /* for all below; the scrape comes in another thread */
	struct metering metering;
	struct resource *targets[MAX_TARGETS]; /* held */
	size_t n_targets;
	uint64_t seen[MAX_SEEN]; /* serials of resources that need no look: a cache */
	struct losses losses;
	struct stagecounts counts;
	uint64_t received;
	int64_t swept, now; /* of the last tick, and of this one */
	struct sink *const *sinks;
	const _Atomic size_t *n_sinks;
	struct stages stages; /* the server's thread alone uses it */
	struct webconfig web;
	struct promserve *server;
};

static void see_target(struct prom *p, const struct resource *r)
{
	uint64_t *seen = &p->seen[r->serial % MAX_SEEN];
	size_t i = 0;

	if (*seen == r->serial)
		return;
	*seen = r->serial;
	while (i < p->n_targets && !resource_same_target(p->targets[i], r))
		i++;
	if (i == MAX_TARGETS)
		return;
	/* Of two with one job and instance the newer is told. */
	if (i == p->n_targets)
		p->n_targets++;
	else if (p->targets[i]->serial >= r->serial)
		return;
	else
		resource_drop(p->targets[i]);
	p->targets[i] = resource_hold((struct resource *)(uintptr_t)r);
}

static void prom_span(struct sink *s, const struct spanrec *sp)
{
	struct prom *p = (struct prom *)s;

	pthread_mutex_lock(&p->lock);
	p->received++;
	see_target(p, sp->resource);
	metering_span(&p->metering, sp, p->now);
	pthread_mutex_unlock(&p->lock);
	s->exported++;
}

static void prom_active(struct sink *s, const struct activerec *ar, struct resource *r)
{
	struct prom *p = (struct prom *)s;

	pthread_mutex_lock(&p->lock);
	see_target(p, r);
	meters_active(p->metering.meters, ar, r);
	pthread_mutex_unlock(&p->lock);
}

static void prom_lost(struct sink *s, const struct loss *l)
{
	struct prom *p = (struct prom *)s;

	pthread_mutex_lock(&p->lock);
	losses_add(&p->losses, l);
	pthread_mutex_unlock(&p->lock);
}

static void prom_counter(struct sink *s, struct text from, struct text name, uint64_t value)
{
	struct prom *p = (struct prom *)s;

	pthread_mutex_lock(&p->lock);
	stagecounts_set(&p->counts, from, name, value);
	pthread_mutex_unlock(&p->lock);
}

static void sweep(struct prom *p, int64_t before)
{
	size_t n = 0;

	meters_expire(p->metering.meters, before);
	for (size_t i = 0; i < p->n_targets; i++) {
		struct resource *r = p->targets[i];

		if (r->ended && r->ended <= before)
			resource_drop(r);
		else
			p->targets[n++] = r;
	}
	p->n_targets = n;
	memset(p->seen, 0, sizeof(p->seen));
}

static bool prom_tick(struct sink *s, int64_t now)
{
	struct prom *p = (struct prom *)s;

	bool waiting;

	pthread_mutex_lock(&p->lock);
	p->now = now;
	waiting = graph_expire(p->metering.graph, now);
	if (now - p->swept >= SWEEP_MS) {
		p->swept = now;
		sweep(p, now - KEEP_MS);
	}
	pthread_mutex_unlock(&p->lock);
	return waiting;
}

static void prom_free(struct sink *s)
{
	struct prom *p = (struct prom *)s;

	for (size_t i = 0; i < p->n_targets; i++)
		resource_drop(p->targets[i]);
	metering_release(&p->metering);
	webconfig_release(&p->web);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

static bool prom_close(struct sink *s)
{
	struct prom *p = (struct prom *)s;

	promserve_stop(p->server);
	return true;
}

static const struct sink_ops prom_ops = {
	.span = prom_span,
	.unsampled = true,
	.active = prom_active,
	.lost = prom_lost,
	.counter = prom_counter,
	.tick = prom_tick,
	.close = prom_close,
	.close_last = true,
	.free = prom_free,
};

/* Attributes that are labels already, or whose name is that of an earlier one, stay out. */
static bool is_label(const struct resource *r, size_t i)
{
	struct text key = r->attrs[i].key;

	if (text_is(key, "service.name") || text_is(key, "service.instance.id") ||
	    text_is(key, "job") || text_is(key, "instance"))
		return false;
	for (size_t j = 0; j < i; j++)
		if (promtext_same_name(key, r->attrs[j].key))
			return false;
	return true;
}

static void render_targets(const struct prom *p, struct prompage *page)
{
	struct attr labels[RESOURCE_MAX_ATTRS];

	if (!p->n_targets)
		return;
	prompage_begin(page, "target", PROM_INFO, "",
		       "The traced processes, as resource attributes.");
	for (size_t i = 0; i < p->n_targets; i++) {
		const struct resource *r = p->targets[i];
		size_t n = 0;

		for (size_t j = 0; j < r->n_attrs; j++)
			if (is_label(r, j))
				labels[n++] = r->attrs[j];
		prompage_sample(page, r, labels, n, 1);
	}
	prompage_end(page);
}

static void render_counts(struct prom *p, struct prompage *page)
{
	selfmetrics_one(page, "gotap_spans_received", PROM_COUNTER, "Spans that came in.",
			(double)p->received);
	selfmetrics_one(page, "gotap_series", PROM_GAUGE, "Series of the metrics of requests.",
			(double)meters_count(p->metering.meters));
	selfmetrics_one(page, "traces_service_graph_unpaired_spans", PROM_COUNTER,
			"Spans whose other side was not seen, and has no name.",
			(double)graph_unpaired(p->metering.graph));
	selfmetrics_losses(page, &p->losses);
	stagecounts_render(page, &p->counts);
}

/* In the server's thread. */
static void render(void *arg, struct prompage *page)
{
	struct prom *p = arg;

	pthread_mutex_lock(&p->lock);
	prommeters_render(page, p->metering.meters);
	render_targets(p, page);
	render_counts(p, page);
	pthread_mutex_unlock(&p->lock);
	selfmetrics_sinks(page, p->sinks, *p->n_sinks);
	stages_look(&p->stages, clock_ms());
	selfmetrics_stages(page, &p->stages);
}

static int start(struct prom *p, const struct options *o, const char *address, struct errinfo *e)
{
	struct promserve_settings s = {
		.address = address,
		.page = render,
		.arg = p,
		.web = &p->web,
		.protobuf = o->exponential,
	};
	int ret = metering_init(&p->metering, o, o->exponential, EXPHIST_PROM_SCALE, e);

	if (!ret && o->web_config)
		ret = webconfig_read(&p->web, o->web_config, e);
	return ret ? ret : promserve_start(&p->server, &s, e);
}

int sink_prometheus_open(struct sink **s, const struct options *o, const char *address,
			 struct sink *const *sinks, const _Atomic size_t *n, struct errinfo *e)
{
	struct prom *p = calloc(1, sizeof(*p));
	int ret;

	if (!p)
		return errinfo_set(e, -ENOMEM, "out of memory");
	pthread_mutex_init(&p->lock, NULL);
	p->base.ops = &prom_ops;
	p->base.kind = "prometheus";
	p->base.target = address;
	p->sinks = sinks;
	p->n_sinks = n;
	p->swept = p->now = clock_ms();
	ret = start(p, o, address, e);
	if (ret) {
		prom_free(&p->base);
		return ret;
	}
	diag(DIAG_NOTE, "prometheus: metrics at %s", promserve_url(p->server));
	*s = &p->base;
	return 0;
}
