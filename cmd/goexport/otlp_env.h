/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The OTEL_EXPORTER_OTLP_* variables (OpenTelemetry specification v1.60.0,
 * "OTLP exporter"). Read after the command line, which wins. A value that makes
 * no sense is warned about and ignored, as the specification asks.
 */
#ifndef GOEXPORT_OTLP_ENV_H
#define GOEXPORT_OTLP_ENV_H

#include "options.h"

/* ENDPOINT, when no sink was named; true if it gave one. */
bool otlp_env_endpoint(struct options *o);
/* HEADERS that the command line does not have. */
void otlp_env_headers(struct options *o);
/* TIMEOUT in milliseconds, or @otherwise. */
int64_t otlp_env_timeout(int64_t otherwise);

/*
 * "key=value" (@decode: the value percent-decoded) as a header line "key: value"
 * in new memory; NULL if it is none.
 */
char *otlp_header_line(const char *pair, size_t len, bool decode);

#endif
