// SPDX-License-Identifier: Apache-2.0
#include "otlpin_span.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "attr_read.h"
#include "cleantext.h"
#include "textbuf.h"

#define MAX_EVENTS 32

static int read_text(struct jsonv_doc *doc, const struct jsonv *v, struct arena *a,
		     struct text *out)
{
	const char *s;
	size_t len;

	*out = (struct text){ 0 };
	if (jsonv_str(doc, v, &s, &len))
		return 0; /* not there, or not text */
	return text_clean(a, s, len, out);
}

static int read_value(struct jsonv_doc *doc, const struct jsonv *any, struct arena *a,
		      struct attr_value *out);

static int read_array(struct jsonv_doc *doc, const struct jsonv *array, struct arena *a,
		      struct attr_value *out)
{
	const struct jsonv *list = jsonv_member(array, "values"), *v;
	uint32_t n = list && list->type == JSONV_ARRAY ? list->count : 0;
	struct attr_value *values = arena_array(a, n, sizeof(*values));

	if (!values)
		return -ENOMEM;
	*out = (struct attr_value){ .type = ATTR_ARRAY, .array = { values, n } };
	v = n ? jsonv_first(list) : NULL;
	for (uint32_t i = 0; i < n; i++, v = jsonv_after(v)) {
		const struct jsonv *inner = jsonv_member(v, "arrayValue");
		int ret = inner ? attr_value_read(doc, inner, a, &values[i])
				: read_value(doc, v, a, &values[i]);

		if (ret)
			return ret;
		if (values[i].type == ATTR_ARRAY) /* not allowed in an attribute */
			values[i] = (struct attr_value){ .type = ATTR_STRING };
	}
	return 0;
}

/* An AnyValue: what has no type of ours is its JSON text. */
static int read_value(struct jsonv_doc *doc, const struct jsonv *any, struct arena *a,
		      struct attr_value *out)
{
	const struct jsonv *v;

	*out = (struct attr_value){ .type = ATTR_STRING };
	if ((v = jsonv_member(any, "stringValue")))
		return attr_value_read(doc, v, a, out);
	if ((v = jsonv_member(any, "boolValue")))
		return attr_value_read(doc, v, a, out);
	if ((v = jsonv_member(any, "intValue")) && !jsonv_i64(v, &out->i)) {
		out->type = ATTR_INT;
		return 0;
	}
	if ((v = jsonv_member(any, "doubleValue")))
		return attr_value_read(doc, v, a, out);
	if ((v = jsonv_member(any, "arrayValue")))
		return read_array(doc, v, a, out);
	return any && any->type == JSONV_OBJECT && any->count
		       ? text_clean(a, any->text, any->len, &out->str)
		       : 0;
}

int otlpin_attrs(struct jsonv_doc *doc, const struct jsonv *list, struct arena *a, size_t max,
		 struct attr **attrs, size_t *n, uint32_t *dropped)
{
	uint32_t count = list && list->type == JSONV_ARRAY ? list->count : 0;
	const struct jsonv *kv = count ? jsonv_first(list) : NULL;

	*n = 0;
	*attrs = arena_array(a, count < max ? count : max, sizeof(**attrs));
	if (!*attrs)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++, kv = jsonv_after(kv)) {
		struct attr *at = &(*attrs)[*n];
		int ret;

		if (*n == max || !jsonv_member(kv, "value")) {
			++*dropped;
			continue;
		}
		ret = read_text(doc, jsonv_member(kv, "key"), a, &at->key);
		if (!ret)
			ret = read_value(doc, jsonv_member(kv, "value"), a, &at->value);
		if (ret)
			return ret;
		if (at->key.len)
			++*n;
		else
			++*dropped;
	}
	return 0;
}

/* A number of enum, or its name with the prefix of the .proto file. */
static int read_enum(const struct jsonv *v, const char *const *names, int n)
{
	uint64_t i;

	if (!jsonv_u64(v, &i))
		return i < (uint64_t)n ? (int)i : 0;
	for (int j = 0; v && j < n; j++)
		if (jsonv_is(v, names[j]))
			return j;
	return 0;
}

