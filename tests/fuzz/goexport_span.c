// SPDX-License-Identifier: Apache-2.0
/*
 * Records of any bytes through all that goexport makes of them: spans and
 * resources read, packed as protobuf and written as JSON, counted as metrics and
 * drawn as a tree. What comes out must be valid: the protobuf unpacks, the JSON
 * parses, and no control byte is drawn.
 */
#include "../../cmd/goexport/otlp_json.h"
#include "../../cmd/goexport/otlp_pb.h"
#include "../../cmd/goexport/redmetrics.h"
#include "../../cmd/goexport/trace.h"
#include "../../cmd/goexport/waterfall.h"
#include "exposition.h"
#include "otlp.pb-c.h"

#include <locale.h>
#include <stdlib.h>

#include "utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
	if (!good)
		abort();
}

static void draw(void *arg, struct trace *t)
{
	struct waterfall_style style = { .width = 80, .utf8 = true };

	waterfall_draw(arg, t, &style);
}

struct world {
	struct resources *rs;
	struct traces *ts;
	struct redmetrics *m;
	struct textbuf tree, page;
	struct otlp_pb pb, rq;
	struct jsonw json, line;
	struct batch *pb_batch, *json_batch;
	struct arena arena;
	struct jsonv_doc doc;
};

static void take_span(struct world *w, const struct record *r)
{
	struct encoder pb = otlp_pb_encoder(&w->pb), json = otlp_json_encoder(&w->json);
	struct errinfo e;
	struct spanrec sp;

	arena_reset(&w->arena);
	if (spanrec_parse(&sp, r, &w->arena, &e))
		return;
	check(sp.end >= sp.start && sp.n_attrs <= SPAN_MAX_ATTRS + 3);
	check(utf8_valid(sp.name.p, sp.name.len) == sp.name.len);
	sp.resource = resources_of(w->rs, sp.has_pid, sp.pid);
	check(!batch_put(w->pb_batch, &pb, &sp) && !batch_put(w->json_batch, &json, &sp));
	redmetrics_span(w->m, &sp);
	check(!traces_add(w->ts, &sp));
}

static void take_line(struct world *w, const char *text, size_t len)
{
	struct record r = { .text = text, .len = len, .doc = &w->doc };
	struct errinfo e;

	if (jsonv_parse(&w->doc, text, len, &e))
		return;
	r.root = jsonv_root(&w->doc);
	if (r.root->type != JSONV_OBJECT)
		return;
	resources_process(w->rs, &r, 1, &e);
	take_span(w, &r);
}

static void check_output(struct world *w)
{
	Otlp__ExportTraceServiceRequest *rq;
	struct errinfo e;
	const void *body;
	size_t len;

	body = otlp_pb_request(&w->rq, w->pb_batch, &len);
	rq = otlp__export_trace_service_request__unpack(NULL, len, body);
	check(rq != NULL);
	for (size_t i = 0; i < rq->n_resource_spans; i++)
		for (size_t j = 0; j < rq->resource_spans[i]->n_scope_spans; j++)
			for (size_t k = 0; k < rq->resource_spans[i]->scope_spans[j]->n_spans;
			     k++) {
				ProtobufCBinaryData b =
					rq->resource_spans[i]->scope_spans[j]->spans[k];
				Otlp__Span *s = otlp__span__unpack(NULL, b.len, b.data);

				check(s != NULL);
				otlp__span__free_unpacked(s, NULL);
			}
	otlp__export_trace_service_request__free_unpacked(rq, NULL);
	otlp_json_request(&w->line, w->json_batch);
	check(!jsonv_parse(&w->doc, w->line.buf, w->line.len, &e));
	check(utf8_valid(w->line.buf, w->line.len) == w->line.len);
	traces_finish(w->ts);
	for (size_t i = 0; i < w->tree.len; i++)
		check((unsigned char)w->tree.buf[i] >= 0x20 || w->tree.buf[i] == '\n');
	redmetrics_render(w->m, &w->page);
	check(!w->page.failed && !w->tree.failed);
	check(exposition_valid(w->page.buf, w->page.len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct world w = { .rs = resources_new(NULL, 0), .m = redmetrics_new() };
	const char *p = (const char *)data, *end = p + size;

	setlocale(LC_CTYPE, "C.UTF-8");
	w.ts = traces_new(draw, &w.tree);
	w.pb_batch = batch_new();
	w.json_batch = batch_new();
	jsonw_init(&w.json, -1);
	jsonw_init(&w.line, -1);
	while (p < end) {
		const char *lf = memchr(p, '\n', (size_t)(end - p));
		size_t len = lf ? (size_t)(lf - p) : (size_t)(end - p);

		take_line(&w, p, len);
		p += len + (lf != NULL);
	}
	check_output(&w);
	traces_free(w.ts);
	redmetrics_free(w.m);
	resources_free(w.rs);
	batch_free(w.pb_batch);
	batch_free(w.json_batch);
	otlp_pb_release(&w.pb);
	otlp_pb_release(&w.rq);
	jsonw_release(&w.json);
	jsonw_release(&w.line);
	jsonv_release(&w.doc);
	arena_release(&w.arena);
	free(w.tree.buf);
	free(w.page.buf);
	return 0;
}
