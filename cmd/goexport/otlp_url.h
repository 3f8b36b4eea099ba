/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which URL a signal goes to. Called by the sinks of OTLP when they are opened, which own the
 * texts; an endpoint that is no URL fails there, and is never shown with its password.
 */
#ifndef GOEXPORT_OTLP_URL_H
#define GOEXPORT_OTLP_URL_H

#include <stdbool.h>

#include "errinfo.h"
#include "otlp_choice.h"

/*
 * The URL to POST @signal to, in new memory. By HTTP that is @text, a base
 * endpoint, with v1/traces or v1/metrics appended, unless its path ends so already
 * or @exact (OTEL_EXPORTER_OTLP_TRACES_ENDPOINT); by gRPC its host and port with the
 * method as path, where @text needs no scheme (https then, with @c->insecure http).
 * @shown is the same without a password, for messages, in new memory. 0, -EINVAL with
 * the reason in @e, -ENOMEM.
 */
int otlp_url(const char *text, bool exact, enum otlp_signal signal, const struct otlp_choice *c,
	     char **url, char **shown, struct errinfo *e);

#endif
