/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HTTP server that Prometheus scrapes: GET and HEAD of /metrics, by
 * libmicrohttpd, in a thread of its own. Called by sink_prometheus.
 */
#ifndef GOEXPORT_PROMSERVE_H
#define GOEXPORT_PROMSERVE_H

#include <stddef.h>

#include "errinfo.h"
#include "prompage.h"
#include "webconfig.h"

struct promserve;

struct promserve_settings {
	const char
		*address; /* "[HOST]:PORT", an IPv6 address in brackets; without HOST 127.0.0.1 */
	/* Fills a page, which is begun and ended here; at each scrape, in the server's thread. */
	void (*page)(void *arg, struct prompage *p);
	void *arg;
	const struct webconfig *web; /* all empty: clear text, for everybody */
	bool protobuf;		     /* offer that format, too */
};

/*
 * Port 0 takes a free one. @s is copied, what it points to borrowed. 0; -EINVAL if the
 * address is none or the certificate no good, or another -errno, with the reason in @e.
 */
int promserve_start(struct promserve **out, const struct promserve_settings *s, struct errinfo *e);
/* Ends the thread. */
void promserve_stop(struct promserve *s);
/* "http://HOST:PORT/metrics", or https, with the port that is really used; borrowed. */
const char *promserve_url(const struct promserve *s);

#endif
