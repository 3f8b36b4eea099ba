/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may see the page: from this machine anybody, unless a token is set; from others
 * whoever has the token, by a cookie (that the link with ?token= sets) or as a bearer
 * token; with --web-config whoever has a password or a certificate. Without any of
 * these a Host header must name this machine, because else any site
 * could point a name of its own here and read what a visitor's browser gets.
 */
#ifndef GOEXPORT_WEBAUTH_H
#define GOEXPORT_WEBAUTH_H

#include <microhttpd.h>
#include <stdbool.h>

#include "errinfo.h"
#include "promauth.h"

#define WEBAUTH_MIN 16
#define WEBAUTH_MAX 128

struct webauth {
	char token[WEBAUTH_MAX + 1]; /* empty: none is needed */
	char cookie[24];	     /* its name; ports of one host share cookies */
	struct webconfig config;     /* TLS and passwords; empty without --web-config */
	struct promauth basic;
};

/*
 * Reads the file @config, if it is not NULL. The token is that of GOTAP_WEB_TOKEN; else
 * a random one where @loopback is false and the file asks neither for passwords nor for
 * certificates. 0, or -EINVAL or another -errno with the reason in @e.
 */
int webauth_init(struct webauth *a, const char *config, bool loopback, const char *url,
		 struct errinfo *e);
void webauth_release(struct webauth *a);
/* Whether the request may go on. */
bool webauth_allows(struct webauth *a, struct MHD_Connection *c);
/* Whether it brings the token in its query: then the cookie is to be set. */
bool webauth_in_query(const struct webauth *a, struct MHD_Connection *c);

#endif
