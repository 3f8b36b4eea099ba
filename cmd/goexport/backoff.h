/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long to wait before the next try: doubling from half a second to 30 s, each
 * between half and one and a half of that by chance, so that many senders do not
 * come back at one moment.
 */
#ifndef GOEXPORT_BACKOFF_H
#define GOEXPORT_BACKOFF_H

#include <stdint.h>

struct backoff {
	int64_t next_ms; /* 0 before the first failure; set it to 0 after a success */
	unsigned seed;
};

/* Milliseconds to wait now. */
int64_t backoff_next(struct backoff *b);

#endif
