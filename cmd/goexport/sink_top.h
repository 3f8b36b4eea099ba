/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sink --top: a table of requests by service and route that keeps itself up to
 * date; on a terminal with keys, else as text from time to time.
 */
#ifndef GOEXPORT_SINK_TOP_H
#define GOEXPORT_SINK_TOP_H

#include "errinfo.h"
#include "options.h"
#include "sink.h"

/* 0 or -errno with the reason in @e. @o is borrowed only for the call. */
int sink_top_open(struct sink **s, const struct options *o, struct errinfo *e);

#endif
