// SPDX-License-Identifier: Apache-2.0
#include "keep.h"

#include <errno.h>
#include <string.h>

#include "record.h"

#define LINKS_MAX 32 /* of one event */

struct keeper {
	struct values *vs;
	struct counts *counts;
	int ret; /* the first failure that is none of the event's */
};

static void keep(struct keeper *k, enum value_role role, enum name name, const struct jsonv *key,
		 const struct jsonv *v)
{
	int ret = k->ret ? 0 : values_add(k->vs, role, name, key, v);

	if (ret == -E2BIG)
		k->counts->lost[LOST_VALUES]++;
	else if (ret)
		k->ret = ret;
}

static void keep_text(struct keeper *k, enum value_role role, const struct jsonv *v)
{
	if (v)
		keep(k, role, NAME_OTHER, NULL, v);
}

/* Attributes that the program gave a span itself: none of them is raw material. */
static void keep_attributes(struct keeper *k, const struct jsonv *object)
{
	const struct jsonv *key = jsonv_first(object);

	for (uint32_t i = 0; i < object->count; i++, key = jsonv_after(key + 1)) {
		const struct jsonv *v = key + 1;
		enum name name = name_find(key->text, key->len, NAME_COUNT);

		if (v->type == JSONV_ARRAY || v->type == JSONV_OBJECT) {
			k->counts->lost[LOST_VALUE_TYPE]++;
			continue;
		}
		if (name >= NAME_GO_TLS)
			name = NAME_OTHER;
		keep(k, ROLE_ATTRIBUTE, name, name == NAME_OTHER ? key : NULL, v);
	}
}

static void keep_values(struct keeper *k, const struct jsonv *values)
{
	const struct jsonv *key = jsonv_first(values);
	enum name name = NAME_METHOD;

	for (uint32_t i = 0; i < values->count; i++, key = jsonv_after(key + 1), name++) {
		const struct jsonv *v = key + 1;

		name = name_find(key->text, key->len, name);
		if (v->type == JSONV_OBJECT && jsonv_is(key, "go.attributes"))
			keep_attributes(k, v);
		else if (v->type == JSONV_ARRAY || v->type == JSONV_OBJECT)
			k->counts->lost[LOST_VALUE_TYPE]++;
		else if (name != NAME_RAW && v->type != JSONV_NULL)
			keep(k, ROLE_ATTRIBUTE, name, name == NAME_OTHER ? key : NULL, v);
	}
}

/* Marks the values from index @from on that have the name in @item as cut. */
static void mark_cut(struct values *vs, size_t from, enum name name, const struct jsonv *item)
{
	for (size_t i = from; i < vs->n; i++) {
		struct value *v = &vs->v[i];

		if (v->role == ROLE_ATTRIBUTE && v->name == name &&
		    (name != NAME_OTHER || (v->key_len == item->len &&
					    !memcmp(vs->text + v->key, item->text, item->len))))
			v->cut = 1;
	}
}

/* The names in "truncated" or "unread". */
static void keep_list(struct keeper *k, enum value_role role, const struct jsonv *list,
		      size_t first_value)
{
	const struct jsonv *item = list ? jsonv_first(list) : NULL;

	for (uint32_t i = 0; item && i < list->count; i++, item = jsonv_after(item)) {
		enum name name;

		if (item->type != JSONV_STRING)
			continue;
		name = name_find(item->text, item->len, NAME_COUNT);
		keep(k, role, name, item, item);
		if (role == ROLE_TRUNCATED)
			mark_cut(k->vs, first_value, name, item);
	}
}

static bool is_id(const struct jsonv *v, size_t bytes)
{
	uint8_t id[16], any = 0;

	if (!v || jsonv_hex(v, id, bytes))
		return false;
	for (size_t i = 0; i < bytes; i++)
		any |= id[i];
	return any;
}

static void keep_links(struct keeper *k, const struct jsonv *links)
{
	const struct jsonv *item = links->type == JSONV_ARRAY ? jsonv_first(links) : NULL;

	if (!item && links->type != JSONV_ARRAY)
		k->counts->lost[LOST_LINKS]++;
	for (uint32_t i = 0; item && i < links->count; i++, item = jsonv_after(item)) {
		const struct jsonv *trace = jsonv_member(item, K_TRACE_ID);
		const struct jsonv *span = jsonv_member(item, K_SPAN_ID);

		if (i < LINKS_MAX && is_id(trace, 16) && is_id(span, 8))
			keep(k, ROLE_LINK, NAME_OTHER, trace, span);
		else
			k->counts->lost[LOST_LINKS]++;
	}
}

int keep_event(struct values *vs, const struct event *ev, struct counts *counts)
{
	struct keeper k = { .vs = vs, .counts = counts };
	size_t first = vs->n;

	keep_text(&k, ROLE_SPAN, ev->span);
	keep_text(&k, ROLE_SYMBOL, ev->symbol);
	keep_text(&k, ROLE_PARENT_FROM, ev->parent_from);
	keep_text(&k, ROLE_TRACE_STATE, ev->trace_state);
	if (ev->values)
		keep_values(&k, ev->values);
	if (ev->links)
		keep_links(&k, ev->links);
	keep_list(&k, ROLE_TRUNCATED, ev->truncated, first);
	keep_list(&k, ROLE_UNREAD, ev->unread, first);
	for (unsigned i = 0; i < ev->extras; i++)
		keep(&k, ROLE_EXTRA, NAME_OTHER, ev->extra[i], ev->extra[i] + 1);
	counts->lost[LOST_VALUES] += ev->extras_left_out;
	return k.ret;
}
