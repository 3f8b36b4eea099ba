/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sink --otlp-metrics URL: metrics of requests to an OTLP receiver, now and then, from a
 * thread of its own. Opened by exporter.c.
 */
#ifndef GOEXPORT_SINK_OTLP_METRICS_H
#define GOEXPORT_SINK_OTLP_METRICS_H

#include "errinfo.h"
#include "options.h"
#include "sink.h"

/* As sink_otlp_open(). */
int sink_otlp_metrics_open(struct sink **s, const struct options *o, const struct sink_choice *c,
			   struct errinfo *e);

#endif
