// SPDX-License-Identifier: Apache-2.0
/*
 * Records of any bytes through all that goexport makes of them: spans and
 * resources read, packed as protobuf and written as JSON, counted as metrics and
 * drawn as a tree. What comes out must be valid: the protobuf unpacks, the JSON
 * parses, and no control byte is drawn.
 */
#include "../../cmd/goexport/graph.h"
#include "../../cmd/goexport/otlp_json.h"
#include "../../cmd/goexport/otlp_metrics.h"
#include "../../cmd/goexport/otlp_pb.h"
#include "../../cmd/goexport/otlp_slice.h"
#include "../../cmd/goexport/prommeters.h"
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
	struct meters *m;
	struct graph *graph;
	struct textbuf tree, rq;
	struct jsonw json, line;
	struct batch *pb_batch, *json_batch;
	struct arena arena;
	struct jsonv_doc doc;
};

static void take_span(struct world *w, const struct record *r)
{
	struct encoder json = otlp_json_encoder(&w->json);
	struct errinfo e;
	struct spanrec sp;

	arena_reset(&w->arena);
	if (spanrec_parse(&sp, r, &w->arena, &e))
		return;
	check(sp.end >= sp.start && sp.n_attrs <= SPAN_MAX_ATTRS + 3);
	check(utf8_valid(sp.name.p, sp.name.len) == sp.name.len);
	sp.resource = resources_of(w->rs, sp.has_pid, sp.pid);
	check(!batch_put(w->pb_batch, &otlp_pb_encoder, &sp) &&
	      !batch_put(w->json_batch, &json, &sp));
	meters_span(w->m, &sp);
	graph_span(w->graph, &sp, 1);
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

/* Pages, and requests of metrics. */
static void take_protobuf(void *arg, struct textbuf *out, size_t points)
{
	Otlp__ExportMetricsServiceRequest *got =
		otlp__export_metrics_service_request__unpack(NULL, out->len, (uint8_t *)out->buf);

	(void)arg;
	check(got && points);
	otlp__export_metrics_service_request__free_unpacked(got, NULL);
	free(out->buf);
}

static void take_json(void *arg, struct textbuf *out, size_t points)
{
	struct world *w = arg;

	check(points && !jsonv_parse(&w->doc, out->buf, out->len, NULL));
	free(out->buf);
}

static void check_metrics(struct world *w)
{
	struct metrics_request rq = { .time = 1 };
	struct prompage p;

	graph_expire(w->graph, INT64_MAX);
	for (int format = PROM_TEXT; format <= PROM_PROTOBUF; format++) {
		prompage_init(&p, (enum prom_format)format);
		prommeters_render(&p, w->m);
		prompage_finish(&p);
		check(!p.out.failed);
		check(format != PROM_TEXT || exposition_valid(p.out.buf, p.out.len));
		free(p.out.buf);
	}
	otlp_metrics_requests(w->m, &rq, take_protobuf, w);
	rq.json = true;
	otlp_metrics_requests(w->m, &rq, take_json, w);
}

/* A request in two halves has the spans of the whole. */
static void check_slices(struct world *w)
{
	uint32_t n = (uint32_t)w->pb_batch->n_spans;
	struct parcel whole = { .body = w->rq.buf, .len = w->rq.len, .items = n };
	struct parcel json = { .body = w->line.buf, .len = w->line.len, .items = n };

	for (uint32_t i = 0; i < 2 && n; i++) {
		struct parcel *a = otlp_slice(&whole, false, i * (n / 2), i ? n : n / 2);
		struct parcel *b = otlp_slice(&json, true, i * (n / 2), i ? n : n / 2);

		check(a && b && !jsonv_parse(&w->doc, b->body, b->len, NULL));
		parcel_free(a);
		parcel_free(b);
	}
}

static void check_output(struct world *w)
{
	Otlp__ExportTraceServiceRequest *rq;
	struct errinfo e;

	otlp_pb_request(w->pb_batch, &w->rq);
	rq = otlp__export_trace_service_request__unpack(NULL, w->rq.len, (uint8_t *)w->rq.buf);
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
	check(!w->tree.failed);
	check_slices(w);
	check_metrics(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct meters_config c = { .max_series = 20, .max_scale = EXPHIST_SCALE };
	struct world w = { .rs = resources_new(NULL, 0) };
	const char *p = (const char *)data, *end = p + size;

	setlocale(LC_CTYPE, "C.UTF-8");
	c.exponential = size % 2;
	w.m = meters_new(&c);
	w.graph = graph_new(w.m);
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
	graph_free(w.graph);
	meters_free(w.m);
	resources_free(w.rs);
	batch_free(w.pb_batch);
	batch_free(w.json_batch);
	jsonw_release(&w.json);
	jsonw_release(&w.line);
	jsonv_release(&w.doc);
	arena_release(&w.arena);
	free(w.tree.buf);
	free(w.rq.buf);
	return 0;
}
