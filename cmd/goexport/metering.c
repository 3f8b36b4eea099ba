// SPDX-License-Identifier: Apache-2.0
#include "metering.h"

#include <errno.h>

#include "env.h"
#include "graph.h"

static enum exemplar_filter exemplar_filter(void)
{
	static const char *const words[] = { "trace_based", "always_on", "always_off", NULL };
	int word = env_word("OTEL_METRICS_EXEMPLAR_FILTER", words);

	return word < 0 ? EXEMPLARS_SAMPLED : (enum exemplar_filter)word;
}

int metering_init(struct metering *m, const struct options *o, bool exponential, int max_scale,
		  struct errinfo *e)
{
	struct meters_config c = {
		.max_series = o->series,
		.exponential = exponential,
		.max_scale = max_scale,
		.exemplars = exemplar_filter(),
	};
	int ret = routes_new(&m->routes, &o->route_patterns, e);

	m->meters = NULL;
	m->graph = NULL;
	if (ret)
		return ret;
	c.routes = m->routes;
	m->meters = meters_new(&c);
	m->graph = m->meters ? graph_new(m->meters) : NULL;
	if (m->graph)
		return 0;
	metering_release(m);
	return errinfo_set(e, -ENOMEM, "out of memory");
}

void metering_release(struct metering *m)
{
	graph_free(m->graph);
	meters_free(m->meters);
	routes_free(m->routes);
	*m = (struct metering){ 0 };
}

void metering_span(struct metering *m, const struct spanrec *sp, int64_t now)
{
	meters_span(m->meters, sp);
	graph_span(m->graph, sp, now);
}
