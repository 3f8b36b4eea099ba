/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who calls whom: the services of the traces in memory, and what they call that is
 * not traced itself (databases, other hosts). Made anew for each look, of the newest
 * spans, within bounds.
 */
#ifndef GOEXPORT_CALLGRAPH_H
#define GOEXPORT_CALLGRAPH_H

#include "spanstore.h"

#define CALLGRAPH_NODES 200
#define CALLGRAPH_EDGES 1000
#define CALLGRAPH_SPANS 50000

struct graph_node {
	struct text name; /* borrowed from the store */
	const char *type; /* "service", or "db", "messaging", "host" of what is not traced */
	uint64_t spans, errors;
};

struct graph_edge {
	size_t from, to;
	uint64_t count, errors, sum, max; /* nanoseconds, as the one who is called sees it */
};

struct graph_slot {
	const struct spanrec *sp;
	bool served; /* the other side of this call is traced, too */
};

struct callgraph {
	struct graph_node nodes[CALLGRAPH_NODES];
	struct graph_edge edges[CALLGRAPH_EDGES];
	size_t n_nodes, n_edges;
	uint64_t spans, traces; /* looked at */
	uint64_t left_out;	/* calls past the bounds */
	/* private */
	struct graph_slot *table;
	size_t table_size;
};

struct callgraph *callgraph_new(void);
void callgraph_free(struct callgraph *g);
void callgraph_fill(struct callgraph *g, const struct spanstore *s);

#endif
