/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queue between the thread that reads spans and one that sends them: requests,
 * in order. Bounds are kept by the reader, who knows what it counts; the outbox
 * says how many bytes it holds.
 */
#ifndef GOEXPORT_OUTBOX_H
#define GOEXPORT_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parcel.h"

struct outbox;

struct outbox *outbox_new(void);
/* No thread may use it any more. */
void outbox_free(struct outbox *ob);

/* The reader's side. Hands @p over. */
void outbox_put(struct outbox *ob, struct parcel *p);
/* Bytes of all requests put in and not yet done. */
size_t outbox_bytes(struct outbox *ob);
/* Waits until a request is done, but no longer than @ms. */
void outbox_wait(struct outbox *ob, int64_t ms);
/* Wakes the sender from outbox_take(), because there is work elsewhere. */
void outbox_poke(struct outbox *ob);
/* No more comes; what is there may be sent until @deadline (of clock_ms()). */
void outbox_close(struct outbox *ob, int64_t deadline);

/* The sender's side. Waits for a request; NULL when closed and empty (then @end), or poked. */
struct parcel *outbox_take(struct outbox *ob, bool *end);
/* The same without waiting; NULL when empty. */
struct parcel *outbox_take_now(struct outbox *ob);
/* A request of @len bytes that was taken is sent, given up or kept elsewhere. */
void outbox_done(struct outbox *ob, size_t len);
/*
 * Sleeps until @when, but not past the deadline, and, with @hurry, no longer than
 * until the outbox is closed.
 */
void outbox_sleep(struct outbox *ob, int64_t when, bool hurry);
bool outbox_closed(struct outbox *ob);
/* Whether it is closed and the deadline has passed. */
bool outbox_late(struct outbox *ob);

#endif
