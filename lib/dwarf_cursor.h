/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading the numbers and strings of a DWARF section one after the other, never
 * past its end. Used by the readers of entries and abbreviations. Nothing here
 * allocates; what fails gives 0 and sets the cursor's mark.
 */
#ifndef GOTAP_DWARF_CURSOR_H
#define GOTAP_DWARF_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A place in a section; @bad stays set once a read went past the end. */
struct cursor {
	const uint8_t *p, *end;
	bool bad;
};

static inline uint64_t cursor_get(struct cursor *c, unsigned n)
{
	uint64_t v = 0;

	if ((size_t)(c->end - c->p) < n) {
		c->bad = true;
		c->p = c->end;
		return 0;
	}
	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)c->p[i] << (8 * i);
	c->p += n;
	return v;
}

static inline void cursor_skip(struct cursor *c, uint64_t n)
{
	if ((uint64_t)(c->end - c->p) < n) {
		c->bad = true;
		c->p = c->end;
		return;
	}
	c->p += n;
}

static inline uint64_t cursor_uleb(struct cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0; c->p < c->end; shift += 7) {
		uint8_t byte = *c->p++;

		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
	c->bad = true;
	return 0;
}

static inline int64_t cursor_sleb(struct cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0; c->p < c->end;) {
		uint8_t byte = *c->p++;

		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (!(byte & 0x80)) {
			if (shift < 64 && byte & 0x40)
				v |= -(uint64_t)1 << shift;
			return (int64_t)v;
		}
	}
	c->bad = true;
	return 0;
}

static inline const char *cursor_string(struct cursor *c)
{
	const uint8_t *s = c->p, *nul = memchr(s, 0, (size_t)(c->end - s));

	if (!nul) {
		c->bad = true;
		c->p = c->end;
		return NULL;
	}
	c->p = nul + 1;
	return (const char *)s;
}

#endif
