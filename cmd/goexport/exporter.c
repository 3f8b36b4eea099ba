// SPDX-License-Identifier: Apache-2.0
#include "exporter.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "attr_read.h"
#include "diag.h"
#include "exits.h"
#include "losses.h"
#include "otlpin.h"
#include "record.h"
#include "resource.h"
#include "signals.h"
#include "sink_file.h"
#include "sink_otlp.h"
#include "sink_otlp_metrics.h"
#include "sink_prometheus.h"
#include "sink_top.h"
#include "sink_tree.h"
#include "sink_web.h"
#include "spanrec.h"
#include "stage.h"
#include "tracehold.h"

/* While a sink holds something back the loop wakes this often. */
#define TICK_MS 100
/* The sinks get their tick even if the input never blocks. */
#define TICK_RECORDS 1024

struct exporter {
	const struct options *o;
	struct stage stage;
	struct arena arena; /* what one record needs */
	struct resources *resources;
	struct losses losses;
	struct tracehold *hold; /* NULL where no filter is set */
	struct otlpin *otlpin;
	struct sink *sinks[OPTIONS_MAX_SINKS];
	_Atomic size_t n_sinks; /* grows at the start, while a scrape may look */
	uint64_t records;	/* since the last tick */
	bool pending;		/* a sink holds something */
};

static int open_sink(struct exporter *x, const struct sink_choice *c, struct errinfo *e)
{
	struct sink **s = &x->sinks[x->n_sinks];

	switch (c->kind) {
	case SINK_OTLP:
		return sink_otlp_open(s, x->o, c, e);
	case SINK_FILE:
		return sink_file_open(s, x->o, c->target, e);
	case SINK_TOP:
		return sink_top_open(s, x->o, e);
	case SINK_WEB:
		return sink_web_open(s, x->o, c->target, x->sinks, &x->n_sinks, e);
	case SINK_PROMETHEUS:
		return sink_prometheus_open(s, x->o, c->target, x->sinks, &x->n_sinks, e);
	case SINK_OTLP_METRICS:
		return sink_otlp_metrics_open(s, x->o, c, e);
	default:
		return sink_tree_open(s, x->o, e);
	}
}

static void tick(void *arg)
{
	struct exporter *x = arg;
	int64_t now = clock_ms();

	x->records = 0;
	x->pending = x->hold && tracehold_idle(x->hold, now);
	for (size_t i = 0; i < x->n_sinks; i++)
		x->pending |= x->sinks[i]->ops->tick(x->sinks[i], now);
}

static int on_process(struct stage *s, const struct record *r, void *ctx)
{
	struct exporter *x = ctx;

	return resources_process(x->resources, r, clock_ms(), &s->error);
}

static int on_exit_record(struct stage *s, const struct record *r, void *ctx)
{
	struct exporter *x = ctx;

	return resources_exit(x->resources, r, clock_ms(), &s->error);
}

/* A span that is wanted, to all sinks; to those that count alone, if it is not sampled. */
static void emit(void *arg, const struct spanrec *sp)
{
	struct exporter *x = arg;

	for (size_t i = 0; i < x->n_sinks; i++)
		if (!sp->unsampled || x->sinks[i]->ops->unsampled)
			x->sinks[i]->ops->span(x->sinks[i], sp);
}

static int take_span(struct exporter *x, const struct spanrec *sp)
{
	x->pending = true;
	if (x->hold)
		return tracehold_span(x->hold, sp);
	emit(x, sp);
	return STAGE_TAKEN;
}

static void on_otlp_span(void *arg, const struct spanrec *sp)
{
	struct exporter *x = arg;

	if (take_span(x, sp))
		diag(DIAG_ERROR, "out of memory");
	if (++x->records >= TICK_RECORDS)
		tick(x);
}

static int on_untyped(struct stage *s, const struct record *r, void *ctx)
{
	struct exporter *x = ctx;

	return otlpin_request(x->otlpin, r->text, r->len, &s->error);
}

