/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that delivers requests to one OTLP receiver: retries what may be
 * retried, counts in the sink what arrived and what did not, keeps on disk what
 * cannot be sent now if there is a spool, and says on stderr when the receiver goes
 * away or comes back. Started and ended by the sinks of OTLP.
 */
#ifndef GOEXPORT_OTLP_SENDER_H
#define GOEXPORT_OTLP_SENDER_H

#include "otlp_choice.h"
#include "outbox.h"
#include "sink.h"
#include "spool.h"

struct otlp_sender;

struct otlp_route {
	const char *url;
	const struct otlp_choice *how;
	enum otlp_signal signal;
	int64_t retry_ms;    /* the longest that one request is tried again */
	struct outbox *ob;   /* what comes in here is sent */
	struct spool *spool; /* NULL: memory only */
	_Atomic uint64_t
		*batch; /* how many items a request may have: halved on a receiver's word */
};

/*
 * Begins to send. @s, its target included, and all that @r points to are borrowed
 * until the end. 0 or -errno with the reason in @e.
 */
int otlp_sender_start(struct otlp_sender **out, const struct otlp_route *r, struct sink *s,
		      struct errinfo *e);
/* Waits until it has seen to all of the outbox, which must be closed, and frees it. */
void otlp_sender_end(struct otlp_sender *t);

#endif
