// SPDX-License-Identifier: Apache-2.0
#include "otlp_slice.h"

#include <stdio.h>

#include "jsonv.h"
#include "jsonw.h"
#include "otlp.pb-c.h"
#include "pbw.h"

/* The spans that are wanted, and how many came by. */
struct window {
	uint32_t from, to, at;
};

static bool wanted(struct window *w)
{
	uint32_t i = w->at++;

	return i >= w->from && i < w->to;
}

static bool any_wanted(const struct window *w, size_t n)
{
	return w->at < w->to && w->at + n > w->from;
}

static void put_scope(struct textbuf *t, const Otlp__ScopeSpans *ss, struct window *w)
{
	size_t scope_spans = pbw_begin(t, 2), scope = pbw_begin(t, 1);

	if (ss->scope)
		pbw_text(t, 1, ss->scope->name.data, ss->scope->name.len);
	pbw_end(t, scope);
	for (size_t i = 0; i < ss->n_spans; i++)
		if (wanted(w))
			pbw_bytes(t, 2, ss->spans[i].data, ss->spans[i].len);
	pbw_text(t, 3, ss->schema_url.data, ss->schema_url.len);
	pbw_end(t, scope_spans);
}

static size_t spans_in(const Otlp__ResourceSpans *rs)
{
	size_t n = 0;

	for (size_t i = 0; i < rs->n_scope_spans; i++)
		n += rs->scope_spans[i]->n_spans;
	return n;
}

static void put_resource(struct textbuf *t, const Otlp__ResourceSpans *rs, struct window *w)
{
	size_t resource_spans = pbw_begin(t, 1);

	pbw_bytes(t, 1, rs->resource.data, rs->resource.len);
	for (size_t i = 0; i < rs->n_scope_spans; i++) {
		const Otlp__ScopeSpans *ss = rs->scope_spans[i];

		if (any_wanted(w, ss->n_spans))
			put_scope(t, ss, w);
		else
			w->at += (uint32_t)ss->n_spans;
	}
	pbw_text(t, 3, rs->schema_url.data, rs->schema_url.len);
	pbw_end(t, resource_spans);
}

static bool slice_protobuf(const struct parcel *p, struct window w, struct textbuf *out)
{
	Otlp__ExportTraceServiceRequest *rq =
		otlp__export_trace_service_request__unpack(NULL, p->len, (const uint8_t *)p->body);

	if (!rq)
		return false;
	for (size_t i = 0; i < rq->n_resource_spans; i++) {
		size_t n = spans_in(rq->resource_spans[i]);

		if (any_wanted(&w, n))
			put_resource(out, rq->resource_spans[i], &w);
		else
			w.at += (uint32_t)n;
	}
	otlp__export_trace_service_request__free_unpacked(rq, NULL);
	return !out->failed;
}

/* Copies @v, with only what is wanted of the arrays called "spans". */
static void copy_json(struct jsonw *j, const char *key, const struct jsonv *v, struct window *w)
{
	const struct jsonv *item = jsonv_first(v);
	bool spans = key && !strcmp(key, "spans");

	jsonw_arr(j, key);
	for (uint32_t i = 0; i < v->count; i++, item = jsonv_after(item)) {
		const struct jsonv *k = jsonv_first(item);

		if (spans) {
			if (wanted(w))
				jsonw_raw(j, NULL, item->text, item->len);
			continue;
		}
		jsonw_obj(j, NULL);
		for (uint32_t m = 0; m < item->count; m++, k = jsonv_after(k + 1)) {
			char name[32];

			snprintf(name, sizeof(name), "%.*s", (int)k->len, k->text);
			if (k[1].type == JSONV_ARRAY)
				copy_json(j, name, k + 1, w);
			else if (k[1].type == JSONV_STRING) /* its text is without the quotes */
				jsonw_raw(j, name, k[1].text - 1, k[1].len + 2);
			else
				jsonw_raw(j, name, k[1].text, k[1].len);
		}
		jsonw_end_obj(j);
	}
	jsonw_end_arr(j);
}

static bool slice_json(const struct parcel *p, struct window w, struct textbuf *out)
{
	struct jsonv_doc d = { 0 };
	const struct jsonv *spans;
	struct jsonw j;
	bool good = false;

	jsonw_init(&j, -1);
	if (!jsonv_parse(&d, p->body, p->len, NULL)) {
		spans = jsonv_member(jsonv_root(&d), "resourceSpans");
		good = spans && spans->type == JSONV_ARRAY;
	}
	if (good) {
		jsonw_obj(&j, NULL);
		copy_json(&j, "resourceSpans", spans, &w);
		jsonw_end_obj(&j);
		textbuf_put(out, j.buf, j.len);
		good = !j.err && !out->failed;
	}
	jsonw_release(&j);
	jsonv_release(&d);
	return good;
}

struct parcel *otlp_slice(const struct parcel *p, bool json, uint32_t from, uint32_t to)
{
	struct window w = { .from = from, .to = to };
	struct textbuf out = { 0 };

	if (!(json ? slice_json(p, w, &out) : slice_protobuf(p, w, &out))) {
		free(out.buf);
		return NULL;
	}
	return parcel_new(out.buf, out.len, to - from);
}
