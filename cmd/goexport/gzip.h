/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gzip (RFC 1952) in memory, by zlib. Called by sinks and servers, each with its own packer,
 * which is used again and again; output belongs to the caller.
 */
#ifndef GOEXPORT_GZIP_H
#define GOEXPORT_GZIP_H

#include <stddef.h>

#include "textbuf.h"

/* What compressing needs, kept from one time to the next; NULL when out of memory. */
struct gzip;

struct gzip *gzip_new(void);
void gzip_free(struct gzip *z);
/* Appends @len bytes as one whole gzip member to @out. Only memory can fail it. */
void gzip_pack(struct gzip *z, const void *p, size_t len, struct textbuf *out);

/* Appends what gzip data holds, up to @most bytes; false if it is none. */
bool gzip_unpack(const void *p, size_t len, size_t most, struct textbuf *out);

#endif
