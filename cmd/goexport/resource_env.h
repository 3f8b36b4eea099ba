/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES of goexport's own environment
 * (OpenTelemetry specification v1.60.0, "Resource SDK"): attributes of every
 * process that does not say otherwise in its environment.
 */
#ifndef GOEXPORT_RESOURCE_ENV_H
#define GOEXPORT_RESOURCE_ENV_H

#include "options.h"

/* Into o->env_resource. Any error discards all of OTEL_RESOURCE_ATTRIBUTES. */
void resource_env_read(struct options *o);

#endif
