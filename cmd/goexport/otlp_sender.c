// SPDX-License-Identifier: Apache-2.0
#include "otlp_sender.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backoff.h"
#include "diag.h"
#include "otlp_http.h"
#include "otlp_pb.h"
#include "saying.h"
#include "signals.h"

struct otlp_sender {
	pthread_t thread;
	struct sink *sink;
	struct outbox *ob;
	struct otlp_http *http;
	struct otlp_pb pb;
	struct backoff backoff;
	int64_t retry_ms;
	int64_t down_since; /* 0 while the receiver answers */
	bool down_said;
	struct saying down, refused, partial, other;
};

static bool too_late(void *arg)
{
	struct otlp_sender *t = arg;

	return outbox_late(t->ob);
}

static void say_down(struct otlp_sender *t, const struct otlp_answer *a)
{
	int64_t now = clock_ms();

	if (t->down_since)
		return;
	t->down_since = now;
	t->down_said = saying_now(&t->down, now);
	if (t->down_said)
		diag(DIAG_WARNING, "otlp: %s: %s; trying again", t->sink->target, a->text);
}

static void say_up(struct otlp_sender *t)
{
	int64_t ms = clock_ms() - t->down_since;

	if (t->down_since && t->down_said)
		diag(DIAG_NOTE, "otlp: %s: back after %lld.%lld s", t->sink->target,
		     (long long)(ms / 1000), (long long)(ms % 1000 / 100));
	t->down_since = 0;
	t->backoff.next_ms = 0;
}

static void drop(struct otlp_sender *t, const struct batch *b, enum drop_reason reason)
{
	t->sink->dropped[reason] += b->n_spans;
}

static void arrived(struct otlp_sender *t, const struct batch *b, const struct otlp_answer *a)
{
	uint64_t rejected = a->rejected < b->n_spans ? a->rejected : b->n_spans;

	say_up(t);
	t->sink->exported += b->n_spans - rejected;
	t->sink->dropped[DROP_REJECTED] += rejected;
	if (rejected && saying_now(&t->partial, clock_ms()))
		diag(DIAG_WARNING, "otlp: %s: %llu of %zu spans rejected%s%s", t->sink->target,
		     (unsigned long long)rejected, b->n_spans, *a->text ? ": " : "", a->text);
	else if (!rejected && *a->text && saying_now(&t->other, clock_ms()))
		diag(DIAG_WARNING, "otlp: %s: %s", t->sink->target, a->text);
}

static void refused(struct otlp_sender *t, const struct batch *b, const struct otlp_answer *a)
{
	say_up(t);
	drop(t, b, DROP_REJECTED);
	if (saying_now(&t->refused, clock_ms()))
		diag(DIAG_WARNING, "otlp: %s: %zu spans refused: %s", t->sink->target, b->n_spans,
		     a->text);
}

/* Sleeps before the next try; false when there is none. */
static bool wait_for_next(struct otlp_sender *t, int64_t began, const struct otlp_answer *a)
{
	int64_t now = clock_ms();

	if (now - began >= t->retry_ms)
		return false;
	if (a->retry_after_ms >= 0)
		outbox_sleep(t->ob, now + a->retry_after_ms, false);
	else
		outbox_sleep(t->ob, now + backoff_next(&t->backoff), true);
	return true;
}

static void deliver(struct otlp_sender *t, const struct batch *b)
{
	int64_t began = clock_ms();
	size_t len;
	const void *body = otlp_pb_request(&t->pb, b, &len);

	if (!body) {
		drop(t, b, DROP_ERROR);
		return;
	}
	for (;;) {
		struct otlp_answer a;

		if (outbox_late(t->ob)) {
			drop(t, b, DROP_SHUTDOWN);
			return;
		}
		otlp_http_post(t->http, body, len, &a);
		if (a.verdict == OTLP_DONE) {
			arrived(t, b, &a);
			return;
		}
		if (a.verdict == OTLP_REFUSED) {
			refused(t, b, &a);
			return;
		}
		say_down(t, &a);
		if (!wait_for_next(t, began, &a)) {
			drop(t, b, DROP_UNREACHABLE);
			return;
		}
	}
}

static void *run(void *arg)
{
	struct otlp_sender *t = arg;
	struct batch *b;

	while ((b = outbox_take(t->ob))) {
		deliver(t, b);
		t->sink->held -= b->n_spans;
		outbox_done(t->ob, b);
	}
	return NULL;
}

int otlp_sender_start(struct otlp_sender **out, const struct options *o, struct sink *s,
		      struct outbox *ob, const char *url, struct errinfo *e)
{
	struct otlp_sender *t = calloc(1, sizeof(*t));
	int ret;

	if (!t)
		return errinfo_set(e, -ENOMEM, "out of memory");
	t->sink = s;
	t->ob = ob;
	t->retry_ms = o->retry_ms;
	t->backoff.seed = (unsigned)clock_ms() ^ (unsigned)getpid();
	t->http = otlp_http_new(url, o->headers, o->n_headers, o->otlp_timeout_ms, too_late, t, e);
	ret = t->http ? signals_free_thread(&t->thread, run, t) : -ENOMEM;
	if (ret) {
		if (t->http)
			errinfo_set(e, ret, "otlp: no thread: %s", strerror(-ret));
		otlp_http_free(t->http);
		free(t);
		return ret;
	}
	*out = t;
	return 0;
}

void otlp_sender_end(struct otlp_sender *t)
{
	if (!t)
		return;
	pthread_join(t->thread, NULL);
	otlp_http_free(t->http);
	otlp_pb_release(&t->pb);
	free(t);
}
