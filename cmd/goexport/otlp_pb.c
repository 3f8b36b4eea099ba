// SPDX-License-Identifier: Apache-2.0
#include "otlp_pb.h"

#include "pbw.h"
#include "schema.h"

static void put_value(struct textbuf *t, unsigned field, const struct attr_value *v)
{
	size_t value = pbw_begin(t, field), array;

	switch (v->type) {
	case ATTR_STRING:
		pbw_bytes(t, 1, v->str.p, v->str.len);
		break;
	case ATTR_BOOL:
		pbw_varint(t, 2, v->b);
		break;
	case ATTR_INT:
		pbw_varint(t, 3, (uint64_t)v->i);
		break;
	case ATTR_DOUBLE:
		pbw_double(t, 4, v->d);
		break;
	case ATTR_ARRAY:
		array = pbw_begin(t, 5);
		for (size_t i = 0; i < v->array.n; i++)
			put_value(t, 1, &v->array.v[i]);
		pbw_end(t, array);
		break;
	}
	pbw_end(t, value);
}

void otlp_pb_attrs(struct textbuf *t, unsigned field, const struct attr *attrs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t kv = pbw_begin(t, field);

		pbw_text(t, 1, attrs[i].key.p, attrs[i].key.len);
		put_value(t, 2, &attrs[i].value);
		pbw_end(t, kv);
	}
}

static void put_links(struct textbuf *t, const struct spanrec *sp)
{
	for (size_t i = 0; i < sp->n_links; i++) {
		size_t link = pbw_begin(t, 13);

		pbw_bytes(t, 1, sp->links[i].trace_id, sizeof(sp->links[i].trace_id));
		pbw_bytes(t, 2, sp->links[i].span_id, sizeof(sp->links[i].span_id));
		pbw_end(t, link);
	}
}

static void put_status(struct textbuf *t, const struct spanrec *sp)
{
	size_t status;

	if (sp->status == STATUS_UNSET)
		return;
	status = pbw_begin(t, 15);
	pbw_text(t, 2, sp->status_message.p, sp->status_message.len);
	pbw_uint(t, 3, sp->status);
	pbw_end(t, status);
}

static void encode_span(void *ctx, const struct spanrec *sp, struct textbuf *t)
{
	(void)ctx;
	pbw_bytes(t, 1, sp->trace_id, sizeof(sp->trace_id));
	pbw_bytes(t, 2, sp->span_id, sizeof(sp->span_id));
	pbw_text(t, 3, sp->trace_state.p, sp->trace_state.len);
	if (sp->has_parent)
		pbw_bytes(t, 4, sp->parent_id, sizeof(sp->parent_id));
	pbw_text(t, 5, sp->name.p, sp->name.len);
	pbw_uint(t, 6, sp->kind);
	pbw_fixed64(t, 7, sp->start);
	pbw_fixed64(t, 8, sp->end);
	otlp_pb_attrs(t, 9, sp->attrs, sp->n_attrs);
	pbw_uint(t, 10, sp->dropped_attrs);
	put_links(t, sp);
	pbw_uint(t, 14, sp->dropped_links);
	put_status(t, sp);
	pbw_fixed32(t, 16, sp->flags);
}

static void encode_resource(void *ctx, const struct resource *r, struct textbuf *t)
{
	(void)ctx;
	otlp_pb_attrs(t, 1, r->attrs, r->n_attrs);
}

const struct encoder otlp_pb_encoder = { encode_span, encode_resource, NULL };

#define SCHEMA_LEN (sizeof(SCHEMA_URL) - 1)

/* The size of a ScopeSpans without its key and length; below, what is in it. */
static size_t scope_size(const struct batch *b, const struct batch_group *g)
{
	size_t name = g->scope_len ? pbw_len_size(g->scope_len) : 0;
	size_t n = pbw_len_size(name) + pbw_len_size(SCHEMA_LEN);

	for (uint32_t i = g->first; i != BATCH_NONE; i = b->spans[i].next)
		n += pbw_len_size(b->spans[i].len);
	return n;
}

static void put_scope(const struct batch *b, const struct batch_group *g, struct textbuf *t)
{
	size_t scope;

	scope = pbw_begin(t, 1);
	pbw_text(t, 1, b->data.buf + g->scope, g->scope_len);
	pbw_end(t, scope);
	for (uint32_t i = g->first; i != BATCH_NONE; i = b->spans[i].next)
		pbw_bytes(t, 2, b->data.buf + b->spans[i].off, b->spans[i].len);
	pbw_bytes(t, 3, SCHEMA_URL, SCHEMA_LEN);
}

/* A ResourceSpans. Sizes come first here: what is in it is too large to be moved. */
static void put_resource(const struct batch *b, uint32_t first, struct textbuf *t)
{
	const struct batch_group *g = &b->groups[first];
	size_t size = pbw_len_size(g->head_len) + pbw_len_size(SCHEMA_LEN);

	for (uint32_t i = first; i != BATCH_NONE; i = b->groups[i].next)
		size += pbw_len_size(scope_size(b, &b->groups[i]));
	pbw_head(t, 1, size);
	pbw_bytes(t, 1, b->data.buf + g->head, g->head_len);
	for (uint32_t i = first; i != BATCH_NONE; i = b->groups[i].next) {
		pbw_head(t, 2, scope_size(b, &b->groups[i]));
		put_scope(b, &b->groups[i], t);
	}
	pbw_bytes(t, 3, SCHEMA_URL, SCHEMA_LEN);
}

void otlp_pb_request(const struct batch *b, struct textbuf *out)
{
	textbuf_reserve(out, b->data.len + 16 * b->n_spans + 256 * (b->n_groups + 1));
	for (uint32_t i = 0; i < b->n_groups; i++)
		if (b->groups[i].leader == i)
			put_resource(b, i, out);
}
