/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The service graph: pairs the client's span of a request with the server's, which
 * may come first, and counts the edge between the two services (as Tempo's and the
 * Collector's service graph do). What finds no partner within ten seconds becomes an
 * edge to or from a node that is not traced, where its name is known.
 */
#ifndef GOEXPORT_GRAPH_H
#define GOEXPORT_GRAPH_H

#include "meters.h"

#define GRAPH_WAIT_MS 10000
#define GRAPH_MAX     4096 /* spans that wait; past it the oldest make room */

struct graph;

/* Edges go into @m, which is borrowed. NULL when out of memory. */
struct graph *graph_new(struct meters *m);
void graph_free(struct graph *g);
/* A span that came at @now (clock_ms()). */
void graph_span(struct graph *g, const struct spanrec *sp, int64_t now);
/* Gives up on what has waited too long; whether something waits still. */
bool graph_expire(struct graph *g, int64_t now);
/* Spans that found no partner, and whose other side has no name. */
uint64_t graph_unpaired(const struct graph *g);

#endif
