/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sink --web: a page that shows the traces, see webserve.h. Opened by exporter.c; it owns
 * the store of traces and the server.
 */
#ifndef GOEXPORT_SINK_WEB_H
#define GOEXPORT_SINK_WEB_H

#include "errinfo.h"
#include "options.h"
#include "sink.h"

/*
 * Serves at @address. @sinks and their number are borrowed, for the page to show.
 * 0; -EINVAL if the address is none, or another -errno, with the reason in @e.
 */
int sink_web_open(struct sink **s, const struct options *o, const char *address,
		  struct sink *const *sinks, const _Atomic size_t *n, struct errinfo *e);

#endif
