// SPDX-License-Identifier: Apache-2.0
#include "sink_otlp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diag.h"
#include "otlp_endpoint.h"
#include "otlp_json.h"
#include "otlp_pb.h"
#include "otlp_sender.h"
#include "saying.h"
#include "signals.h"

/* A request is sealed early at this size: receivers take 4 MiB at least. */
#define REQUEST_BYTES (1u << 20)
/* Spans can be large: whatever --queue says, no more than this waits. */
#define QUEUE_BYTES (16u << 20)

struct otlp {
	struct sink base;
	struct otlp_endpoint to;
	struct outbox *ob;
	struct otlp_sender *sender;
	struct batch *batch; /* being filled */
	struct jsonw json;   /* memory for OTLP/JSON */
	const char *spool_dir;
	int64_t since; /* when the batch began; 0: not looked at yet */
	_Atomic uint64_t max_spans;
	int64_t delay_ms;
	bool wait;
	struct saying full;
};

static void say_full(struct otlp *o, const char *why)
{
	if (!saying_now(&o->full, clock_ms()))
		return;
	if (why)
		diag(DIAG_WARNING, "otlp: %s: the spool takes no more: %s; dropping",
		     o->base.target, why);
	else
		diag(DIAG_WARNING, "otlp: %s: the queue of %llu spans is full; dropping",
		     o->base.target, (unsigned long long)o->base.limit);
}

static bool memory_is_full(const struct otlp *o, size_t spans, size_t bytes)
{
	return o->base.held - spans >= o->base.limit || bytes + outbox_bytes(o->ob) >= QUEUE_BYTES;
}

/* Behind what is in the spool; or there, too, if memory is full. 1: into memory. */
static int put_in_spool(struct otlp *o, const struct parcel *p)
{
	int ret = spool_put(o->base.spool, p, true);

	if (ret == -ENOENT)
		ret = memory_is_full(o, p->items, 0) ? spool_put(o->base.spool, p, false) : 1;
	while (ret == -ENOSPC && o->wait && !signals_stopped()) {
		outbox_poke(o->ob);
		outbox_wait(o->ob, 100);
		usleep(10000);
		ret = spool_put(o->base.spool, p, false);
	}
	return ret;
}

static void put(struct otlp *o, struct parcel *p)
{
	int ret = 1;

	if (o->base.spool) {
		p->seq = spool_next_seq(o->base.spool);
		ret = put_in_spool(o, p);
	}
	if (ret == 1) {
		outbox_put(o->ob, p);
		return;
	}
	if (ret) {
		say_full(o, strerror(-ret));
		o->base.dropped[ret == -ENOSPC ? DROP_FULL : DROP_ERROR] += p->items;
	}
	o->base.held -= p->items;
	parcel_free(p);
	outbox_poke(o->ob);
}

static struct parcel *make_request(struct otlp *o)
{
	struct textbuf out = { 0 };

	if (o->to.how.protocol == OTLP_HTTP_JSON) {
		otlp_json_request(&o->json, o->batch);
		textbuf_put(&out, o->json.buf, o->json.len);
		out.failed |= o->json.err != 0;
	} else {
		otlp_pb_request(o->batch, &out);
	}
	if (out.failed) {
		free(out.buf);
		return NULL;
	}
	return parcel_new(out.buf, out.len, (uint32_t)o->batch->n_spans);
}

static void seal(struct otlp *o)
{
	struct parcel *p;
	size_t n = o->batch->n_spans;

	if (!n)
		return;
	p = make_request(o);
	batch_reset(o->batch);
	o->since = 0;
	if (p) {
		put(o, p);
		return;
	}
	o->base.dropped[DROP_ERROR] += n;
	o->base.held -= n;
}

/* Whether there is room for one more span, after waiting for it if that is wanted. */
static bool make_room(struct otlp *o)
{
	if (o->base.spool || !memory_is_full(o, 0, o->batch->data.len))
		return true;
	if (!o->wait) {
		say_full(o, NULL);
		return false;
	}
	seal(o);
	while (memory_is_full(o, 0, 0) && !signals_stopped())
		outbox_wait(o->ob, 100);
	return !memory_is_full(o, 0, 0);
}

