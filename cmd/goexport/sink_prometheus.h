/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sink --prometheus [HOST]:PORT: metrics of requests, of the traced processes
 * (target_info) and of goexport itself, for a server that scrapes them.
 */
#ifndef GOEXPORT_SINK_PROMETHEUS_H
#define GOEXPORT_SINK_PROMETHEUS_H

#include "errinfo.h"
#include "options.h"
#include "sink.h"

/*
 * @sinks and *@n: all sinks of this run, for their counters; they stay until
 * this one is closed. 0; -EINVAL if the address is none, or
 * another -errno, with the reason in @e.
 */
int sink_prometheus_open(struct sink **s, const struct options *o, const char *address,
			 struct sink *const *sinks, const _Atomic size_t *n, struct errinfo *e);

#endif
