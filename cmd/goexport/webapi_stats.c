// SPDX-License-Identifier: Apache-2.0
#include "webapi.h"

#include <sys/resource.h>

#include "callgraph.h"

static void put_text(struct jsonw *w, const char *key, struct text t)
{
	jsonw_str(w, key, t.p, t.len);
}

static void put_quantiles(struct jsonw *w, const char *key, const struct histogram *h,
			  uint64_t errors)
{
	jsonw_obj(w, key);
	jsonw_uint(w, "count", h->count);
	jsonw_uint(w, "errors", errors);
	jsonw_uint(w, "p50", histogram_quantile(h, .5));
	jsonw_uint(w, "p95", histogram_quantile(h, .95));
	jsonw_uint(w, "p99", histogram_quantile(h, .99));
	jsonw_uint(w, "max", h->max);
	jsonw_arr(w, "buckets"); /* pairs: which, how many */
	for (unsigned i = 0; i < TRAFFIC_BUCKETS; i++)
		if (h->bucket[i]) {
			jsonw_uint(w, NULL, i);
			jsonw_uint(w, NULL, h->bucket[i]);
		}
	jsonw_end_arr(w);
	jsonw_end_obj(w);
}

static void put_seconds(struct jsonw *w, const char *key, const struct traffic *r,
			const uint32_t second[TRAFFIC_SECONDS])
{
	jsonw_arr(w, key);
	for (unsigned ago = TRAFFIC_SECONDS; ago--;)
		jsonw_uint(w, NULL, traffic_at(r, second, ago));
	jsonw_end_arr(w);
}

static void put_route(struct jsonw *w, const struct traffic *r, const struct route *rt)
{
	const struct exemplar *slow = &rt->slowest[0];
	struct histogram recent = route_recent(rt);

	if (rt->slowest[1].set && (!slow->set || rt->slowest[1].duration > slow->duration))
		slow = &rt->slowest[1];
	jsonw_obj(w, NULL);
	put_text(w, "service", rt->service);
	put_text(w, "name", rt->name);
	jsonw_uint(w, "kind", rt->kind);
	jsonw_double(w, "rate", traffic_rate(r, rt->second));
	jsonw_double(w, "error_rate", traffic_rate(r, rt->second_errors));
	put_quantiles(w, "all", &rt->all, rt->errors);
	put_quantiles(w, "recent", &recent, rt->recent_errors[0] + rt->recent_errors[1]);
	put_seconds(w, "seconds", r, rt->second);
	put_seconds(w, "errors", r, rt->second_errors);
	if (slow->set)
		jsonw_hex(w, "slowest", slow->trace_id, 16);
	if (rt->failed.set)
		jsonw_hex(w, "failed", rt->failed.trace_id, 16);
	jsonw_end_obj(w);
}

void webapi_routes(struct jsonw *w, struct webdata *d)
{
	pthread_mutex_lock(&d->lock);
	jsonw_obj(w, NULL);
	jsonw_u64(w, "now", d->traffic->now);
	jsonw_u64(w, "first", d->traffic->first);
	jsonw_arr(w, "bounds");
	for (unsigned i = 0; i < TRAFFIC_BUCKETS; i++)
		jsonw_uint(w, NULL, histogram_bound(i));
	jsonw_end_arr(w);
	jsonw_arr(w, "routes");
	for (size_t i = 0; i < d->traffic->n; i++)
		put_route(w, d->traffic, d->traffic->route[i]);
	jsonw_end_arr(w);
	jsonw_end_obj(w);
	pthread_mutex_unlock(&d->lock);
}

void webapi_graph(struct jsonw *w, struct webdata *d)
{
	struct callgraph *g = callgraph_new();

	if (!g) {
		w->err = -1;
		return;
	}
	pthread_mutex_lock(&d->lock);
	callgraph_fill(g, &d->store);
	jsonw_obj(w, NULL);
	jsonw_uint(w, "spans", g->spans);
	jsonw_uint(w, "traces", g->traces);
	jsonw_uint(w, "held", d->store.n_traces);
	jsonw_arr(w, "nodes");
	for (size_t i = 0; i < g->n_nodes; i++) {
		jsonw_obj(w, NULL);
		put_text(w, "name", g->nodes[i].name);
		jsonw_cstr(w, "type", g->nodes[i].type);
		jsonw_uint(w, "spans", g->nodes[i].spans);
		jsonw_uint(w, "errors", g->nodes[i].errors);
		jsonw_end_obj(w);
	}
	jsonw_end_arr(w);
	jsonw_arr(w, "edges");
	for (size_t i = 0; i < g->n_edges; i++) {
		jsonw_obj(w, NULL);
		jsonw_uint(w, "from", g->edges[i].from);
		jsonw_uint(w, "to", g->edges[i].to);
		jsonw_uint(w, "count", g->edges[i].count);
		jsonw_uint(w, "errors", g->edges[i].errors);
		jsonw_uint(w, "mean", g->edges[i].sum / g->edges[i].count);
		jsonw_uint(w, "max", g->edges[i].max);
		jsonw_end_obj(w);
	}
	jsonw_end_arr(w);
	jsonw_uint(w, "left_out", g->left_out);
	jsonw_end_obj(w);
	pthread_mutex_unlock(&d->lock);
	callgraph_free(g);
}

