/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS of goexport's servers. Of client certificates: libmicrohttpd asks for one, but
 * leaves it to us to look at it. Called by promserve and webserve.
 */
#ifndef GOEXPORT_PROMTLS_H
#define GOEXPORT_PROMTLS_H

#include <microhttpd.h>
#include <stdbool.h>

#include "webconfig.h"

#define PROMTLS_OPTIONS 4

/* Whether the other side has shown a certificate that the client_ca_file vouches for. */
bool promtls_verified(struct MHD_Connection *c);
/* For MHD_OPTION_ARRAY, with flags for the daemon; the configuration stays as long as it. */
unsigned promtls_options(const struct webconfig *web, struct MHD_OptionItem tls[PROMTLS_OPTIONS]);

#endif
