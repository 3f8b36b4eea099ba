// SPDX-License-Identifier: Apache-2.0
#include "otlp_pb.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "otlp.pb-c.h"
#include "schema.h"

void otlp_pb_release(struct otlp_pb *p)
{
	arena_release(&p->arena);
	free(p->buf);
	memset(p, 0, sizeof(*p));
}

static ProtobufCBinaryData bin(const void *p, size_t len)
{
	/* protobuf-c only reads it, but has no const. */
	return (ProtobufCBinaryData){ .len = len, .data = (uint8_t *)(uintptr_t)p };
}

static ProtobufCBinaryData bin_text(struct text t)
{
	return bin(t.p, t.len);
}

/* Packs @m into the buffer of @p. */
static const void *pack(struct otlp_pb *p, const ProtobufCMessage *m, size_t *len)
{
	*len = protobuf_c_message_get_packed_size(m);
	if (*len > p->cap || !p->buf) {
		size_t cap = *len < 4096 ? 4096 : *len;
		unsigned char *buf = realloc(p->buf, cap);

		if (!buf)
			return NULL;
		p->buf = buf;
		p->cap = cap;
	}
	protobuf_c_message_pack(m, p->buf);
	return p->buf;
}

static int fill_value(struct arena *a, Otlp__AnyValue *out, const struct attr_value *v);

/* An array of @n messages of @type and one of pointers to them, as protobuf-c wants. */
#define NEW_ARRAY(a, type, init, n, msgs, ptrs)                                                    \
	do {                                                                                       \
		(msgs) = arena_array(a, n, sizeof(*(msgs)));                                       \
		(ptrs) = arena_array(a, n, sizeof(*(ptrs)));                                       \
		if (!(msgs) || !(ptrs))                                                            \
			return -ENOMEM;                                                            \
		for (size_t i_ = 0; i_ < (n); i_++) {                                              \
			init(&(msgs)[i_]);                                                         \
			(ptrs)[i_] = &(msgs)[i_];                                                  \
		}                                                                                  \
	} while (0)

static int fill_array(struct arena *a, Otlp__AnyValue *out, const struct attr_value *v)
{
	Otlp__ArrayValue *array = arena_take(a, sizeof(*array));
	Otlp__AnyValue *values;

	if (!array)
		return -ENOMEM;
	otlp__array_value__init(array);
	array->n_values = v->array.n;
	NEW_ARRAY(a, Otlp__AnyValue, otlp__any_value__init, v->array.n, values, array->values);
	for (size_t i = 0; i < v->array.n; i++)
		if (fill_value(a, &values[i], &v->array.v[i]))
			return -ENOMEM;
	out->value_case = OTLP__ANY_VALUE__VALUE_ARRAY_VALUE;
	out->array_value = array;
	return 0;
}

static int fill_value(struct arena *a, Otlp__AnyValue *out, const struct attr_value *v)
{
	switch (v->type) {
	case ATTR_STRING:
		out->value_case = OTLP__ANY_VALUE__VALUE_STRING_VALUE;
		out->string_value = bin_text(v->str);
		break;
	case ATTR_BOOL:
		out->value_case = OTLP__ANY_VALUE__VALUE_BOOL_VALUE;
		out->bool_value = v->b;
		break;
	case ATTR_INT:
		out->value_case = OTLP__ANY_VALUE__VALUE_INT_VALUE;
		out->int_value = v->i;
		break;
	case ATTR_DOUBLE:
		out->value_case = OTLP__ANY_VALUE__VALUE_DOUBLE_VALUE;
		out->double_value = v->d;
		break;
	case ATTR_ARRAY:
		return fill_array(a, out, v);
	}
	return 0;
}

static int fill_attrs(struct arena *a, const struct attr *attrs, size_t n, size_t *n_out,
		      Otlp__KeyValue ***out)
{
	Otlp__AnyValue *values = arena_array(a, n, sizeof(*values));
	Otlp__KeyValue *kvs;

	if (!values)
		return -ENOMEM;
	NEW_ARRAY(a, Otlp__KeyValue, otlp__key_value__init, n, kvs, *out);
	*n_out = n;
	for (size_t i = 0; i < n; i++) {
		otlp__any_value__init(&values[i]);
		kvs[i].key = bin_text(attrs[i].key);
		kvs[i].value = &values[i];
		if (fill_value(a, &values[i], &attrs[i].value))
			return -ENOMEM;
	}
	return 0;
}

static int fill_links(struct arena *a, const struct spanrec *sp, Otlp__Span *span)
{
	Otlp__Link *links;

	NEW_ARRAY(a, Otlp__Link, otlp__link__init, sp->n_links, links, span->links);
	span->n_links = sp->n_links;
	for (size_t i = 0; i < sp->n_links; i++) {
		links[i].trace_id = bin(sp->links[i].trace_id, sizeof(sp->links[i].trace_id));
		links[i].span_id = bin(sp->links[i].span_id, sizeof(sp->links[i].span_id));
	}
	return 0;
}

