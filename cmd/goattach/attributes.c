// SPDX-License-Identifier: Apache-2.0
#include "attributes.h"

#include <math.h>
#include <string.h>

enum { NOTHING = 6, WORD = 8 }; /* bytes in front of the first one; of a first word */

static size_t padded(size_t n)
{
	return (n + WORD - 1) / WORD * WORD;
}

static void write_number(struct jsonw *w, const char *key, size_t key_len, unsigned int type,
			 const char *at)
{
	uint64_t n;
	double d;

	memcpy(&n, at, sizeof(n));
	memcpy(&d, at, sizeof(d));
	if (type == GOTAP_ATTRIBUTE_FLOAT && !isfinite(d))
		return; /* JSON has no such numbers */
	jsonw_key(w, key, key_len);
	if (type == GOTAP_ATTRIBUTE_FLOAT)
		jsonw_double(w, NULL, d);
	else if (type == GOTAP_ATTRIBUTE_INT)
		jsonw_int(w, NULL, (int64_t)n);
	else
		jsonw_bool(w, NULL, n != 0);
}

void attributes_write(struct jsonw *w, const struct capture *c, const char *text, size_t len)
{
	const char *at = text + NOTHING, *end = text + len;

	jsonw_key(w, c->name, c->name_len);
	jsonw_obj(w, NULL);
	while (len >= NOTHING && end - at >= WORD) {
		uint64_t head;
		size_t key_len, value_len;
		const char *value;

		memcpy(&head, at, sizeof(head));
		key_len = head >> GOTAP_ATTRIBUTE_KEY_SHIFT & 0xff;
		value_len = head >> GOTAP_ATTRIBUTE_LEN_SHIFT & 0xffff;
		value = at + WORD + padded(key_len);
		if ((size_t)(end - at) < WORD + padded(key_len) + padded(value_len))
			break;
		if ((head & 0xff) == GOTAP_ATTRIBUTE_STRING)
			jsonw_str_key(w, at + WORD, key_len, value, value_len);
		else if (value_len == WORD)
			write_number(w, at + WORD, key_len, head & 0xff, value);
		at = value + padded(value_len);
	}
	jsonw_end_obj(w);
}
