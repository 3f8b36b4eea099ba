/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hashes of trace ids, for tables that find traces. Callers of a traced program choose
 * ids: without a secret they could choose them so that all meet in one bucket.
 */
#ifndef GOEXPORT_IDHASH_H
#define GOEXPORT_IDHASH_H

#include <stdint.h>

/* The same for the same id as long as the program runs, never 0; all 64 bits are good. */
uint64_t idhash(const uint8_t id[16]);

#endif