static void read_kind(struct spanrec *sp, const struct jsonv *v)
{
	static const char *const names[] = {
		"SPAN_KIND_UNSPECIFIED", "SPAN_KIND_INTERNAL", "SPAN_KIND_SERVER",
		"SPAN_KIND_CLIENT",	 "SPAN_KIND_PRODUCER", "SPAN_KIND_CONSUMER",
	};
	int kind = read_enum(v, names, 6);

	sp->kind = kind ? (enum span_kind)kind : SPAN_INTERNAL;
}

static int read_status(struct spanrec *sp, struct jsonv_doc *doc, const struct jsonv *v,
		       struct arena *a)
{
	static const char *const names[] = { "STATUS_CODE_UNSET", "STATUS_CODE_OK",
					     "STATUS_CODE_ERROR" };

	sp->status = (enum span_status)read_enum(jsonv_member(v, "code"), names, 3);
	return read_text(doc, jsonv_member(v, "message"), a, &sp->status_message);
}

static void read_flags(struct spanrec *sp, const struct jsonv *v)
{
	uint64_t flags = 0;

	jsonv_u64(v, &flags);
	sp->remote_parent = flags & 0x100 ? flags & 0x200
					  : sp->kind == SPAN_SERVER || sp->kind == SPAN_CONSUMER;
	sp->remote_parent = sp->remote_parent && sp->has_parent;
	sp->flags = (uint32_t)(flags & 0xff) | 0x100u | (sp->remote_parent ? 0x200u : 0);
	if (sp->remote_parent)
		sp->parent_from = text_of("remote");
}

static int read_links(struct spanrec *sp, const struct jsonv *list, struct arena *a)
{
	uint32_t count = list && list->type == JSONV_ARRAY ? list->count : 0;
	const struct jsonv *v = count ? jsonv_first(list) : NULL;

	sp->links = arena_array(a, count < SPAN_MAX_LINKS ? count : SPAN_MAX_LINKS,
				sizeof(*sp->links));
	if (!sp->links)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++, v = jsonv_after(v)) {
		struct span_link *l = &sp->links[sp->n_links];

		if (sp->n_links < SPAN_MAX_LINKS &&
		    !jsonv_hex(jsonv_member(v, "traceId"), l->trace_id, 16) &&
		    !jsonv_hex(jsonv_member(v, "spanId"), l->span_id, 8))
			sp->n_links++;
		else
			sp->dropped_links++;
	}
	return 0;
}

static void put_attr_text(struct textbuf *t, const struct attr *at)
{
	textbuf_puts(t, " ");
	textbuf_put(t, at->key.p, at->key.len);
	textbuf_puts(t, "=");
	if (at->value.type == ATTR_STRING)
		textbuf_put(t, at->value.str.p, at->value.str.len);
	else if (at->value.type == ATTR_INT)
		textbuf_printf(t, "%lld", (long long)at->value.i);
	else if (at->value.type == ATTR_DOUBLE)
		textbuf_printf(t, "%g", at->value.d);
	else if (at->value.type == ATTR_BOOL)
		textbuf_puts(t, at->value.b ? "true" : "false");
}

/* An event as an attribute: "event.1" is "exception +1.5ms exception.type=…". */
static int read_event(struct spanrec *sp, struct jsonv_doc *doc, const struct jsonv *v,
		      struct arena *a, unsigned number)
{
	struct attr *attrs, *at = &sp->attrs[sp->n_attrs];
	struct textbuf t = { 0 };
	char key[16];
	struct text name;
	uint64_t when = 0;
	uint32_t dropped = 0;
	size_t n;
	int ret = read_text(doc, jsonv_member(v, "name"), a, &name);

