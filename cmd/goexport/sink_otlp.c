// SPDX-License-Identifier: Apache-2.0
#include "sink_otlp.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diag.h"
#include "otlp_pb.h"
#include "otlp_sender.h"
#include "otlp_url.h"
#include "outbox.h"
#include "saying.h"
#include "signals.h"

/* A request is sealed early at this size: receivers take 4 MiB at least. */
#define REQUEST_BYTES (1u << 20)
/* Spans can be large: whatever --queue says, no more than this waits. */
#define QUEUE_BYTES (16u << 20)

struct otlp {
	struct sink base;
	char *url, *shown;
	struct otlp_pb pb;
	struct outbox *ob;
	struct otlp_sender *sender;
	struct batch *batch; /* being filled; NULL before the first span */
	int64_t since;	     /* when that began; 0: not looked at yet */
	uint64_t max_spans;
	int64_t delay_ms;
	bool wait;
	struct saying full;
};

static void seal(struct otlp *o)
{
	if (!o->batch || !o->batch->n_spans)
		return;
	outbox_put(o->ob, o->batch);
	o->batch = NULL;
	o->since = 0;
}

static bool is_full(struct otlp *o)
{
	size_t bytes = o->batch ? o->batch->len : 0;

	return o->base.held >= o->base.limit || bytes + outbox_bytes(o->ob) >= QUEUE_BYTES;
}

/* Whether there is room for one more span, after waiting for it if that is wanted. */
static bool make_room(struct otlp *o)
{
	if (!is_full(o))
		return true;
	if (o->wait) {
		seal(o);
		while (is_full(o) && !signals_stopped())
			outbox_wait(o->ob, 100);
		return !is_full(o);
	}
	if (saying_now(&o->full, clock_ms()))
		diag(DIAG_WARNING, "otlp: %s: the queue of %llu spans is full; dropping",
		     o->base.target, (unsigned long long)o->base.limit);
	return false;
}

static void otlp_span(struct sink *s, const struct spanrec *sp)
{
	struct otlp *o = (struct otlp *)s;
	struct encoder enc = otlp_pb_encoder(&o->pb);

	if (!make_room(o)) {
		s->dropped[DROP_FULL]++;
		return;
	}
	if (!o->batch)
		o->batch = outbox_empty(o->ob);
	if (!o->batch || batch_put(o->batch, &enc, sp)) {
		s->dropped[DROP_ERROR]++;
		return;
	}
	s->held++;
	if (o->batch->n_spans >= o->max_spans || o->batch->len >= REQUEST_BYTES)
		seal(o);
}

static bool otlp_tick(struct sink *s, int64_t now)
{
	struct otlp *o = (struct otlp *)s;

	if (!o->batch)
		return false;
	if (!o->since)
		o->since = now;
	if (now - o->since >= o->delay_ms)
		seal(o);
	return o->batch != NULL;
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
	otlp_pb_release(&o->pb);
	free(o->url);
	free(o->shown);
	free(o);
	curl_global_cleanup();
}

static bool otlp_close(struct sink *s)
{
	struct otlp *o = (struct otlp *)s;

	otlp_sender_end(o->sender);
	return sink_report(s);
}

static const struct sink_ops otlp_ops = {
	.span = otlp_span,
	.tick = otlp_tick,
	.flush = otlp_flush,
	.close = otlp_close,
	.free = otlp_free,
};

/* A recording is replayed as fast as the receiver takes it: nothing waits behind us. */
static bool input_is_a_file(void)
{
	struct stat st;

	return !fstat(STDIN_FILENO, &st) && S_ISREG(st.st_mode);
}

int sink_otlp_open(struct sink **s, const struct options *opt, const struct sink_choice *c,
		   struct errinfo *e)
{
	struct otlp *o = calloc(1, sizeof(*o));
	int ret;

	if (!o || curl_global_init(CURL_GLOBAL_DEFAULT)) {
		free(o);
		return errinfo_set(e, -ENOMEM, "otlp: libcurl does not start");
	}
	o->base.ops = &otlp_ops;
	o->base.kind = "otlp";
	o->base.limit = opt->queue;
	o->max_spans = opt->batch < opt->queue ? opt->batch : opt->queue;
	o->delay_ms = opt->delay_ms;
	o->wait = opt->wait || input_is_a_file();
	o->ob = outbox_new();
	ret = o->ob ? otlp_url(c->target, c->exact, &o->url, &o->shown, e)
		    : errinfo_set(e, -ENOMEM, "out of memory");
	o->base.target = o->shown;
	if (!ret)
		ret = otlp_sender_start(&o->sender, opt, &o->base, o->ob, o->url, e);
	if (ret) {
		otlp_free(&o->base);
		return ret;
	}
	diag(DIAG_NOTE, "otlp: sending to %s", o->shown);
	*s = &o->base;
	return 0;
}
