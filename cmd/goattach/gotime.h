/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A time.Time as text. Used where events are written; owns nothing.
 */
#ifndef GOATTACH_GOTIME_H
#define GOATTACH_GOTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * From the words wall and ext of a time.Time (src/time/time.go, Go 1.9 and later) to
 * RFC 3339 in UTC, "2026-11-30T17:45:01.000000005Z", without a fraction that is 0; 40
 * bytes in @buf are enough. False if its year is not one of 1 to 9999.
 */
bool gotime_text(uint64_t wall, uint64_t ext, char *buf, size_t size);

#endif
