/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sink --otlp URL: spans to an OTLP receiver, from a thread of its own with a queue of
 * its own. Opened by exporter.c; a receiver that fails costs others nothing.
 */
#ifndef GOEXPORT_SINK_OTLP_H
#define GOEXPORT_SINK_OTLP_H

#include "errinfo.h"
#include "options.h"
#include "sink.h"

/*
 * 0; -EINVAL if that is no URL, or another -errno, with the reason in @e. @o is
 * borrowed for the sink's life.
 */
int sink_otlp_open(struct sink **s, const struct options *o, const struct sink_choice *c,
		   struct errinfo *e);

#endif
