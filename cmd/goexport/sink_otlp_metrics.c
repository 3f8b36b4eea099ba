// SPDX-License-Identifier: Apache-2.0
#include "sink_otlp_metrics.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "diag.h"
#include "env.h"
#include "graph.h"
#include "metering.h"
#include "otlp_endpoint.h"
#include "otlp_metrics.h"
#include "otlp_sender.h"

/* How long the numbers of a process that has ended are still sent. */
#define KEEP_MS 300000

struct metrics_sink {
	struct sink base;
	struct otlp_endpoint to;
	struct metering metering;
	struct outbox *ob;
	struct otlp_sender *sender;
	int64_t interval_ms, next, now; /* next: when the next request is due */
	_Atomic uint64_t batch;		/* not of use here */
	bool delta;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* There is no queue: the next request says what this one would have. */
static bool is_busy(struct metrics_sink *ms)
{
	return outbox_bytes(ms->ob) > 0;
}

static void take(void *arg, struct textbuf *out, size_t points)
{
	struct metrics_sink *ms = arg;
	struct parcel *p = NULL;

	if (out->failed)
		free(out->buf);
	else
		p = parcel_new(out->buf, out->len, (uint32_t)points);
	if (!p) {
		diag(DIAG_WARNING, "otlp: %s: out of memory", ms->base.target);
		ms->base.dropped[DROP_ERROR] += points;
		return;
	}
	ms->base.held += points;
	outbox_put(ms->ob, p);
}

static void send_metrics(struct metrics_sink *ms)
{
	struct metrics_request rq = {
		.json = ms->to.how.protocol == OTLP_HTTP_JSON,
		.delta = ms->delta,
		.time = now_ns(),
	};

	otlp_metrics_requests(ms->metering.meters, &rq, take, ms);
	if (ms->delta)
		meters_restart(ms->metering.meters);
}

static void metrics_span(struct sink *s, const struct spanrec *sp)
{
	struct metrics_sink *ms = (struct metrics_sink *)s;

	metering_span(&ms->metering, sp, ms->now);
}

static void metrics_active(struct sink *s, const struct activerec *ar, struct resource *r)
{
	struct metrics_sink *ms = (struct metrics_sink *)s;

	meters_active(ms->metering.meters, ar, r);
}

static bool metrics_tick(struct sink *s, int64_t now)
{
	struct metrics_sink *ms = (struct metrics_sink *)s;

	ms->now = now;
	graph_expire(ms->metering.graph, now);
	if (now >= ms->next) {
		ms->next = now + ms->interval_ms;
		if (!is_busy(ms))
			send_metrics(ms);
		meters_expire(ms->metering.meters, now - KEEP_MS);
	}
	return meters_count(ms->metering.meters) > 0;
}

static void metrics_flush(struct sink *s, int64_t deadline)
{
	struct metrics_sink *ms = (struct metrics_sink *)s;

	graph_expire(ms->metering.graph, INT64_MAX);
	send_metrics(ms);
	outbox_close(ms->ob, deadline);
}

static bool metrics_close(struct sink *s)
{
	struct metrics_sink *ms = (struct metrics_sink *)s;

	otlp_sender_end(ms->sender);
	return sink_report(s);
}

static void metrics_free(struct sink *s)
{
	struct metrics_sink *ms = (struct metrics_sink *)s;

	metering_release(&ms->metering);
	outbox_free(ms->ob);
	otlp_endpoint_release(&ms->to);
	free(ms);
}

static const struct sink_ops metrics_ops = {
	.span = metrics_span,
	.unsampled = true,
	.active = metrics_active,
	.tick = metrics_tick,
	.flush = metrics_flush,
	.close = metrics_close,
	.free = metrics_free,
};

static bool wants_delta(void)
{
	static const char *const words[] = { "cumulative", "delta", "lowmemory", NULL };

	return env_word("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", words) > 0;
}

static bool wants_exponential(const struct options *o)
{
	static const char *const words[] = { "explicit_bucket_histogram",
					     "base2_exponential_bucket_histogram", NULL };

	return o->exponential ||
	       env_word("OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION", words) == 1;
}

static int start(struct metrics_sink *ms, const struct options *o, const struct sink_choice *c,
		 struct errinfo *e)
{
	struct otlp_route r = {
		.how = &ms->to.how,
		.signal = OTLP_METRICS,
		.retry_ms = (int64_t)o->metric_timeout_ms,
		.ob = ms->ob,
		.batch = &ms->batch,
	};
	int ret = otlp_endpoint_init(&ms->to, c, OTLP_METRICS, e);

	ms->base.target = ms->to.shown;
	r.url = ms->to.url;
	if (!ret)
		ret = metering_init(&ms->metering, o, wants_exponential(o), EXPHIST_SCALE, e);
	return ret ? ret : otlp_sender_start(&ms->sender, &r, &ms->base, e);
}

int sink_otlp_metrics_open(struct sink **s, const struct options *o, const struct sink_choice *c,
			   struct errinfo *e)
{
	struct metrics_sink *ms = calloc(1, sizeof(*ms));
	int ret;

	if (!ms)
		return errinfo_set(e, -ENOMEM, "out of memory");
	ms->base.ops = &metrics_ops;
	ms->base.kind = "otlp-metrics";
	ms->base.points = ms->base.receiver = true;
	ms->interval_ms = (int64_t)o->metric_interval_ms;
	ms->now = clock_ms();
	ms->next = ms->now + ms->interval_ms;
	ms->delta = wants_delta();
	ms->ob = outbox_new();
	ret = ms->ob ? start(ms, o, c, e) : errinfo_set(e, -ENOMEM, "out of memory");
	if (ret) {
		metrics_free(&ms->base);
		return ret;
	}
	diag(DIAG_NOTE, "otlp: sending metrics to %s", ms->to.shown);
	*s = &ms->base;
	return 0;
}
