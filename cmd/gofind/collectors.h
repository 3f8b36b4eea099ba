/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs written in Go that receive traces: tracing them makes spans of spans,
 * so --all leaves them out.
 */
#ifndef GOFIND_COLLECTORS_H
#define GOFIND_COLLECTORS_H

#include <stdbool.h>

/* By main module path, and by the main package's where there is no module. */
bool is_collector(const char *module, const char *package);

#endif