static void otlp_span(struct sink *s, const struct spanrec *sp)
{
	struct otlp *o = (struct otlp *)s;
	struct encoder json = otlp_json_encoder(&o->json);
	bool is_json = o->to.how.protocol == OTLP_HTTP_JSON;

	if (!make_room(o)) {
		s->dropped[DROP_FULL]++;
		return;
	}
	if (batch_put(o->batch, is_json ? &json : &otlp_pb_encoder, sp)) {
		s->dropped[DROP_ERROR]++;
		return;
	}
	s->held++;
	if (o->batch->n_spans >= o->max_spans || o->batch->data.len >= REQUEST_BYTES)
		seal(o);
}

static bool otlp_tick(struct sink *s, int64_t now)
{
	struct otlp *o = (struct otlp *)s;

	if (!o->batch->n_spans)
		return false;
	if (!o->since)
		o->since = now;
	if (now - o->since >= o->delay_ms)
		seal(o);
	return o->batch->n_spans > 0;
}

static void otlp_flush(struct sink *s, int64_t deadline)
{
	struct otlp *o = (struct otlp *)s;

	seal(o);
	outbox_close(o->ob, deadline);
}

static void otlp_free(struct sink *s)
{
	struct otlp *o = (struct otlp *)s;

	batch_free(o->batch);
	outbox_free(o->ob);
	spool_close(o->base.spool);
	jsonw_release(&o->json);
	otlp_endpoint_release(&o->to);
	free(o);
}

static bool otlp_close(struct sink *s)
{
	struct otlp *o = (struct otlp *)s;
	uint64_t kept;

	otlp_sender_end(o->sender);
	kept = s->spool ? spool_items(s->spool) : 0;
	if (kept)
		diag(DIAG_NOTE, "otlp: %s: %llu spans are kept in %s for the next run", s->target,
		     (unsigned long long)kept, o->spool_dir);
	return sink_report(s);
}

static const struct sink_ops otlp_ops = {
	.span = otlp_span,
	.tick = otlp_tick,
	.flush = otlp_flush,
	.close = otlp_close,
	.free = otlp_free,
};

static int open_spool(struct otlp *o, const struct options *opt, struct errinfo *e)
{
	struct spool_limits limits = { .bytes = opt->spool_mb << 20, .max_age_s = opt->spool_s };
	char *name;
	int ret;

	if (!opt->spool)
		return 0;
	o->spool_dir = opt->spool;
	/* What was made for JSON is of no use to a receiver of protobuf. */
	if (asprintf(&name, "%s %s", o->to.how.protocol == OTLP_HTTP_JSON ? "json" : "protobuf",
		     o->to.shown) < 0)
		return errinfo_set(e, -ENOMEM, "out of memory");
	ret = spool_open(&o->base.spool, opt->spool, name, &limits, e);
	free(name);
	return ret;
}

static int start(struct otlp *o, const struct options *opt, struct errinfo *e)
{
	struct otlp_route r = {
		.url = o->to.url,
		.how = &o->to.how,
		.signal = OTLP_TRACES,
		.retry_ms = (int64_t)opt->retry_ms,
		.ob = o->ob,
		.spool = o->base.spool,
		.batch = &o->max_spans,
	};

	return otlp_sender_start(&o->sender, &r, &o->base, e);
}

int sink_otlp_open(struct sink **s, const struct options *opt, const struct sink_choice *c,
		   struct errinfo *e)
{
	struct otlp *o = calloc(1, sizeof(*o));
	int ret;

	if (!o)
		return errinfo_set(e, -ENOMEM, "out of memory");
	o->base.ops = &otlp_ops;
	o->base.kind = "otlp";
	o->base.receiver = true;
	o->base.limit = opt->queue;
	o->max_spans = opt->batch < opt->queue ? opt->batch : opt->queue;
	o->delay_ms = (int64_t)opt->delay_ms;
	o->wait = opt->wait || sink_input_is_file();
	jsonw_init(&o->json, -1);
	o->ob = outbox_new();
	o->batch = batch_new();
	ret = o->ob && o->batch ? otlp_endpoint_init(&o->to, c, OTLP_TRACES, e)
				: errinfo_set(e, -ENOMEM, "out of memory");
	o->base.target = o->to.shown;
	if (!ret)
		ret = open_spool(o, opt, e);
	if (!ret)
		ret = start(o, opt, e);
	if (ret) {
		otlp_free(&o->base);
		return ret;
	}
	diag(DIAG_NOTE, "otlp: sending to %s", o->to.shown);
	if (o->base.spool && spool_items(o->base.spool))
		diag(DIAG_NOTE, "otlp: %s: %llu spans of an earlier run are in %s", o->to.shown,
		     (unsigned long long)spool_items(o->base.spool), opt->spool);
	*s = &o->base;
	return 0;
}
