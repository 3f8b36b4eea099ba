/* SPDX-License-Identifier: Apache-2.0 */
/* Which URL traces go to. Called by sink_otlp. */
#ifndef GOEXPORT_OTLP_URL_H
#define GOEXPORT_OTLP_URL_H

#include <stdbool.h>

#include "errinfo.h"

/*
 * The URL to POST traces to, in new memory: @text, a base endpoint, with v1/traces
 * appended as for OTEL_EXPORTER_OTLP_ENDPOINT, unless its path ends so already or
 * @exact (OTEL_EXPORTER_OTLP_TRACES_ENDPOINT). @shown is the same without a
 * password, for messages, in new memory. 0, -EINVAL with the reason in @e, -ENOMEM.
 */
int otlp_url(const char *text, bool exact, char **url, char **shown, struct errinfo *e);

#endif
