/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HTTP server that Prometheus scrapes: GET and HEAD of /metrics, by
 * libmicrohttpd, in a thread of its own. Called by sink_prometheus.
 */
#ifndef GOEXPORT_PROMSERVE_H
#define GOEXPORT_PROMSERVE_H

#include <stddef.h>

#include "errinfo.h"
#include "textbuf.h"

struct promserve;

/*
 * Listens on "[HOST]:PORT" (an IPv6 address in brackets; no host is 127.0.0.1;
 * port 0 takes a free one). @page fills a page at each scrape, in the server's
 * thread. 0; -EINVAL if the address is none, or another -errno, with the reason in @e.
 */
int promserve_start(struct promserve **out, const char *address,
		    void (*page)(void *arg, struct textbuf *p), void *arg, struct errinfo *e);
/* Ends the thread. */
void promserve_stop(struct promserve *s);
/* "http://HOST:PORT/metrics", with the port that is really used; borrowed. */
const char *promserve_url(const struct promserve *s);

#endif
