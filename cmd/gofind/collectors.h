/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Telemetry collectors and agents written in Go. Tracing the program that
 * receives the traces makes spans of spans, so --all leaves these out.
 */
#ifndef GOFIND_COLLECTORS_H
#define GOFIND_COLLECTORS_H

#include <stdbool.h>

/* By main module path, and by the main package's where there is no module. */
bool is_collector(const char *module, const char *package);

#endif
