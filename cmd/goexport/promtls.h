/* SPDX-License-Identifier: Apache-2.0 */
/* Client certificates: libmicrohttpd asks for one, but leaves it to us to look at it. */
#ifndef GOEXPORT_PROMTLS_H
#define GOEXPORT_PROMTLS_H

#include <microhttpd.h>
#include <stdbool.h>

/* Whether the other side has shown a certificate that the client_ca_file vouches for. */
bool promtls_verified(struct MHD_Connection *c);

#endif
