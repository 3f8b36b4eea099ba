/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pipeline's own counters, for the page of --prometheus. Called by sink_prometheus for
 * each page; what it reads is borrowed and may change meanwhile.
 */
#ifndef GOEXPORT_SELFMETRICS_H
#define GOEXPORT_SELFMETRICS_H

#include "losses.h"
#include "prompage.h"
#include "sink.h"
#include "stages.h"

void selfmetrics_sinks(struct prompage *p, struct sink *const *sinks, size_t n);
void selfmetrics_losses(struct prompage *p, const struct losses *l);
void selfmetrics_stages(struct prompage *p, const struct stages *s);
/* One number without labels; a family of its own. */
void selfmetrics_one(struct prompage *p, const char *name, enum prom_type type, const char *help,
		     double value);

#endif
