/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which metrics there are: names, units, buckets and attributes of the semantic
 * conventions 1.44.0, and of the service graph as Tempo and the Collector name it. A
 * family is what spans of one kind have in common: one set of attributes, one or more
 * instruments. Adding a metric is a line here.
 */
#ifndef GOEXPORT_METER_TABLE_H
#define GOEXPORT_METER_TABLE_H

#include "known.h"
#include "spanrec.h"

#define METER_MAX_INSTRUMENTS 4
#define METER_MAX_LABELS      12
#define METER_MAX_BOUNDS      16

enum meter_type {
	METER_HISTOGRAM,
	METER_COUNTER,
	METER_UPDOWN, /* of the moment, and cumulative all the same: an UpDownCounter */
};

/* A number of instrument.value beside the ids of attributes. */
enum {
	VALUE_SECONDS = -1, /* how long the span took */
	VALUE_ONE = -2,
	VALUE_GIVEN = -3, /* by the service graph, or an active record */
};

struct instrument {
	const char *name, *unit, *help; /* of OTLP; of Prometheus by mapping */
	enum meter_type type;
	int value;	/* an enum known, or one of the above */
	unsigned kinds; /* of spans, bits 1 << enum span_kind; 0: all of the family's */
	double steps;	/* of a histogram: how many of the least difference of values are one */
	const double *bounds;
	unsigned n_bounds;
};

struct meter_family {
	unsigned kinds;	  /* bits 1 << enum span_kind; 0: not of spans */
	enum known needs; /* the attribute that says that a span is of this family */
	int labels[METER_MAX_LABELS + 1];		      /* enum known, ended by KNOWN_NONE */
	struct instrument instruments[METER_MAX_INSTRUMENTS]; /* name NULL: no more */
};

enum meter_family_id {
	FAMILY_MSG_CLIENT,
	FAMILY_MSG_PROCESS,
	FAMILY_DB_CLIENT,
	FAMILY_RPC_SERVER,
	FAMILY_RPC_CLIENT,
	FAMILY_HTTP_SERVER,
	FAMILY_HTTP_CLIENT,
	FAMILY_ACTIVE_SERVER,
	FAMILY_ACTIVE_CLIENT,
	FAMILY_GRAPH,
	FAMILY_COUNT,
};

/* The instruments of FAMILY_GRAPH. */
enum {
	GRAPH_TOTAL,
	GRAPH_FAILED,
	GRAPH_SERVER_SECONDS,
	GRAPH_CLIENT_SECONDS,
};

/* In the order in which a span is tried: the first that fits is its family. */
extern const struct meter_family meter_families[FAMILY_COUNT];

#endif
