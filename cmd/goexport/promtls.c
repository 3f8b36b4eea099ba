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
