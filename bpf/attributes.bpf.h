/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reading a slice of OpenTelemetry's attribute.KeyValue: for each one word of enum
 * gotap_attribute's parts, the key and the value, both padded to 8 bytes.
 */
#ifndef GOTAP_ATTRIBUTES_BPF_H
#define GOTAP_ATTRIBUTES_BPF_H

#include "fetch.bpf.h"

enum { ATTRIBUTES_AT_ONCE = 32 };

/* Its value goes behind the key: how many bytes it has, from s->text_at.first on. */
static __always_inline int attribute_value(struct scratch *s)
{
	if (s->attributes.type != GOTAP_ATTRIBUTE_STRING) {
		s->text_at.first = s->attributes.at + (s->attributes.layout >> 24 & 255);
		s->text_at.second = s->attributes.type < GOTAP_ATTRIBUTE_STRING ? 8 : 0;
		if (!s->attributes.type || !s->text_at.second)
			s->attributes.other = 1;
		if (!s->attributes.type)
			s->text_at.second = 0;
		return 1;
	}
	if (bpf_probe_read_user(
		    &s->text_at, sizeof(s->text_at),
		    (const void *)(s->attributes.at + (s->attributes.layout >> 32 & 255))))
		return 0;
	if (s->text_at.second > GOTAP_MAX_ATTRIBUTE_TEXT) {
		s->attributes.cut = 1;
		s->text_at.second = GOTAP_MAX_ATTRIBUTE_TEXT;
	}
	return 1;
}

/*
 * The next one; 0 if there is none, or no room. Not static, see foreign_read(); and all that
 * lives longer than a read is in the map, for the same reason.
 */
__noinline int attribute_read(__u64 thread)
{
	struct scratch *s = bpf_map_lookup_elem(&threads, &thread);
	__u64 off, n;

	if (!s || !s->attributes.left || s->attributes.off > GOTAP_MAX_DATA)
		return 0;
	if (bpf_probe_read_user(
		    &s->text_at, sizeof(s->text_at),
		    (const void *)(s->attributes.at + (s->attributes.layout >> 8 & 255))) ||
	    bpf_probe_read_user(
		    &s->attributes.type, sizeof(s->attributes.type),
		    (const void *)(s->attributes.at + (s->attributes.layout >> 16 & 255))))
		return 0;
	s->attributes.type &= 255;
	s->attributes.key_len = s->text_at.second;
	if (s->attributes.key_len > GOTAP_MAX_ATTRIBUTE_KEY)
		return 0;
	off = s->attributes.off;
	n = s->attributes.key_len;
	AT_MOST(off, GOTAP_MAX_DATA);
	AT_MOST(n, GOTAP_MAX_ATTRIBUTE_KEY);
	if (bpf_probe_read_user(s->data + off + 8, n, (const void *)s->text_at.first))
		return 0;
	s->attributes.cut = 0;
	if (!attribute_value(s))
		return 0;
	off = s->attributes.off;
	AT_MOST(off, GOTAP_MAX_DATA);
	*(__u64 *)(s->data + off) = s->attributes.type |
				    s->attributes.key_len << GOTAP_ATTRIBUTE_KEY_SHIFT |
				    s->text_at.second << GOTAP_ATTRIBUTE_LEN_SHIFT |
				    (__u64)s->attributes.cut << GOTAP_ATTRIBUTE_CUT_SHIFT;
	s->attributes.off = off + 8 + ((s->attributes.key_len + 7) & ~7ULL);
	off = s->attributes.off;
	n = s->text_at.second;
	AT_MOST(off, GOTAP_MAX_DATA + 8 + GOTAP_MAX_ATTRIBUTE_KEY);
	AT_MOST(n, GOTAP_MAX_ATTRIBUTE_TEXT);
	if (n && bpf_probe_read_user(s->data + off, n, (const void *)s->text_at.first))
		return 0;
	s->attributes.off += (s->text_at.second + 7) & ~7ULL;
	s->attributes.at += s->attributes.layout & 255;
	s->attributes.left--;
	return 1;
}

/*
 * s->attributes.left of them at s->attributes.at, into the record at s->ev.used as one text,
 * whose first 6 bytes are nothing. 0, or 1 if there are more.
 */
__noinline int attributes_read(__u64 thread)
{
	struct scratch *s = bpf_map_lookup_elem(&threads, &thread);
	__u64 from, off, last;

	if (!s)
		return 0;
	from = s->ev.used;
	if (from > GOTAP_MAX_DATA)
		return 1;
	last = s->attributes.off = from + 8;
	for (int i = 0; i < ATTRIBUTES_AT_ONCE; i++) {
		if (!attribute_read(thread))
			break;
		last = s->attributes.off;
	}
	AT_MOST(from, GOTAP_MAX_DATA);
	off = last - from - 2;
	*(__u16 *)(s->data + from) = off;
	s->ev.used = last;
	return s->attributes.left != 0;
}

#endif