	if (!ret)
		ret = otlpin_attrs(doc, jsonv_member(v, "attributes"), a, SPAN_MAX_ATTRS, &attrs,
				   &n, &dropped);
	if (ret)
		return ret;
	textbuf_put(&t, name.p, name.len);
	if (!jsonv_u64(jsonv_member(v, "timeUnixNano"), &when) && when >= sp->start)
		textbuf_printf(&t, " +%.3fms", (double)(when - sp->start) / 1e6);
	for (size_t i = 0; i < n; i++)
		put_attr_text(&t, &attrs[i]);
	snprintf(key, sizeof(key), "event.%u", number + 1);
	at->key = (struct text){ arena_copy(a, key, strlen(key)), strlen(key) };
	at->value.type = ATTR_STRING;
	at->value.str = (struct text){ arena_copy(a, t.buf, t.len), t.len };
	free(t.buf);
	if (t.failed || !at->key.p || !at->value.str.p)
		return -ENOMEM;
	sp->n_attrs++;
	return 0;
}

static int read_attrs(struct spanrec *sp, struct jsonv_doc *doc, const struct jsonv *root,
		      struct arena *a)
{
	const struct jsonv *events = jsonv_member(root, "events"), *v;
	uint32_t count = events && events->type == JSONV_ARRAY ? events->count : 0;
	struct attr *attrs;
	int ret = otlpin_attrs(doc, jsonv_member(root, "attributes"), a, SPAN_MAX_ATTRS, &attrs,
			       &sp->n_attrs, &sp->dropped_attrs);

	if (ret)
		return ret;
	sp->attrs = arena_array(a, sp->n_attrs + MAX_EVENTS, sizeof(*sp->attrs));
	if (!sp->attrs)
		return -ENOMEM;
	if (sp->n_attrs)
		memcpy(sp->attrs, attrs, sp->n_attrs * sizeof(*attrs));
	v = count ? jsonv_first(events) : NULL;
	for (uint32_t i = 0; i < count && i < MAX_EVENTS && !ret; i++, v = jsonv_after(v))
		ret = read_event(sp, doc, v, a, i);
	return ret;
}

static bool all_zero(const uint8_t *p, size_t n)
{
	while (n && !*p)
		p++, n--;
	return !n;
}

static int read_ids(struct spanrec *sp, const struct jsonv *root, struct errinfo *e)
{
	const struct jsonv *parent = jsonv_member(root, "parentSpanId");

	if (jsonv_hex(jsonv_member(root, "traceId"), sp->trace_id, 16) ||
	    all_zero(sp->trace_id, 16))
		return errinfo_set(e, -EINVAL, "span: no good \"traceId\"");
	if (jsonv_hex(jsonv_member(root, "spanId"), sp->span_id, 8) || all_zero(sp->span_id, 8))
		return errinfo_set(e, -EINVAL, "span: no good \"spanId\"");
	if (parent && parent->type == JSONV_STRING && parent->len &&
	    jsonv_hex(parent, sp->parent_id, 8))
		return errinfo_set(e, -EINVAL, "span: no good \"parentSpanId\"");
	sp->has_parent = !all_zero(sp->parent_id, 8);
	return 0;
}

int otlpin_span(struct spanrec *sp, struct jsonv_doc *doc, struct arena *a, struct errinfo *e)
{
	const struct jsonv *root = jsonv_root(doc);
	int ret;

	memset(sp, 0, sizeof(*sp));
	ret = read_ids(sp, root, e);
	if (ret)
		return ret;
	jsonv_u64(jsonv_member(root, "startTimeUnixNano"), &sp->start);
	jsonv_u64(jsonv_member(root, "endTimeUnixNano"), &sp->end);
	if (sp->end < sp->start)
		return errinfo_set(e, -EINVAL, "span: it ends before it starts");
	read_kind(sp, jsonv_member(root, "kind"));
	read_flags(sp, jsonv_member(root, "flags"));
	ret = read_text(doc, jsonv_member(root, "name"), a, &sp->name);
	if (!ret)
		ret = read_text(doc, jsonv_member(root, "traceState"), a, &sp->trace_state);
	if (!ret)
		ret = read_status(sp, doc, jsonv_member(root, "status"), a);
	if (!ret)
		ret = read_links(sp, jsonv_member(root, "links"), a);
	return ret ? ret : read_attrs(sp, doc, root, a);
}
