// SPDX-License-Identifier: Apache-2.0
#include "graph.h"

#include <stdlib.h>

#define SLOTS	 8192
#define PEER_MAX 128

/* A span that waits for the other side of its request. */
struct half {
	struct half *chain;
	uint8_t trace_id[16], span_id[8]; /* span_id: of the client's span */
	struct resource *resource;	  /* held; NULL: this one is free */
	bool is_client, failed, messaging, paired;
	double seconds;
	int64_t since;
	char peer[PEER_MAX]; /* of a client: whom it called, as far as it knows */
};

/* The halves are a ring by age. */
struct graph {
	struct meters *m;
	struct half *slot[SLOTS];
	struct half ring[GRAPH_MAX];
	uint64_t first, next;
	uint64_t unpaired;
};

struct graph *graph_new(struct meters *m)
{
	struct graph *g = calloc(1, sizeof(*g));

	if (g)
		g->m = m;
	return g;
}

static struct half **slot_of(struct graph *g, const uint8_t *trace_id, const uint8_t *span_id)
{
	uint64_t a, b;

	memcpy(&a, trace_id + 8, 8);
	memcpy(&b, span_id, 8);
	return &g->slot[((a ^ b) * 0x9e3779b97f4a7c15u) >> 51]; /* 13 bits */
}

static void forget_oldest(struct graph *g)
{
	struct half *h = &g->ring[g->first++ % GRAPH_MAX];
	struct half **at = slot_of(g, h->trace_id, h->span_id);

	while (*at != h)
		at = &(*at)->chain;
	*at = h->chain;
	resource_drop(h->resource);
	h->resource = NULL;
}

void graph_free(struct graph *g)
{
	if (!g)
		return;
	while (g->first < g->next)
		forget_oldest(g);
	free(g);
}

static void give_up(struct graph *g, const struct half *h)
{
	struct edge e = {
		.client = h->resource->service,
		.server = text_of(h->peer),
		.type = "virtual_node",
		.failed = h->failed,
		.client_seconds = h->seconds,
		.server_seconds = -1,
	};

	if (h->paired)
		return;
	if (h->is_client && *h->peer)
		meters_edge(g->m, &e);
	else
		g->unpaired++;
}

bool graph_expire(struct graph *g, int64_t now)
{
	while (g->first < g->next) {
		struct half *h = &g->ring[g->first % GRAPH_MAX];

		if (now - h->since < GRAPH_WAIT_MS)
			break;
		give_up(g, h);
		forget_oldest(g);
	}
	return g->first < g->next;
}

static struct half *find(struct graph *g, const uint8_t *trace_id, const uint8_t *span_id,
			 bool is_client)
{
	struct half *h = *slot_of(g, trace_id, span_id);

	while (h && (h->is_client != is_client || memcmp(h->span_id, span_id, 8) ||
		     memcmp(h->trace_id, trace_id, 16) || h->paired))
		h = h->chain;
	return h;
}

static void name_peer(struct half *h, const struct known_attrs *k)
{
	static const enum known names[] = { KNOWN_PEER_SERVICE, KNOWN_SERVER_ADDRESS,
					    KNOWN_MSG_DESTINATION, KNOWN_PEER_ADDRESS };
	struct text t = { 0 };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !t.len; i++)
		t = known_text(k, names[i]);
	if (t.len >= PEER_MAX)
		t.len = 0; /* no name for a node */
	if (t.len)
		memcpy(h->peer, t.p, t.len);
	h->peer[t.len] = '\0';
}

static bool is_messaging(const struct spanrec *sp)
{
	return sp->kind == SPAN_PRODUCER || sp->kind == SPAN_CONSUMER;
}

static void wait_for_other(struct graph *g, const struct spanrec *sp, const struct known_attrs *k,
			   const uint8_t *span_id, bool is_client, int64_t now)
{
	struct half **at, *h;

	if (g->next - g->first == GRAPH_MAX) {
		give_up(g, &g->ring[g->first % GRAPH_MAX]);
		forget_oldest(g);
	}
	h = &g->ring[g->next++ % GRAPH_MAX];
	memcpy(h->trace_id, sp->trace_id, sizeof(h->trace_id));
	memcpy(h->span_id, span_id, sizeof(h->span_id));
	h->resource = resource_hold((struct resource *)(uintptr_t)sp->resource);
	h->is_client = is_client;
	h->failed = sp->status == STATUS_ERROR;
	h->messaging = is_messaging(sp);
	h->paired = false;
	h->seconds = (double)(sp->end - sp->start) / 1e9;
	h->since = now;
	name_peer(h, k);
	at = slot_of(g, h->trace_id, h->span_id);
	h->chain = *at;
	*at = h;
}

static void pair(struct graph *g, struct half *other, const struct spanrec *sp, bool is_client)
{
	double seconds = (double)(sp->end - sp->start) / 1e9;
	struct edge e = {
		.client = is_client ? sp->resource->service : other->resource->service,
		.server = is_client ? other->resource->service : sp->resource->service,
		.type = is_messaging(sp) || other->messaging ? "messaging_system" : "",
		.failed = sp->status == STATUS_ERROR || other->failed,
		.client_seconds = is_client ? seconds : other->seconds,
		.server_seconds = is_client ? other->seconds : seconds,
		.sp = sp,
	};

	meters_edge(g->m, &e);
	other->paired = true;
}

/* A database is not traced: its name is what the client knows. */
static void database(struct graph *g, const struct spanrec *sp, const struct known_attrs *k)
{
	struct text name = known_text(k, KNOWN_DB_NAMESPACE);
	struct edge e = {
		.client = sp->resource->service,
		.server = name.len ? name : known_text(k, KNOWN_DB_SYSTEM),
		.type = "database",
		.failed = sp->status == STATUS_ERROR,
		.client_seconds = (double)(sp->end - sp->start) / 1e9,
		.server_seconds = -1,
		.sp = sp,
	};

	meters_edge(g->m, &e);
}

/* A request without a caller comes from outside. */
static void from_outside(struct graph *g, const struct spanrec *sp)
{
	struct edge e = {
		.client = text_of("user"),
		.server = sp->resource->service,
		.type = "virtual_node",
		.failed = sp->status == STATUS_ERROR,
		.client_seconds = -1,
		.server_seconds = (double)(sp->end - sp->start) / 1e9,
		.sp = sp,
	};

	meters_edge(g->m, &e);
}

void graph_span(struct graph *g, const struct spanrec *sp, int64_t now)
{
	bool is_client = sp->kind == SPAN_CLIENT || sp->kind == SPAN_PRODUCER;
	const uint8_t *id = is_client ? sp->span_id : sp->parent_id;
	struct known_attrs k;
	struct half *other;

	if (sp->kind == SPAN_INTERNAL || sp->incomplete)
		return;
	if (!is_client && !sp->has_parent) {
		if (sp->kind == SPAN_SERVER)
			from_outside(g, sp);
		return;
	}
	known_find(&k, sp->attrs, sp->n_attrs);
	if (sp->kind == SPAN_CLIENT && k.at[KNOWN_DB_SYSTEM]) {
		database(g, sp, &k);
		return;
	}
	other = find(g, sp->trace_id, id, !is_client);
	if (other)
		pair(g, other, sp, is_client);
	else
		wait_for_other(g, sp, &k, id, is_client, now);
}

uint64_t graph_unpaired(const struct graph *g)
{
	return g->unpaired;
}
