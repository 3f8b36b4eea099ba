// SPDX-License-Identifier: Apache-2.0
#include "selfmetrics.h"

#include <stddef.h>

#include "spool.h"

static struct attr label(const char *name, const char *value)
{
	return (struct attr){ text_of(name), { .type = ATTR_STRING, .str = text_of(value) } };
}

void selfmetrics_one(struct prompage *p, const char *name, enum prom_type type, const char *help,
		     double value)
{
	prompage_begin(p, name, type, "", help);
	prompage_sample(p, NULL, NULL, 0, value);
	prompage_end(p);
}

/* Which sinks a family is about. */
enum about {
	OF_SPANS,
	OF_POINTS,
	OF_RECEIVERS,
	OF_QUEUES,
	OF_SPOOLS,
};

static bool is_about(const struct sink *s, enum about a)
{
	switch (a) {
	case OF_SPANS:
		return !s->points;
	case OF_POINTS:
		return s->points;
	case OF_RECEIVERS:
		return s->receiver;
	case OF_QUEUES:
		return s->limit > 0;
	default:
		return s->spool != NULL;
	}
}

static const struct family {
	const char *name, *help;
	enum prom_type type;
	enum about about;
	ptrdiff_t value; /* of a counter in struct sink; -1: of the spool */
} families[] = {
	{ "gotap_spans_exported", "Spans that arrived at a sink.", PROM_COUNTER, OF_SPANS,
	  offsetof(struct sink, exported) },
	{ "gotap_spans_held", "Spans that wait in memory.", PROM_GAUGE, OF_SPANS,
	  offsetof(struct sink, held) },
	{ "gotap_spans_held_limit", "Spans that may wait in memory before more are dropped.",
	  PROM_GAUGE, OF_QUEUES, offsetof(struct sink, limit) },
	{ "gotap_spans_spooled", "Spans that wait on disk.", PROM_GAUGE, OF_SPOOLS, -1 },
	{ "gotap_points_exported", "Points of metrics that arrived.", PROM_COUNTER, OF_POINTS,
	  offsetof(struct sink, exported) },
	{ "gotap_export_requests", "Requests to a receiver, tries included.", PROM_COUNTER,
	  OF_RECEIVERS, offsetof(struct sink, requests) },
	{ "gotap_export_retries", "Requests that were to be tried again.", PROM_COUNTER,
	  OF_RECEIVERS, offsetof(struct sink, retries) },
};

static double value_of(const struct sink *s, ptrdiff_t at)
{
	if (at < 0)
		return (double)spool_items(s->spool);
	if (at == offsetof(struct sink, limit))
		return (double)s->limit;
	return (double)*(const _Atomic uint64_t *)((const char *)s + at);
}

static void family(struct prompage *p, const struct family *f, struct sink *const *sinks, size_t n)
{
	bool any = false;

	for (size_t i = 0; i < n; i++)
		any |= is_about(sinks[i], f->about);
	if (!any)
		return;
	prompage_begin(p, f->name, f->type, "", f->help);
	for (size_t i = 0; i < n; i++) {
		struct attr labels[] = { label("sink", sinks[i]->kind),
					 label("target", sinks[i]->target) };

		if (is_about(sinks[i], f->about))
			prompage_sample(p, NULL, labels, 2, value_of(sinks[i], f->value));
	}
	prompage_end(p);
}

static void dropped(struct prompage *p, const char *name, const char *help, enum about about,
		    struct sink *const *sinks, size_t n)
{
	prompage_begin(p, name, PROM_COUNTER, "", help);
	for (size_t i = 0; i < n; i++)
		for (int j = 0; j < DROP_REASONS && is_about(sinks[i], about); j++) {
			struct attr labels[] = {
				label("sink", sinks[i]->kind),
				label("target", sinks[i]->target),
				label("reason", drop_reason_name((enum drop_reason)j)),
			};

			prompage_sample(p, NULL, labels, 3, (double)sinks[i]->dropped[j]);
		}
	prompage_end(p);
}

void selfmetrics_sinks(struct prompage *p, struct sink *const *sinks, size_t n)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		family(p, &families[i], sinks, n);
	dropped(p, "gotap_spans_dropped", "Spans that did not arrive at a sink, by reason.",
		OF_SPANS, sinks, n);
	dropped(p, "gotap_points_dropped", "Points of metrics that did not arrive, by reason.",
		OF_POINTS, sinks, n);
}

void selfmetrics_losses(struct prompage *p, const struct losses *l)
{
	if (!l->n)
		return;
	prompage_begin(p, "gotap_lost", PROM_COUNTER, "",
		       "What other stages lost, by place and reason.");
	for (unsigned i = 0; i < l->n; i++) {
		struct attr labels[] = { label("where", l->loss[i].where),
					 label("reason", l->loss[i].reason) };

		prompage_sample(p, NULL, labels, 2, (double)l->loss[i].count);
	}
	prompage_end(p);
}

static void stage_family(struct prompage *p, const struct stages *s, bool cpu)
{
	if (cpu)
		prompage_begin(p, "gotap_process_cpu_seconds", PROM_COUNTER, "seconds",
			       "CPU that the programs of this pipeline took.");
	else
		prompage_begin(p, "gotap_process_resident_memory_bytes", PROM_GAUGE, "bytes",
			       "Memory that the programs of this pipeline have.");
	for (size_t i = 0; i < s->n; i++) {
		struct attr labels[] = {
			label("stage", s->use[i].name),
			{ text_of("pid"), { .type = ATTR_INT, .i = s->use[i].pid } },
		};

		prompage_sample(p, NULL, labels, 2,
				cpu ? s->use[i].cpu_seconds : (double)s->use[i].resident);
	}
	prompage_end(p);
}

void selfmetrics_stages(struct prompage *p, const struct stages *s)
{
	if (!s->n)
		return;
	stage_family(p, s, true);
	stage_family(p, s, false);
}
