/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sink --file PATH: OTLP/JSON lines, a batch of spans each. Opened by exporter.c; a file that
 * cannot be written ends this sink and no other.
 */
#ifndef GOEXPORT_SINK_FILE_H
#define GOEXPORT_SINK_FILE_H

#include "errinfo.h"
#include "options.h"
#include "sink.h"

/*
 * Opens @path, emptied if it is there ("-": standard output). 0 or -errno with the
 * reason in @e. @o is borrowed only for the call.
 */
int sink_file_open(struct sink **s, const struct options *o, const char *path, struct errinfo *e);

#endif
