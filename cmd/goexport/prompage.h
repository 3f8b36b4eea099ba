/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page for Prometheus in the format that it asked for: text 0.0.4, OpenMetrics 1.0,
 * or protobuf, which alone can hold native histograms. Made family by family; failures
 * of memory stick to the text. Called by sink_prometheus.
 */
#ifndef GOEXPORT_PROMPAGE_H
#define GOEXPORT_PROMPAGE_H

#include "meters.h"
#include "textbuf.h"

enum prom_format {
	PROM_TEXT,
	PROM_OPENMETRICS,
	PROM_PROTOBUF,
};

enum prom_type {
	PROM_COUNTER,
	PROM_GAUGE,
	PROM_HISTOGRAM,
	PROM_INFO,
};

struct prompage {
	enum prom_format format;
	struct textbuf out;
	/* of the family at hand */
	char name[96]; /* without _total or _info */
	enum prom_type type;
	size_t begin; /* of its message */
	/* of its histograms: the label of each bound as text, made for the first of them */
	struct promedge {
		unsigned len;
		char text[32];
	} edges[METER_MAX_BOUNDS + 1];
	unsigned n_edges;
};

/* Cannot fail. @out is the caller's to free. */
void prompage_init(struct prompage *p, enum prom_format format);
/* After the last family. */
void prompage_finish(struct prompage *p);

/*
 * A family, whose samples follow until prompage_end(). @name is without the suffix
 * _total or _info, which its type gives it; @unit is the end of the name, or "".
 */
void prompage_begin(struct prompage *p, const char *name, enum prom_type type, const char *unit,
		    const char *help);
void prompage_end(struct prompage *p);

/* A sample: labels job and instance if @r is not NULL, and the attributes as labels. */
void prompage_sample(struct prompage *p, const struct resource *r, const struct attr *attrs,
		     size_t n, double value);
/* All samples of a histogram. The labels as text are kept in the series. */
void prompage_histogram(struct prompage *p, struct series *s, const struct point *pt,
			const struct instrument *in);

/* The Content-Type of a format. */
const char *prompage_content_type(enum prom_format format);
/* What of it an Accept header asks for, NULL if there is none; protobuf only if it is of use. */
enum prom_format prompage_negotiate(const char *accept, bool protobuf);

#endif