static void put_sinks(struct jsonw *w, const struct webdata *d)
{
	jsonw_arr(w, "sinks");
	for (size_t i = 0; i < *d->n_sinks; i++) {
		const struct sink *s = d->sinks[i];

		jsonw_obj(w, NULL);
		jsonw_cstr(w, "kind", s->kind);
		jsonw_cstr(w, "target", s->target);
		jsonw_uint(w, "exported", s->exported);
		jsonw_uint(w, "held", s->held);
		jsonw_uint(w, "limit", s->limit);
		jsonw_obj(w, "dropped");
		for (int j = 0; j < DROP_REASONS; j++)
			if (s->dropped[j])
				jsonw_uint(w, drop_reason_name((enum drop_reason)j), s->dropped[j]);
		jsonw_end_obj(w);
		jsonw_end_obj(w);
	}
	jsonw_end_arr(w);
}

static void put_lost(struct jsonw *w, const struct webdata *d)
{
	jsonw_arr(w, "lost");
	for (unsigned i = 0; i < d->losses.n; i++) {
		jsonw_obj(w, NULL);
		jsonw_cstr(w, "where", d->losses.loss[i].where);
		jsonw_cstr(w, "reason", d->losses.loss[i].reason);
		jsonw_uint(w, "count", d->losses.loss[i].count);
		jsonw_end_obj(w);
	}
	if (d->losses.others) {
		jsonw_obj(w, NULL);
		jsonw_cstr(w, "where", "(others)");
		jsonw_cstr(w, "reason", "");
		jsonw_uint(w, "count", d->losses.others);
		jsonw_end_obj(w);
	}
	jsonw_end_arr(w);
	jsonw_arr(w, "stats");
	for (size_t i = 0; i < d->n_stats; i++) {
		jsonw_obj(w, NULL);
		jsonw_cstr(w, "from", d->stats[i].from);
		jsonw_cstr(w, "name", d->stats[i].name);
		jsonw_uint(w, "value", d->stats[i].value);
		jsonw_end_obj(w);
	}
	jsonw_end_arr(w);
}

static void put_self(struct jsonw *w, const struct webdata *d, unsigned pages)
{
	struct rusage ru = { 0 };

	getrusage(RUSAGE_SELF, &ru);
	jsonw_cstr(w, "version", GOTAP_VERSION);
	jsonw_bool(w, "ended", d->ended);
	jsonw_int(w, "uptime_ms", clock_ms() - d->since);
	jsonw_double(w, "cpu_seconds",
		     (double)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) +
			     (double)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1e6);
	jsonw_uint(w, "peak_kib", (uint64_t)ru.ru_maxrss);
	jsonw_uint(w, "pages", pages);
	if (d->filter)
		jsonw_cstr(w, "filter", d->filter);
}

/* What the programs of this pipeline use; only the server's thread looks. */
static void put_stages(struct jsonw *w, struct stages *s)
{
	stages_look(s, clock_ms());
	jsonw_arr(w, "stages");
	for (size_t i = 0; i < s->n; i++) {
		jsonw_obj(w, NULL);
		jsonw_cstr(w, "name", s->use[i].name);
		jsonw_int(w, "pid", s->use[i].pid);
		jsonw_double(w, "cpu_seconds", s->use[i].cpu_seconds);
		jsonw_uint(w, "resident", s->use[i].resident);
		jsonw_end_obj(w);
	}
	jsonw_end_arr(w);
}

void webapi_health(struct jsonw *w, struct webdata *d, unsigned pages)
{
	const struct spanstore *s = &d->store;

	jsonw_obj(w, NULL);
	put_stages(w, &d->stages);
	pthread_mutex_lock(&d->lock);
	put_self(w, d, pages);
	jsonw_obj(w, "memory");
	jsonw_uint(w, "bytes", s->bytes);
	jsonw_uint(w, "max", s->max_bytes);
	jsonw_uint(w, "traces", s->n_traces);
	jsonw_uint(w, "failed_traces", s->n_errors);
	jsonw_uint(w, "spans", s->n_spans);
	jsonw_uint(w, "received", s->changes);
	jsonw_uint(w, "evicted_traces", s->evicted_traces);
	jsonw_uint(w, "evicted_spans", s->evicted_spans);
	jsonw_uint(w, "cut_spans", s->cut_spans);
	jsonw_uint(w, "failed_spans", d->failed);
	jsonw_end_obj(w);
	put_sinks(w, d);
	put_lost(w, d);
	jsonw_end_obj(w);
	pthread_mutex_unlock(&d->lock);
}