static const void *encode_span(void *ctx, const struct spanrec *sp, size_t *len)
{
	struct otlp_pb *p = ctx;
	Otlp__Span span = OTLP__SPAN__INIT;
	Otlp__Status status = OTLP__STATUS__INIT;

	arena_reset(&p->arena);
	span.trace_id = bin(sp->trace_id, sizeof(sp->trace_id));
	span.span_id = bin(sp->span_id, sizeof(sp->span_id));
	span.trace_state = bin_text(sp->trace_state);
	if (sp->has_parent)
		span.parent_span_id = bin(sp->parent_id, sizeof(sp->parent_id));
	span.name = bin_text(sp->name);
	span.kind = sp->kind;
	span.start_time_unix_nano = sp->start;
	span.end_time_unix_nano = sp->end;
	span.dropped_attributes_count = sp->dropped_attrs;
	span.dropped_links_count = sp->dropped_links;
	span.flags = sp->flags;
	status.message = bin_text(sp->status_message);
	status.code = sp->status;
	if (sp->status != STATUS_UNSET)
		span.status = &status;
	if (fill_attrs(&p->arena, sp->attrs, sp->n_attrs, &span.n_attributes, &span.attributes) ||
	    fill_links(&p->arena, sp, &span))
		return NULL;
	return pack(p, &span.base, len);
}

static const void *encode_resource(void *ctx, const struct resource *r, size_t *len)
{
	struct otlp_pb *p = ctx;
	Otlp__Resource res = OTLP__RESOURCE__INIT;

	arena_reset(&p->arena);
	if (fill_attrs(&p->arena, r->attrs, r->n_attrs, &res.n_attributes, &res.attributes))
		return NULL;
	return pack(p, &res.base, len);
}

struct encoder otlp_pb_encoder(struct otlp_pb *p)
{
	return (struct encoder){ encode_span, encode_resource, p };
}

static Otlp__ScopeSpans *make_scope(struct arena *a, const struct batch *b, size_t group)
{
	const struct batch_group *g = &b->groups[group];
	Otlp__ScopeSpans *ss = arena_take(a, sizeof(*ss));
	Otlp__InstrumentationScope *scope = arena_take(a, sizeof(*scope));

	if (!ss || !scope)
		return NULL;
	otlp__scope_spans__init(ss);
	otlp__instrumentation_scope__init(scope);
	scope->name = bin(b->data + g->scope, g->scope_len);
	ss->scope = scope;
	ss->schema_url = bin(SCHEMA_URL, sizeof(SCHEMA_URL) - 1);
	ss->spans = arena_array(a, g->spans, sizeof(*ss->spans));
	if (!ss->spans)
		return NULL;
	for (size_t i = 0; i < b->n_spans; i++)
		if (b->spans[i].group == group)
			ss->spans[ss->n_spans++] = bin(b->data + b->spans[i].off, b->spans[i].len);
	return ss;
}

static Otlp__ResourceSpans *make_resource(struct arena *a, const struct batch *b, size_t first)
{
	const struct batch_group *g = &b->groups[first];
	Otlp__ResourceSpans *rs = arena_take(a, sizeof(*rs));

	if (!rs)
		return NULL;
	otlp__resource_spans__init(rs);
	rs->resource = bin(b->data + g->head, g->head_len);
	rs->schema_url = bin(SCHEMA_URL, sizeof(SCHEMA_URL) - 1);
	rs->scope_spans = arena_array(a, b->n_groups - first, sizeof(Otlp__ScopeSpans *));
	if (!rs->scope_spans)
		return NULL;
	for (size_t i = first; i < b->n_groups; i++) {
		if (b->groups[i].resource != g->resource)
			continue;
		rs->scope_spans[rs->n_scope_spans] = make_scope(a, b, i);
		if (!rs->scope_spans[rs->n_scope_spans++])
			return NULL;
	}
	return rs;
}

const void *otlp_pb_request(struct otlp_pb *p, const struct batch *b, size_t *len)
{
	Otlp__ExportTraceServiceRequest rq = OTLP__EXPORT_TRACE_SERVICE_REQUEST__INIT;

	arena_reset(&p->arena);
	rq.resource_spans = arena_array(&p->arena, b->n_groups, sizeof(*rq.resource_spans));
	if (!rq.resource_spans)
		return NULL;
	for (size_t i = 0; i < b->n_groups; i++) {
		if (!batch_group_first(b, i))
			continue;
		rq.resource_spans[rq.n_resource_spans] = make_resource(&p->arena, b, i);
		if (!rq.resource_spans[rq.n_resource_spans++])
			return NULL;
	}
	return pack(p, &rq.base, len);
}

static void copy_message(ProtobufCBinaryData from, char *msg, size_t size)
{
	snprintf(msg, size, "%.*s", (int)(from.len < size ? from.len : size),
		 from.data ? (const char *)from.data : "");
}

int otlp_pb_response(const void *body, size_t len, uint64_t *rejected, char *msg, size_t size)
{
	Otlp__ExportTraceServiceResponse *r = otlp__export_trace_service_response__unpack(NULL, len,
											  body);

	*rejected = 0;
	*msg = '\0';
	if (!r)
		return -EINVAL;
	if (r->partial_success) {
		if (r->partial_success->rejected_spans > 0)
			*rejected = (uint64_t)r->partial_success->rejected_spans;
		copy_message(r->partial_success->error_message, msg, size);
	}
	otlp__export_trace_service_response__free_unpacked(r, NULL);
	return 0;
}

void otlp_pb_error(const void *body, size_t len, char *msg, size_t size)
{
	Otlp__RpcStatus *s = otlp__rpc_status__unpack(NULL, len, body);

	*msg = '\0';
	if (!s)
		return;
	copy_message(s->message, msg, size);
	otlp__rpc_status__free_unpacked(s, NULL);
}
