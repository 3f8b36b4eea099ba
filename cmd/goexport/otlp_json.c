// SPDX-License-Identifier: Apache-2.0
#include "otlp_json.h"

#include <inttypes.h>
#include <stdio.h>

#include "number.h"
#include "schema.h"

static struct jsonw *restart(struct jsonw *w)
{
	w->len = w->mark = 0;
	w->comma = false;
	return w;
}

static void put_text(struct jsonw *w, const char *key, struct text t)
{
	if (t.len)
		jsonw_str(w, key, t.p, t.len);
}

static void put_value(struct jsonw *w, const char *key, const struct attr_value *v)
{
	char buf[NUMBER_MAX];

	jsonw_obj(w, key);
	switch (v->type) {
	case ATTR_STRING:
		jsonw_str(w, "stringValue", v->str.p, v->str.len);
		break;
	case ATTR_BOOL:
		jsonw_bool(w, "boolValue", v->b);
		break;
	case ATTR_INT:
		jsonw_str(w, "intValue", buf, (size_t)snprintf(buf, sizeof(buf), "%" PRId64, v->i));
		break;
	case ATTR_DOUBLE:
		jsonw_raw(w, "doubleValue", buf, number_double(buf, v->d));
		break;
	case ATTR_ARRAY:
		jsonw_obj(w, "arrayValue");
		if (v->array.n) {
			jsonw_arr(w, "values");
			for (size_t i = 0; i < v->array.n; i++)
				put_value(w, NULL, &v->array.v[i]);
			jsonw_end_arr(w);
		}
		jsonw_end_obj(w);
		break;
	}
	jsonw_end_obj(w);
}

void otlp_json_attrs(struct jsonw *w, const struct attr *attrs, size_t n)
{
	if (!n)
		return;
	jsonw_arr(w, "attributes");
	for (size_t i = 0; i < n; i++) {
		jsonw_obj(w, NULL);
		put_text(w, "key", attrs[i].key);
		put_value(w, "value", &attrs[i].value);
		jsonw_end_obj(w);
	}
	jsonw_end_arr(w);
}

static void put_count(struct jsonw *w, const char *key, uint32_t n)
{
	if (n)
		jsonw_uint(w, key, n);
}

static void put_links(struct jsonw *w, const struct spanrec *sp)
{
	if (!sp->n_links)
		return;
	jsonw_arr(w, "links");
	for (size_t i = 0; i < sp->n_links; i++) {
		jsonw_obj(w, NULL);
		jsonw_hex(w, "traceId", sp->links[i].trace_id, sizeof(sp->links[i].trace_id));
		jsonw_hex(w, "spanId", sp->links[i].span_id, sizeof(sp->links[i].span_id));
		jsonw_end_obj(w);
	}
	jsonw_end_arr(w);
}

static void put_status(struct jsonw *w, const struct spanrec *sp)
{
	jsonw_obj(w, "status");
	put_text(w, "message", sp->status_message);
	put_count(w, "code", sp->status);
	jsonw_end_obj(w);
}

static void take(struct jsonw *w, struct textbuf *to)
{
	textbuf_put(to, w->buf, w->len);
	to->failed |= w->err != 0;
}

static void encode_span(void *ctx, const struct spanrec *sp, struct textbuf *to)
{
	struct jsonw *w = restart(ctx);

	jsonw_obj(w, NULL);
	jsonw_hex(w, "traceId", sp->trace_id, sizeof(sp->trace_id));
	jsonw_hex(w, "spanId", sp->span_id, sizeof(sp->span_id));
	put_text(w, "traceState", sp->trace_state);
	if (sp->has_parent)
		jsonw_hex(w, "parentSpanId", sp->parent_id, sizeof(sp->parent_id));
	put_count(w, "flags", sp->flags);
	put_text(w, "name", sp->name);
	put_count(w, "kind", sp->kind);
	if (sp->start)
		jsonw_u64(w, "startTimeUnixNano", sp->start);
	if (sp->end)
		jsonw_u64(w, "endTimeUnixNano", sp->end);
	otlp_json_attrs(w, sp->attrs, sp->n_attrs);
	put_count(w, "droppedAttributesCount", sp->dropped_attrs);
	put_links(w, sp);
	put_count(w, "droppedLinksCount", sp->dropped_links);
	put_status(w, sp);
	jsonw_end_obj(w);
	take(w, to);
}

static void encode_resource(void *ctx, const struct resource *r, struct textbuf *to)
{
	struct jsonw *w = restart(ctx);

	jsonw_obj(w, NULL);
	otlp_json_attrs(w, r->attrs, r->n_attrs);
	jsonw_end_obj(w);
	take(w, to);
}

struct encoder otlp_json_encoder(struct jsonw *w)
{
	return (struct encoder){ encode_span, encode_resource, w };
}

static void put_scope(struct jsonw *w, const struct batch *b, const struct batch_group *g)
{
	jsonw_obj(w, NULL);
	jsonw_obj(w, "scope");
	put_text(w, "name", (struct text){ b->data.buf + g->scope, g->scope_len });
	jsonw_end_obj(w);
	jsonw_arr(w, "spans");
	for (uint32_t i = g->first; i != BATCH_NONE; i = b->spans[i].next)
		jsonw_raw(w, NULL, b->data.buf + b->spans[i].off, b->spans[i].len);
	jsonw_end_arr(w);
	jsonw_cstr(w, "schemaUrl", SCHEMA_URL);
	jsonw_end_obj(w);
}

static void put_resource(struct jsonw *w, const struct batch *b, uint32_t first)
{
	const struct batch_group *g = &b->groups[first];

	jsonw_obj(w, NULL);
	jsonw_raw(w, "resource", b->data.buf + g->head, g->head_len);
	jsonw_arr(w, "scopeSpans");
	for (uint32_t i = first; i != BATCH_NONE; i = b->groups[i].next)
		put_scope(w, b, &b->groups[i]);
	jsonw_end_arr(w);
	jsonw_cstr(w, "schemaUrl", SCHEMA_URL);
	jsonw_end_obj(w);
}

void otlp_json_request(struct jsonw *w, const struct batch *b)
{
	restart(w);
	jsonw_obj(w, NULL);
	jsonw_arr(w, "resourceSpans");
	for (uint32_t i = 0; i < b->n_groups; i++)
		if (b->groups[i].leader == i)
			put_resource(w, b, i);
	jsonw_end_arr(w);
	jsonw_end_obj(w);
}
