/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The OTEL_* variables (OpenTelemetry specification v1.60.0, "OTLP exporter",
 * "SDK environment variables"). Read after the command line, which wins; the one
 * of a signal wins over the one of all.
 */
#ifndef GOEXPORT_OTLP_ENV_H
#define GOEXPORT_OTLP_ENV_H

#include "options.h"

/*
 * PROTOCOL, COMPRESSION, TIMEOUT, CERTIFICATE, CLIENT_CERTIFICATE, CLIENT_KEY,
 * INSECURE and HEADERS for @signal into @c; @o owns text that is made.
 */
void otlp_env_choice(struct options *o, enum otlp_signal signal, struct otlp_choice *c);

/*
 * The sinks that OTEL_TRACES_EXPORTER, OTEL_METRICS_EXPORTER and the ENDPOINT
 * variables ask for, beside or instead of what the command line named.
 */
void otlp_env_sinks(struct options *o);

/* OTEL_BSP_*, OTEL_METRIC_* and OTEL_SDK_DISABLED, where no option said otherwise. */
void otlp_env_limits(struct options *o);

#endif
