/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Server-sent events: one stream that all open pages get. What is said is written
 * once into a ring; each page reads from it at its own pace, and one that is too slow
 * is told that it missed something rather than being waited for. A thread wakes the
 * pages. Called by webserve.
 */
#ifndef GOEXPORT_WEBFEED_H
#define GOEXPORT_WEBFEED_H

#include <microhttpd.h>

#include "webdata.h"

struct webfeed;

/* @d is borrowed. NULL when out of memory or without a thread. */
struct webfeed *webfeed_new(struct webdata *d);
/* Every page's stream ends; before the server is stopped. */
void webfeed_close(struct webfeed *f);
/* After that. */
void webfeed_free(struct webfeed *f);
/* The stream for one more page; NULL when out of memory. */
struct MHD_Response *webfeed_response(struct webfeed *f, struct MHD_Connection *c);
/* How many pages are open. */
unsigned webfeed_pages(struct webfeed *f);

#endif
