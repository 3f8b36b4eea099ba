// SPDX-License-Identifier: Apache-2.0
#include "attrs.h"

#include <string.h>

#include "utf8.h"

void attrs_init(struct attrs *a, const struct values *vs, struct jsonv_doc *doc)
{
	memset(a, 0, sizeof(*a));
	a->vs = vs;
	a->doc = doc;
	for (size_t i = 0; i < vs->n; i++)
		if (vs->v[i].role == ROLE_ATTRIBUTE && vs->v[i].name < NAME_RAW)
			a->known[vs->v[i].name] = &vs->v[i];
}

/*
 * The length of @s without an unfinished character at its end, whether that is
 * still bytes or has become U+FFFD on the way, one for each byte.
 */
static size_t whole_characters(const char *s, size_t len)
{
	for (size_t back = 1; back <= 3 && back <= len; back++) {
		unsigned char c = (unsigned char)s[len - back];

		if ((c & 0xc0) == 0x80)
			continue;
		if (c >= 0xc0 && !utf8_char(s + len - back, back))
			len -= back;
		break;
	}
	for (int i = 0; i < 3 && len >= 3 && !memcmp(s + len - 3, "\xef\xbf\xbd", 3); i++)
		len -= 3;
	return len;
}

struct slice attrs_text(const struct attrs *a, const struct value *v)
{
	struct slice t = { NULL, 0 };
	struct jsonv token;

	if (!v)
		return t;
	token = values_token(a->vs, v);
	if (jsonv_str(a->doc, &token, &t.s, &t.len))
		return (struct slice){ NULL, 0 };
	if (v->cut)
		t.len = whole_characters(t.s, t.len);
	return t;
}

struct slice attrs_get(const struct attrs *a, enum name name)
{
	return attrs_text(a, a->known[name]);
}

bool attrs_i64(const struct attrs *a, enum name name, int64_t *out)
{
	struct jsonv token;

	if (!a->known[name])
		return false;
	token = values_token(a->vs, a->known[name]);
	return jsonv_i64(&token, out) == 0;
}

bool attrs_true(const struct attrs *a, enum name name)
{
	const struct value *v = a->known[name];
	int64_t n;

	if (!v)
		return false;
	if (v->type == JSONV_NUMBER)
		return attrs_i64(a, name, &n) && n;
	return v->type == JSONV_TRUE || (v->type == JSONV_STRING && v->len);
}

bool attrs_listed(const struct attrs *a, enum value_role role, enum name name)
{
	for (size_t i = 0; i < a->vs->n; i++)
		if (a->vs->v[i].role == role && a->vs->v[i].name == name)
			return true;
	return false;
}

void attrs_write_value(const struct attrs *a, const struct value *v, const char *key,
		       struct jsonw *w)
{
	struct slice t;

	if (v->type != JSONV_STRING) {
		jsonw_raw(w, key, a->vs->text + v->text, v->len);
		return;
	}
	t = attrs_text(a, v);
	jsonw_str(w, key, t.s ? t.s : "", t.len);
}

void attrs_write(const struct attrs *a, enum name name, struct jsonw *w)
{
	if (a->known[name])
		attrs_write_value(a, a->known[name], name_text(name), w);
}

void attrs_write_key(const struct attrs *a, const struct value *v, struct jsonw *w)
{
	const char *s = a->vs->text + v->key;
	struct jsonv token = { .text = s, .len = v->key_len, .next = 1, .type = JSONV_STRING };
	size_t len = v->key_len;

	token.escaped = memchr(s, '\\', len) != NULL;
	if (jsonv_str(a->doc, &token, &s, &len))
		len = 0;
	jsonw_key(w, s, len);
}

void attrs_write_others(const struct attrs *a, struct jsonw *w)
{
	for (size_t i = 0; i < a->vs->n; i++) {
		const struct value *v = &a->vs->v[i];

		if (v->role != ROLE_ATTRIBUTE || v->name != NAME_OTHER ||
		    values_overridden(a->vs, i))
			continue;
		attrs_write_key(a, v, w);
		attrs_write_value(a, v, NULL, w);
	}
}