static int on_span(struct stage *s, const struct record *r, void *ctx)
{
	struct exporter *x = ctx;
	struct spanrec sp;
	int ret;

	arena_reset(&x->arena);
	ret = spanrec_parse(&sp, r, &x->arena, &s->error);
	if (ret)
		return ret;
	sp.resource = resources_of(x->resources, sp.has_pid, sp.pid);
	if (!sp.resource)
		return -ENOMEM;
	return take_span(x, &sp);
}

/* Of what is under way it is not known yet whether a filter lets it through. */
static int on_active(struct stage *s, const struct record *r, void *ctx)
{
	struct exporter *x = ctx;
	struct resource *resource;
	struct activerec ar;
	int ret;

	arena_reset(&x->arena);
	ret = activerec_parse(&ar, r, &x->arena, &s->error);
	if (ret || x->hold)
		return ret;
	resource = resources_of(x->resources, true, ar.pid);
	if (!resource)
		return -ENOMEM;
	for (size_t i = 0; i < x->n_sinks; i++)
		if (x->sinks[i]->ops->active)
			x->sinks[i]->ops->active(x->sinks[i], &ar, resource);
	return STAGE_TAKEN;
}

static int on_lost(struct stage *s, const struct record *r, void *ctx)
{
	struct exporter *x = ctx;
	struct attr_value where = { 0 }, reason = { 0 };
	const struct jsonv *w = jsonv_member(r->root, K_WHERE);
	const struct jsonv *why = jsonv_member(r->root, K_REASON);
	struct loss loss;
	uint64_t count;

	if (jsonv_u64(jsonv_member(r->root, K_COUNT), &count))
		return errinfo_set(&s->error, -EINVAL, "lost: no \"count\"");
	arena_reset(&x->arena);
	if ((w && attr_value_read(r->doc, w, &x->arena, &where)) ||
	    (why && attr_value_read(r->doc, why, &x->arena, &reason)))
		return -ENOMEM;
	if (where.type != ATTR_STRING || reason.type != ATTR_STRING)
		return errinfo_set(&s->error, -EINVAL,
				   "lost: \"where\" or \"reason\" is no string");
	loss = loss_of(where.str, reason.str, count);
	if (losses_add(&x->losses, &loss))
		diag(DIAG_WARNING, "lost upstream: %llu at %s: %s", (unsigned long long)count,
		     loss.where, loss.reason);
	for (size_t i = 0; i < x->n_sinks; i++)
		if (x->sinks[i]->ops->lost)
			x->sinks[i]->ops->lost(x->sinks[i], &loss);
	return STAGE_TAKEN;
}

static int on_stats(struct stage *s, const struct record *r, void *ctx)
{
	struct exporter *x = ctx;
	struct attr_value from = { 0 }, name = { 0 };
	const struct jsonv *f = jsonv_member(r->root, K_FROM);
	const struct jsonv *o = jsonv_member(r->root, K_COUNTERS), *k;
	uint64_t n;

	if (!f || f->type != JSONV_STRING || !o || o->type != JSONV_OBJECT)
		return errinfo_set(&s->error, -EINVAL, "stats: no \"from\" or no \"counters\"");
	arena_reset(&x->arena);
	k = jsonv_first(o);
	for (uint32_t i = 0; i < o->count; i++, k = jsonv_after(k + 1)) {
		if (jsonv_u64(k + 1, &n))
			continue;
		if (attr_value_read(r->doc, f, &x->arena, &from) ||
		    attr_value_read(r->doc, k, &x->arena, &name))
			return -ENOMEM;
		for (size_t j = 0; j < x->n_sinks; j++)
			if (x->sinks[j]->ops->counter)
				x->sinks[j]->ops->counter(x->sinks[j], from.str, name.str, n);
	}
	return STAGE_TAKEN;
}

static const struct stage_handler handlers[] = {
	{ T_SPAN, on_span }, { T_PROCESS, on_process }, { T_EXIT, on_exit_record },
	{ T_LOST, on_lost }, { T_STATS, on_stats },	{ T_ACTIVE, on_active },
	{ NULL, NULL },
};

static int make_parts(struct exporter *x, const struct options *o)
{
	x->o = o;
	x->resources = resources_new(o->resource.text, o->resource.n);
	x->otlpin = otlpin_new(on_otlp_span, x);
	if (o->filter.any)
		x->hold = tracehold_new(&o->filter, emit, x);
	return x->resources && x->otlpin && (x->hold || !o->filter.any) ? 0 : -ENOMEM;
}

