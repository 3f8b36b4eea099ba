// SPDX-License-Identifier: Apache-2.0
#include "promtext.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

static void put_escaped(struct textbuf *p, struct text value)
{
	char *to;

	if (!textbuf_reserve(p, 2 * value.len))
		return;
	to = p->buf + p->len;
	for (size_t i = 0; i < value.len; i++) {
		char c = value.p[i];

		if (c == '\\' || c == '"' || c == '\n')
			*to++ = '\\';
		*to++ = c == '\n' ? 'n' : c;
	}
	p->len = (size_t)(to - p->buf);
}

void promtext_label(struct textbuf *p, bool comma, const char *name, struct text value)
{
	if (comma)
		textbuf_put(p, ",", 1);
	textbuf_put(p, name, strlen(name));
	textbuf_put(p, "=\"", 2);
	put_escaped(p, value);
	textbuf_put(p, "\"", 1);
}

static char name_char(char c)
{
	return (unsigned char)c < 0x80 && isalnum((unsigned char)c) ? c : '_';
}

/* A label's name begins with a letter or '_'; names with "__" in front are reserved. */
static size_t prefix_len(struct text key)
{
	bool plain = key.len && !isdigit((unsigned char)key.p[0]) && name_char(key.p[0]) != '_';

	return plain ? 0 : 4;
}

static char name_at(struct text key, size_t i)
{
	size_t prefix = prefix_len(key);

	return i < prefix ? "key_"[i] : name_char(key.p[i - prefix]);
}

void promtext_name(struct textbuf *p, struct text key)
{
	for (size_t i = 0; i < prefix_len(key) + key.len; i++) {
		char c = name_at(key, i);

		textbuf_put(p, &c, 1);
	}
}

bool promtext_same_name(struct text a, struct text b)
{
	size_t len = prefix_len(a) + a.len;

	if (len != prefix_len(b) + b.len)
		return false;
	for (size_t i = 0; i < len; i++)
		if (name_at(a, i) != name_at(b, i))
			return false;
	return true;
}

struct text promtext_scalar(const struct attr_value *v, char buf[PROMTEXT_SCALAR])
{
	switch (v->type) {
	case ATTR_STRING:
		return v->str;
	case ATTR_INT:
		snprintf(buf, PROMTEXT_SCALAR, "%" PRId64, v->i);
		break;
	case ATTR_DOUBLE:
		snprintf(buf, PROMTEXT_SCALAR, "%.17g", v->d);
		break;
	case ATTR_BOOL:
		return text_of(v->b ? "true" : "false");
	case ATTR_ARRAY:
		snprintf(buf, PROMTEXT_SCALAR, "%zu values", v->array.n);
		break;
	}
	return text_of(buf);
}

void promtext_attr(struct textbuf *p, bool comma, const struct attr *at)
{
	char buf[PROMTEXT_SCALAR];

	if (comma)
		textbuf_put(p, ",", 1);
	promtext_name(p, at->key);
	textbuf_put(p, "=\"", 2);
	put_escaped(p, promtext_scalar(&at->value, buf));
	textbuf_put(p, "\"", 1);
}
