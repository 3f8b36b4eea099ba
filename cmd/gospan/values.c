// SPDX-License-Identifier: Apache-2.0
#include "values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Memory beyond this is given back when a call's values are cleared. */
#define KEEP_TEXT   4096
#define KEEP_VALUES 64

/* @p with room for @need items of @item bytes, *@cap raised; NULL (and @p kept) if there is none.
 */
static void *reserve(void *p, size_t *cap, size_t item, size_t need, size_t first)
{
	size_t n = *cap ? *cap : first;

	if (need <= *cap)
		return p;
	while (n < need)
		n *= 2;
	p = realloc(p, n * item);
	if (p)
		*cap = n;
	return p;
}

static int make_room(struct values *vs, size_t text)
{
	char *bytes = reserve(vs->text, &vs->text_cap, 1, vs->text_len + text, 512);
	struct value *v;

	if (!bytes)
		return -ENOMEM;
	vs->text = bytes;
	v = reserve(vs->v, &vs->cap, sizeof(*v), vs->n + 1, 16);
	if (!v)
		return -ENOMEM;
	vs->v = v;
	return 0;
}

static uint32_t put_text(struct values *vs, const char *s, size_t len)
{
	uint32_t at = (uint32_t)vs->text_len;

	memcpy(vs->text + at, s, len);
	vs->text_len += len;
	return at;
}

int values_add(struct values *vs, enum value_role role, enum name name, const struct jsonv *key,
	       const struct jsonv *v)
{
	size_t key_len = key ? key->len : 0;
	struct value *to;

	if (vs->n == VALUES_MAX || vs->text_len + key_len + v->len > UINT32_MAX)
		return -E2BIG;
	if (make_room(vs, key_len + v->len))
		return -ENOMEM;
	to = &vs->v[vs->n++];
	*to = (struct value){
		.key_len = (uint32_t)key_len,
		.len = v->len,
		.type = v->type,
		.role = (uint8_t)role,
		.name = (uint8_t)name,
		.escaped = v->escaped,
	};
	if (key)
		to->key = put_text(vs, key->text, key_len);
	to->text = put_text(vs, v->text, v->len);
	return 0;
}

int values_copy(struct values *to, const struct values *from, size_t n, size_t text_len)
{
	for (size_t i = 0; i < n; i++) {
		if (make_room(to, i ? 0 : text_len))
			return -ENOMEM;
		to->v[to->n++] = from->v[i];
	}
	if (n)
		put_text(to, from->text, text_len);
	return 0;
}

const struct value *values_last(const struct values *vs, enum value_role role)
{
	for (size_t i = vs->n; i-- > 0;)
		if (vs->v[i].role == role)
			return &vs->v[i];
	return NULL;
}

struct jsonv values_token(const struct values *vs, const struct value *v)
{
	return (struct jsonv){
		.text = vs->text + v->text,
		.len = v->len,
		.next = 1,
		.type = v->type,
		.escaped = v->escaped,
	};
}

static bool same_key(const struct values *vs, const struct value *a, const struct value *b)
{
	return a->role == b->role && a->name == b->name && a->key_len == b->key_len &&
	       (!a->key_len || !memcmp(vs->text + a->key, vs->text + b->key, a->key_len));
}

bool values_overridden(const struct values *vs, size_t i)
{
	for (size_t j = i + 1; j < vs->n; j++)
		if (same_key(vs, &vs->v[i], &vs->v[j]))
			return true;
	return false;
}

size_t values_size(const struct values *vs)
{
	return vs->text_cap + vs->cap * sizeof(*vs->v);
}

void values_clear(struct values *vs)
{
	if (vs->text_cap > KEEP_TEXT || vs->cap > KEEP_VALUES)
		values_release(vs);
	vs->text_len = vs->n = 0;
}

void values_release(struct values *vs)
{
	free(vs->text);
	free(vs->v);
	memset(vs, 0, sizeof(*vs));
}
