/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queue between the thread that reads spans and one that sends them: sealed
 * batches, in order. The reader asks for an empty batch, fills it and puts it in;
 * the sender takes one, sends it and hands it back. Bounds are kept by the reader,
 * who knows what it counts; the outbox says how many bytes it holds.
 */
#ifndef GOEXPORT_OUTBOX_H
#define GOEXPORT_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "batch.h"

struct outbox;

struct outbox *outbox_new(void);
/* No thread may use it any more. */
void outbox_free(struct outbox *ob);

/* The reader's side. An empty batch; NULL when out of memory. */
struct batch *outbox_empty(struct outbox *ob);
/* Hands @b over. */
void outbox_put(struct outbox *ob, struct batch *b);
/* Bytes of all batches put in and not yet done. */
size_t outbox_bytes(struct outbox *ob);
/* Waits until a batch is done, but no longer than @ms. */
void outbox_wait(struct outbox *ob, int64_t ms);
/* No more comes; what is there may be sent until @deadline (of clock_ms()). */
void outbox_close(struct outbox *ob, int64_t deadline);

/* The sender's side. Waits for a batch; NULL when closed and empty. */
struct batch *outbox_take(struct outbox *ob);
/* The batch that was taken is sent or given up. */
void outbox_done(struct outbox *ob, struct batch *b);
/*
 * Sleeps until @when, but not past the deadline, and, with @hurry, no longer than
 * until the outbox is closed.
 */
void outbox_sleep(struct outbox *ob, int64_t when, bool hurry);
/* Whether it is closed and the deadline has passed. */
bool outbox_late(struct outbox *ob);

#endif