struct exporter *exporter_new(const struct options *o, int *status)
{
	struct exporter *x = calloc(1, sizeof(*x));
	struct errinfo e = { "out of memory" };

	*status = GOTAP_EXIT_FAILED;
	if (!x || make_parts(x, o)) {
		diag(DIAG_ERROR, "%s", e.text);
		exporter_free(x);
		return NULL;
	}
	resources_base(x->resources, o->env_resource.text, o->env_resource.n);
	signals_setup();
	stage_init(&x->stage, handlers, x);
	x->stage.no_copy = true;
	x->stage.untyped = on_untyped;
	x->stage.strict = o->strict;
	x->stage.in.before_block = tick;
	x->stage.in.arg = x;
	for (size_t i = 0; i < o->n_sinks; i++) {
		int ret = open_sink(x, &o->sinks[i], &e);

		if (ret) {
			diag(DIAG_ERROR, "%s", e.text);
			*status = ret == -EINVAL ? GOTAP_EXIT_USAGE : GOTAP_EXIT_FAILED;
			exporter_free(x);
			return NULL;
		}
		x->n_sinks++;
	}
	return x;
}

/* With none at all (OTEL_SDK_DISABLED) the input is read to its end, too. */
static bool all_failed(const struct exporter *x)
{
	if (!x->n_sinks)
		return false;
	for (size_t i = 0; i < x->n_sinks; i++)
		if (!x->sinks[i]->failed)
			return false;
	return true;
}

/*
 * Flushes all sinks, side by side, and frees them when none is at work any more.
 * Whether something did not arrive.
 */
static bool close_sinks(struct exporter *x, bool linger)
{
	int64_t deadline = clock_ms() + (int64_t)x->o->flush_ms;
	bool lost = false;

	for (size_t i = 0; i < x->n_sinks; i++)
		if (x->sinks[i]->ops->flush)
			x->sinks[i]->ops->flush(x->sinks[i], deadline);
	for (int last = 0; last < 2; last++) {
		for (size_t i = 0; last && linger && i < x->n_sinks; i++)
			if (x->sinks[i]->ops->linger)
				x->sinks[i]->ops->linger(x->sinks[i]);
		for (size_t i = 0; i < x->n_sinks; i++)
			if (x->sinks[i]->ops->close_last == last)
				lost |= !x->sinks[i]->ops->close(x->sinks[i]);
	}
	for (size_t i = 0; i < x->n_sinks; i++)
		x->sinks[i]->ops->free(x->sinks[i]);
	x->n_sinks = 0;
	return lost;
}

static int run_records(struct exporter *x)
{
	int ret;

	do {
		ret = stage_step(&x->stage, x->pending ? TICK_MS : -1);
		if (++x->records >= TICK_RECORDS)
			tick(x);
	} while (ret > 0 && !all_failed(x));
	return ret;
}

/* A file of OTLP/JSON, whose requests may be longer than any line. */
static int run_otlp_file(struct exporter *x)
{
	int ret = otlpin_file(x->otlpin, STDIN_FILENO, &x->stage.good, &x->stage.error);

	if (ret != -EINVAL)
		return ret;
	x->stage.bad++;
	return x->stage.strict ? -EBADMSG : 0;
}

int exporter_run(struct exporter *x)
{
	int ret = otlpin_is_file(STDIN_FILENO) ? run_otlp_file(x) : run_records(x), status;

	signals_flushing();
	if (x->hold)
		tracehold_finish(x->hold);
	status = stage_finish(&x->stage, ret > 0 ? 0 : ret);
	if (close_sinks(x, ret >= 0) && status == GOTAP_EXIT_OK)
		status = GOTAP_EXIT_FAILED;
	losses_report(&x->losses);
	return status;
}

void exporter_free(struct exporter *x)
{
	if (!x)
		return;
	close_sinks(x, false);
	tracehold_free(x->hold);
	otlpin_free(x->otlpin);
	resources_free(x->resources);
	arena_release(&x->arena);
	stage_release(&x->stage);
	free(x);
}
