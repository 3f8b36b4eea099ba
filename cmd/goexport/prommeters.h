/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The metrics of requests on a page for Prometheus. Called by sink_prometheus for each page,
 * with the sink's lock held. Only memory can fail it, which the page remembers.
 */
#ifndef GOEXPORT_PROMMETERS_H
#define GOEXPORT_PROMMETERS_H

#include "meters.h"
#include "prompage.h"

/* Keeps text in the series: the meters are not for two pages at once. */
void prommeters_render(struct prompage *p, const struct meters *m);

#endif
