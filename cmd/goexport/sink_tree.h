/* SPDX-License-Identifier: Apache-2.0 */
/* The sink --tree: each trace as a waterfall on standard output. */
#ifndef GOEXPORT_SINK_TREE_H
#define GOEXPORT_SINK_TREE_H

#include "errinfo.h"
#include "options.h"
#include "sink.h"

/* NULL with the reason in @e. @o is borrowed only for the call. */
struct sink *sink_tree_open(const struct options *o, struct errinfo *e);

#endif
