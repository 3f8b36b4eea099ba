// SPDX-License-Identifier: Apache-2.0
#include "promtls.h"

#include <gnutls/gnutls.h>

bool promtls_verified(struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *i =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_GNUTLS_SESSION);
	unsigned status = 0;

	return i && i->tls_session &&
	       !gnutls_certificate_verify_peers2((gnutls_session_t)i->tls_session, &status) &&
	       !status;
}

unsigned promtls_options(const struct webconfig *web, struct MHD_OptionItem tls[PROMTLS_OPTIONS])
{
	size_t n = 0;

	if (web->cert) {
		tls[n++] = (struct MHD_OptionItem){ MHD_OPTION_HTTPS_MEM_CERT, 0, web->cert };
		tls[n++] = (struct MHD_OptionItem){ MHD_OPTION_HTTPS_MEM_KEY, 0, web->key };
	}
	if (web->client_ca)
		tls[n++] = (struct MHD_OptionItem){ MHD_OPTION_HTTPS_MEM_TRUST, 0, web->client_ca };
	tls[n] = (struct MHD_OptionItem){ MHD_OPTION_END, 0, NULL };
	return web->cert ? MHD_USE_TLS : 0;
}
