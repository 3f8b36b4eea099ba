/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page's HTTP server: its files, what it asks for (webapi), and the stream of
 * events (webfeed), by libmicrohttpd in a thread of its own. Called by sink_web.
 */
#ifndef GOEXPORT_WEBSERVE_H
#define GOEXPORT_WEBSERVE_H

#include "errinfo.h"
#include "webdata.h"

struct webserve;

/*
 * Listens on "[HOST]:PORT" as httplisten_open(). @config: the file of TLS and
 * passwords, or NULL. @d is borrowed. 0; -EINVAL if the address or the file is none, or
 * another -errno, with the reason in @e.
 */
int webserve_start(struct webserve **out, const char *address, const char *config,
		   struct webdata *d, struct errinfo *e);
void webserve_stop(struct webserve *s);
/* Where the page is, with the token if it needs one; borrowed. */
const char *webserve_url(const struct webserve *s);

#endif
