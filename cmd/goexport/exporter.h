/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From records to sinks: reads the stream, keeps the resources, hands every span
 * to every sink, sums up what was lost on the way, and at the end flushes the
 * sinks and says what did not arrive. Called by main, which owns it.
 */
#ifndef GOEXPORT_EXPORTER_H
#define GOEXPORT_EXPORTER_H

#include "options.h"

struct exporter;

/*
 * Opens all sinks of @o, which is borrowed for the exporter's life. NULL when one
 * cannot be opened; *@status is then the exit status, and the message is out.
 */
struct exporter *exporter_new(const struct options *o, int *status);
/* Until end of input, SIGTERM, or no sink is left. Returns an enum gotap_exit. */
int exporter_run(struct exporter *x);
void exporter_free(struct exporter *x);

#endif
