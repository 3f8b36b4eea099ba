/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sink --tree: each trace as a waterfall on standard output. Opened by exporter.c; it keeps
 * traces until they are finished, and ends when nobody reads.
 */
#ifndef GOEXPORT_SINK_TREE_H
#define GOEXPORT_SINK_TREE_H

#include "errinfo.h"
#include "options.h"
#include "sink.h"

/* 0 or -errno with the reason in @e. @o is borrowed only for the call. */
int sink_tree_open(struct sink **s, const struct options *o, struct errinfo *e);

#endif
