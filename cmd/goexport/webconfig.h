/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS and passwords of the page of metrics, from a file as Prometheus' own programs
 * take it (prometheus/exporter-toolkit, docs/web-configuration.md):
 *
 *	tls_server_config:
 *	  cert_file: server.crt
 *	  key_file: server.key
 *	  client_auth_type: RequireAndVerifyClientCert
 *	  client_ca_file: ca.crt
 *	basic_auth_users:
 *	  alice: $2y$10$…
 *
 * Of YAML that is: these keys, with plain or quoted values, and comments. What is not
 * understood is an error, because leaving it out could leave a door open.
 */
#ifndef GOEXPORT_WEBCONFIG_H
#define GOEXPORT_WEBCONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "errinfo.h"

#define WEBCONFIG_MAX_USERS 64

struct webconfig {
	char *cert, *key, *client_ca; /* what the files hold; NULL where there is none */
	struct {
		char *name, *hash; /* of crypt(5) */
	} users[WEBCONFIG_MAX_USERS];
	size_t n_users;
};

/* Files that it names are beside it unless they begin with '/'. 0 or -errno, the reason in @e. */
int webconfig_read(struct webconfig *w, const char *path, struct errinfo *e);
void webconfig_release(struct webconfig *w);

/* Whether it knows this user with this password. Takes as long as the hash is meant to. */
bool webconfig_knows(const struct webconfig *w, const char *user, const char *password);
/* Whether two secrets are one, in a time that does not tell where they differ. */
bool webconfig_same(const char *a, const char *b);

#endif
