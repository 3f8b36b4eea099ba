/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a debug section, inflated where they are compressed (zlib or
 * zstd by SHF_COMPRESSED, zlib as .zdebug_… of Go up to 1.18 or so). libdw would inflate
 * every debug section of the file at once; here only what is asked for is. They come
 * from the binary or, where it has none, from the separate file that is attached to it.
 */
#ifndef GOTAP_DEBUG_SECTION_H
#define GOTAP_DEBUG_SECTION_H

#include <stddef.h>
#include <stdint.h>

#include "errinfo.h"
#include "gobin.h"

struct debug_section {
	const uint8_t *p;
	size_t len;
	uint8_t *owned; /* what to free, NULL if @p is in the file */
};

/*
 * @name without ".debug_": "info". -ENODATA: no such section; -EBADMSG: it cannot
 * be inflated; -EFBIG: inflated it takes more than @max bytes; -ENOTSUP: another compression;
 * -ENOMEM.
 */
int debug_section_load(const struct gobin *b, const char *name, size_t max,
		       struct debug_section *out, struct errinfo *e);
/* Whether the file itself, without one attached, has debug information. */
bool debug_section_any(const struct gobin *b);
void debug_section_release(struct debug_section *s);

#endif
