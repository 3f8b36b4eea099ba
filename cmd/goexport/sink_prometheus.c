// SPDX-License-Identifier: Apache-2.0
#include "sink_prometheus.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "losses.h"
#include "promserve.h"
#include "promtext.h"
#include "redmetrics.h"
#include "resource.h"

/* How long the numbers of a process that has ended are still there to be scraped. */
#define KEEP_MS	    300000
#define SWEEP_MS    10000
#define MAX_TARGETS REDMETRICS_MAX_SERIES
#define MAX_SEEN    4096

struct prom {
	struct sink base;
	pthread_mutex_t lock; /* for all below; the scrape comes in another thread */
	struct redmetrics *metrics;
	struct resource *targets[MAX_TARGETS]; /* held */
	size_t n_targets;
	uint64_t seen[MAX_SEEN]; /* serials of resources that need no look: a cache */
	struct losses losses;
	uint64_t received;
	int64_t swept;
	struct sink *const *sinks;
	const _Atomic size_t *n_sinks;
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
	redmetrics_span(p->metrics, sp);
	pthread_mutex_unlock(&p->lock);
	s->exported++;
}

static void prom_lost(struct sink *s, const struct loss *l)
{
	struct prom *p = (struct prom *)s;

	pthread_mutex_lock(&p->lock);
	losses_add(&p->losses, l);
	pthread_mutex_unlock(&p->lock);
}

static void sweep(struct prom *p, int64_t before)
{
	size_t n = 0;

	redmetrics_expire(p->metrics, before);
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

	if (now - p->swept < SWEEP_MS)
		return false;
	p->swept = now;
	pthread_mutex_lock(&p->lock);
	sweep(p, now - KEEP_MS);
	pthread_mutex_unlock(&p->lock);
	return false;
}

static void prom_free(struct sink *s)
{
	struct prom *p = (struct prom *)s;

	for (size_t i = 0; i < p->n_targets; i++)
		resource_drop(p->targets[i]);
	redmetrics_free(p->metrics);
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
	.lost = prom_lost,
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

static void render_target(const struct resource *r, struct textbuf *t)
{
	textbuf_puts(t, "target_info{");
	promtext_label(t, false, "job", r->job);
	promtext_label(t, true, "instance", r->instance);
	for (size_t i = 0; i < r->n_attrs; i++)
		if (is_label(r, i))
			promtext_attr(t, true, &r->attrs[i]);
	textbuf_puts(t, "} 1\n");
}

static void render_targets(const struct prom *p, struct textbuf *t)
{
	if (!p->n_targets)
		return;
	promtext_head(t, "target_info", "gauge", "The traced processes, as resource attributes.");
	for (size_t i = 0; i < p->n_targets; i++)
		render_target(p->targets[i], t);
}

/* One sample of a metric of a sink, with a third label if there is one. */
static void render_sample(struct textbuf *t, const char *name, const struct sink *s,
			  const char *label, const char *value, uint64_t n)
{
	textbuf_printf(t, "%s{", name);
	promtext_label(t, false, "sink", text_of(s->kind));
	promtext_label(t, true, "target", text_of(s->target));
	if (label)
		promtext_label(t, true, label, text_of(value));
	textbuf_printf(t, "} %" PRIu64 "\n", n);
}

static void render_sinks(const struct prom *p, struct textbuf *t)
{
	promtext_head(t, "gotap_spans_exported_total", "counter", "Spans that arrived at a sink.");
	for (size_t i = 0; i < *p->n_sinks; i++)
		render_sample(t, "gotap_spans_exported_total", p->sinks[i], NULL, NULL,
			      p->sinks[i]->exported);
	promtext_head(t, "gotap_spans_dropped_total", "counter",
		      "Spans that did not arrive at a sink, by reason.");
	for (size_t i = 0; i < *p->n_sinks; i++)
		for (int j = 0; j < DROP_REASONS; j++)
			render_sample(t, "gotap_spans_dropped_total", p->sinks[i], "reason",
				      drop_reason_name((enum drop_reason)j),
				      p->sinks[i]->dropped[j]);
	promtext_head(t, "gotap_spans_held", "gauge", "Spans that wait at a sink.");
	for (size_t i = 0; i < *p->n_sinks; i++)
		render_sample(t, "gotap_spans_held", p->sinks[i], NULL, NULL, p->sinks[i]->held);
	promtext_head(t, "gotap_spans_held_limit", "gauge",
		      "Spans that may wait at a sink before more are dropped.");
	for (size_t i = 0; i < *p->n_sinks; i++)
		if (p->sinks[i]->limit)
			render_sample(t, "gotap_spans_held_limit", p->sinks[i], NULL, NULL,
				      p->sinks[i]->limit);
}

static void render_losses(const struct losses *l, struct textbuf *t)
{
	if (!l->n)
		return;
	promtext_head(t, "gotap_lost_total", "counter",
		      "What other stages lost, by place and reason.");
	for (unsigned i = 0; i < l->n; i++) {
		textbuf_put(t, "gotap_lost_total{", 17);
		promtext_label(t, false, "where", text_of(l->loss[i].where));
		promtext_label(t, true, "reason", text_of(l->loss[i].reason));
		textbuf_printf(t, "} %" PRIu64 "\n", l->loss[i].count);
	}
}

/* In the server's thread. */
static void render(void *arg, struct textbuf *t)
{
	struct prom *p = arg;

	pthread_mutex_lock(&p->lock);
	redmetrics_render(p->metrics, t);
	render_targets(p, t);
	promtext_head(t, "gotap_spans_received_total", "counter", "Spans that came in.");
	textbuf_printf(t, "gotap_spans_received_total %" PRIu64 "\n", p->received);
	render_losses(&p->losses, t);
	pthread_mutex_unlock(&p->lock);
	render_sinks(p, t);
}

int sink_prometheus_open(struct sink **s, const char *address, struct sink *const *sinks,
			 const _Atomic size_t *n, struct errinfo *e)
{
	struct prom *p = calloc(1, sizeof(*p));
	int ret;

	if (p)
		p->metrics = redmetrics_new();
	if (!p || !p->metrics) {
		free(p);
		return errinfo_set(e, -ENOMEM, "out of memory");
	}
	pthread_mutex_init(&p->lock, NULL);
	p->base.ops = &prom_ops;
	p->base.kind = "prometheus";
	p->base.target = address;
	p->sinks = sinks;
	p->n_sinks = n;
	p->swept = clock_ms();
	ret = promserve_start(&p->server, address, render, p, e);
	if (ret) {
		prom_free(&p->base);
		return ret;
	}
	diag(DIAG_NOTE, "prometheus: metrics at %s", promserve_url(p->server));
	*s = &p->base;
	return 0;
}
