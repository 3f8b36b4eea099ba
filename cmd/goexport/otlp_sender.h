/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that delivers batches to one OTLP receiver: retries what may be
 * retried, counts in the sink what arrived and what did not, and says on stderr
 * when the receiver goes away or comes back. Started and ended by sink_otlp.
 */
#ifndef GOEXPORT_OTLP_SENDER_H
#define GOEXPORT_OTLP_SENDER_H

#include "options.h"
#include "outbox.h"
#include "sink.h"

struct otlp_sender;

/*
 * Begins to send what comes into @ob to @url. @s, its target included, and @ob are
 * borrowed until the end. 0 or -errno with the reason in @e.
 */
int otlp_sender_start(struct otlp_sender **out, const struct options *o, struct sink *s,
		      struct outbox *ob, const char *url, struct errinfo *e);
/* Waits until it has seen to all of the outbox, which must be closed, and frees it. */
void otlp_sender_end(struct otlp_sender *t);

#endif
