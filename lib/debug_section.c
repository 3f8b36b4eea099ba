// SPDX-License-Identifier: Apache-2.0
#include "debug_section.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "le.h"

/* deflate makes nothing smaller than this. */
#define MAX_RATIO 1032

#ifndef ELFCOMPRESS_ZSTD /* not in glibc 2.36 */
#define ELFCOMPRESS_ZSTD 2
#endif

static bool inflate_zlib(uint8_t *out, size_t size, const uint8_t *in, size_t in_len)
{
	uLongf got = size;

	return uncompress(out, &got, in, in_len) == Z_OK && got == size;
}

/* Straight into the section's memory: what is referred back to is there, in no window. */
static bool inflate_zstd(uint8_t *out, size_t size, const uint8_t *in, size_t in_len)
{
	return ZSTD_decompress(out, size, in, in_len) == size;
}

static int inflate_all(const char *name, const uint8_t *in, size_t in_len, uint64_t size,
		       bool (*inflate)(uint8_t *, size_t, const uint8_t *, size_t),
		       struct debug_section *out, struct errinfo *e)
{
	if (size > out->len)
		return errinfo_set(e, -EFBIG, "%s: %llu bytes are too many", name,
				   (unsigned long long)size);
	if (!size || (inflate == inflate_zlib && size / MAX_RATIO > in_len))
		return errinfo_set(e, -EBADMSG, "%s: %zu bytes cannot inflate to %llu", name,
				   in_len, (unsigned long long)size);
	out->owned = malloc(size);
	if (!out->owned)
		return errinfo_set(e, -ENOMEM, "out of memory");
	if (!inflate(out->owned, size, in, in_len)) {
		free(out->owned);
		out->owned = NULL;
		return errinfo_set(e, -EBADMSG, "%s: cannot be inflated", name);
	}
	out->p = out->owned;
	out->len = size;
	return 0;
}

static int load_compressed(const char *name, const uint8_t *p, size_t len,
			   struct debug_section *out, struct errinfo *e)
{
	Elf64_Chdr c;

	if (len < sizeof(c))
		return errinfo_set(e, -EBADMSG, "%s: header cut short", name);
	memcpy(&c, p, sizeof(c));
	if (c.ch_type != ELFCOMPRESS_ZLIB && c.ch_type != ELFCOMPRESS_ZSTD)
		return errinfo_set(e, -ENOTSUP, "%s: compression %u is not known", name, c.ch_type);
	return inflate_all(name, p + sizeof(c), len - sizeof(c), c.ch_size,
			   c.ch_type == ELFCOMPRESS_ZLIB ? inflate_zlib : inflate_zstd, out, e);
}

/* "ZLIB" and the size, big-endian. */
static int load_zdebug(const char *name, const uint8_t *p, size_t len, struct debug_section *out,
		       struct errinfo *e)
{
	uint64_t size = 0;

	if (len < 12 || memcmp(p, "ZLIB", 4) != 0)
		return errinfo_set(e, -EBADMSG, "%s: no ZLIB header", name);
	for (int i = 4; i < 12; i++)
		size = size << 8 | p[i];
	return inflate_all(name, p + 12, len - 12, size, inflate_zlib, out, e);
}

bool debug_section_any(const struct gobin *b)
{
	return gobin_section(b, ".debug_info") || gobin_section(b, ".zdebug_info");
}

static int load(const struct gobin *b, const char *name, struct debug_section *out,
		struct errinfo *e)
{
	const struct gobin_section *s;
	const uint8_t *p;
	char full[64];
	bool zdebug = false;
	int r;

	snprintf(full, sizeof(full), ".debug_%s", name);
	s = gobin_section(b, full);
	if (!s) {
		snprintf(full, sizeof(full), ".zdebug_%s", name);
		s = gobin_section(b, full);
		zdebug = s != NULL;
	}
	if (!s)
		return errinfo_set(e, -ENODATA, "no section .debug_%s", name);
	p = gobin_section_data(b, s);
	if (!p)
		return errinfo_set(e, -EBADMSG,
				   "%s: %llu bytes at offset 0x%llx are not in the file", full,
				   (unsigned long long)s->size, (unsigned long long)s->offset);
	if (!zdebug && !(s->flags & SHF_COMPRESSED)) {
		out->p = p;
		out->len = s->size;
		return 0;
	}
	r = zdebug ? load_zdebug(full, p, s->size, out, e)
		   : load_compressed(full, p, s->size, out, e);
	gobin_section_done(b, s);
	return r;
}

int debug_section_load(const struct gobin *b, const char *name, size_t max,
		       struct debug_section *out, struct errinfo *e)
{
	int r;

	/* Until it is there, the length is the one that it may have. */
	*out = (struct debug_section){ .len = max };
	/* All from one file. */
	if (!debug_section_any(b) && gobin_debug(b))
		b = gobin_debug(b);
	r = load(b, name, out, e);
	if (r)
		*out = (struct debug_section){ 0 };
	return r;
}

void debug_section_release(struct debug_section *s)
{
	free(s->owned);
	memset(s, 0, sizeof(*s));
}
