// SPDX-License-Identifier: Apache-2.0
#include "callgraph.h"

#include <stdlib.h>

#include "resource.h"

struct callgraph *callgraph_new(void)
{
	return calloc(1, sizeof(struct callgraph));
}

void callgraph_free(struct callgraph *g)
{
	if (g)
		free(g->table);
	free(g);
}

/* CALLGRAPH_NODES if there is no room. */
static size_t node(struct callgraph *g, struct text name, const char *type)
{
	for (size_t i = 0; i < g->n_nodes; i++)
		if (g->nodes[i].type == type && text_equal(g->nodes[i].name, name))
			return i;
	if (g->n_nodes == CALLGRAPH_NODES)
		return CALLGRAPH_NODES;
	g->nodes[g->n_nodes] = (struct graph_node){ .name = name, .type = type };
	return g->n_nodes++;
}

static size_t service(struct callgraph *g, const struct spanrec *sp)
{
	static const char type[] = "service";

	return node(g, sp->resource->service, type);
}

static void call(struct callgraph *g, size_t from, size_t to, const struct spanrec *sp)
{
	uint64_t ns = sp->end - sp->start;
	struct graph_edge *e = g->edges;

	while (e < g->edges + g->n_edges && (e->from != from || e->to != to))
		e++;
	if (from == CALLGRAPH_NODES || to == CALLGRAPH_NODES || e == g->edges + CALLGRAPH_EDGES) {
		g->left_out++;
		return;
	}
	if (e == g->edges + g->n_edges) {
		*e = (struct graph_edge){ .from = from, .to = to };
		g->n_edges++;
	}
	e->count++;
	e->errors += sp->status == STATUS_ERROR;
	e->sum += ns < UINT64_MAX - e->sum ? ns : 0;
	if (ns > e->max)
		e->max = ns;
}

static size_t hash(const uint8_t id[8], size_t size)
{
	uint64_t h;

	memcpy(&h, id, sizeof(h));
	return (size_t)(h * 0x9e3779b97f4a7c15u >> 32) & (size - 1);
}

/* Where the span of this id is in the table, or would be. */
static struct graph_slot *place(const struct callgraph *g, const uint8_t id[8])
{
	size_t i = hash(id, g->table_size);

	while (g->table[i].sp && memcmp(g->table[i].sp->span_id, id, 8))
		i = (i + 1) & (g->table_size - 1);
	return &g->table[i];
}

/* A table of at least twice the spans, empty. */
static bool make_table(struct callgraph *g, size_t spans)
{
	size_t size = 64;

	while (size < 2 * spans)
		size *= 2;
	if (size > g->table_size) {
		free(g->table);
		g->table = malloc(size * sizeof(*g->table));
	}
	if (!g->table)
		return false;
	g->table_size = size;
	memset(g->table, 0, size * sizeof(*g->table));
	return true;
}

/* What a client span called that is not traced: its name, and what kind of thing it is. */
static struct text peer(const struct spanrec *sp, const char **type)
{
	static const char db[] = "db", messaging[] = "messaging", host[] = "host";
	static const struct {
		const char *key, *type;
	} keys[] = {
		{ "db.system.name", db },	   { "db.system", db },
		{ "messaging.system", messaging }, { "server.address", host },
		{ "network.peer.address", host },  { "net.peer.name", host },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		struct text t = spanrec_text(sp, keys[i].key);

		*type = keys[i].type;
		if (t.len)
			return t;
	}
	return (struct text){ 0 };
}

static bool is_call(const struct spanrec *sp)
{
	return sp->kind == SPAN_CLIENT || sp->kind == SPAN_PRODUCER;
}

static bool is_served(const struct spanrec *sp)
{
	return sp->kind == SPAN_SERVER || sp->kind == SPAN_CONSUMER;
}

static void fill_services(struct callgraph *g, const struct stored_trace *t)
{
	for (const struct kept_span *k = t->spans; k; k = k->next) {
		struct graph_slot *parent;
		size_t from, to = service(g, &k->sp);

		if (to < CALLGRAPH_NODES) {
			g->nodes[to].spans++;
			g->nodes[to].errors += k->sp.status == STATUS_ERROR;
		}
		parent = k->sp.has_parent ? place(g, k->sp.parent_id) : NULL;
		if (!parent || !parent->sp)
			continue;
		from = service(g, parent->sp);
		if (from != to || (is_served(&k->sp) && is_call(parent->sp)))
			call(g, from, to, &k->sp);
		parent->served |= is_served(&k->sp);
	}
}

static void fill_peers(struct callgraph *g, const struct stored_trace *t)
{
	for (const struct kept_span *k = t->spans; k; k = k->next) {
		const char *type;
		struct text name;

		if (!is_call(&k->sp) || place(g, k->sp.span_id)->served)
			continue;
		name = peer(&k->sp, &type);
		if (name.len)
			call(g, service(g, &k->sp), node(g, name, type), &k->sp);
	}
}

void callgraph_fill(struct callgraph *g, const struct spanstore *s)
{
	for (const struct stored_trace *t = s->newest; t; t = t->older) {
		if (g->traces && g->spans + t->n_spans > CALLGRAPH_SPANS)
			break;
		if (!make_table(g, t->n_spans))
			return;
		for (const struct kept_span *k = t->spans; k; k = k->next)
			place(g, k->sp.span_id)->sp = &k->sp;
		fill_services(g, t);
		fill_peers(g, t);
		g->spans += t->n_spans;
		g->traces++;
	}
}
