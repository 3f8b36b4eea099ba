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
#include "otlp_saying.h"
#include "otlp_slice.h"
#include "signals.h"

/* However long a receiver asks for. */
#define LONGEST_WAIT_MS 3600000

struct otlp_sender {
	pthread_t thread;
	struct sink *sink;
	struct otlp_route r;
	struct otlp_http *http;
	struct backoff backoff;
	struct otlp_saying say;
	struct saying spool_full;
	bool denied; /* the last request was */
};

static bool too_late(void *arg)
{
	struct otlp_sender *t = arg;

	return outbox_late(t->r.ob);
}

static void drop(struct otlp_sender *t, const struct parcel *p, enum drop_reason reason)
{
	t->sink->dropped[reason] += p->items;
}

static void arrived(struct otlp_sender *t, const struct parcel *p, const struct otlp_answer *a)
{
	uint64_t rejected = a->rejected < p->items ? a->rejected : p->items;

	otlp_say_up(&t->say);
	otlp_say_taken(&t->say, p, a);
	t->backoff.next_ms = 0;
	t->denied = false;
	t->sink->exported += p->items - rejected;
	t->sink->dropped[DROP_REJECTED] += rejected;
}

static void sleep_before_next(struct otlp_sender *t, const struct otlp_answer *a, int64_t most)
{
	int64_t wait = a->retry_after_ms;
	bool asked = wait >= 0;

	if (!asked)
		wait = backoff_next(&t->backoff);
	outbox_sleep(t->r.ob, clock_ms() + (wait < most ? wait : most), !asked);
}

/* Nothing will be taken: no more than a request now and then, until that changes. */
static void refused(struct otlp_sender *t, const struct parcel *p, const struct otlp_answer *a)
{
	otlp_say_up(&t->say);
	otlp_say_refused(&t->say, p, a);
	drop(t, p, DROP_REJECTED);
	t->denied = a->verdict == OTLP_DENIED;
	if (t->denied && !outbox_closed(t->r.ob))
		sleep_before_next(t, a, LONGEST_WAIT_MS);
}

static void deliver(struct otlp_sender *t, const struct parcel *p);

/* Both halves of what is too large; false if it cannot be divided. */
static bool halve(struct otlp_sender *t, const struct parcel *p, const struct otlp_answer *a)
{
	bool json = t->r.how->protocol == OTLP_HTTP_JSON;
	uint32_t half = p->items / 2;
	struct parcel *first, *second;
	bool good;

	if (!half || t->r.signal != OTLP_TRACES)
		return false;
	first = otlp_slice(p, json, 0, half);
	second = otlp_slice(p, json, half, p->items);
	good = first && second;
	if (good) {
		otlp_say_up(&t->say);
		otlp_say_halved(&t->say, p, a);
		if (*t->r.batch > half)
			*t->r.batch = half;
		deliver(t, first);
		deliver(t, second);
	}
	parcel_free(first);
	parcel_free(second);
	return good;
}

/* One try. Whether @p is seen to; else it is to be tried again. */
static bool try_once(struct otlp_sender *t, const struct parcel *p, struct otlp_answer *a)
{
	otlp_http_post(t->http, p->body, p->len, a);
	t->sink->requests++;
	if (a->verdict == OTLP_DENIED && t->r.spool)
		a->verdict = OTLP_RETRY; /* somebody may set that right, and it is kept */
	switch (a->verdict) {
	case OTLP_DONE:
		arrived(t, p, a);
		return true;
	case OTLP_RETRY:
		t->sink->retries++;
		otlp_say_down(&t->say, a);
		return false;
	case OTLP_TOO_BIG:
		if (halve(t, p, a))
			return true;
		break;
	default:
		break;
	}
	refused(t, p, a);
	return true;
}

/* Until it is taken or refused, or there is no more time. */
static void deliver(struct otlp_sender *t, const struct parcel *p)
{
	int64_t began = clock_ms(), left;
	struct otlp_answer a;

	for (;;) {
		if (outbox_late(t->r.ob)) {
			drop(t, p, DROP_SHUTDOWN);
			return;
		}
		if (try_once(t, p, &a))
			return;
		left = began + t->r.retry_ms - clock_ms();
		if (left <= 0 || a.retry_after_ms > left) {
			drop(t, p, DROP_UNREACHABLE);
			if (a.retry_after_ms > 0) /* the next one comes no sooner, either */
				sleep_before_next(t, &a, LONGEST_WAIT_MS);
			return;
		}
		sleep_before_next(t, &a, left);
	}
}

/* Out of memory, onto the disk. */
static void keep(struct otlp_sender *t, struct parcel *p)
{
	int ret = spool_put(t->r.spool, p, false);

	if (ret && saying_now(&t->spool_full, clock_ms()))
		diag(DIAG_WARNING, "otlp: %s: the spool takes no more: %s; dropping",
		     t->sink->target, strerror(-ret));
	if (ret)
		drop(t, p, ret == -ENOSPC ? DROP_FULL : DROP_ERROR);
}

static void done(struct otlp_sender *t, struct parcel *p)
{
	t->sink->held -= p->items;
	outbox_done(t->r.ob, p->len);
	parcel_free(p);
}

/* The receiver is away: @p (unless it is in the spool) and all behind it go there. */
static void keep_all(struct otlp_sender *t, struct parcel *p)
{
	while (p) {
		keep(t, p);
		done(t, p);
		p = outbox_take_now(t->r.ob);
	}
}

static void send_from_memory(struct otlp_sender *t, struct parcel *p)
{
	struct otlp_answer a;

	if (t->denied && outbox_closed(t->r.ob) && !t->r.spool) {
		drop(t, p, DROP_REJECTED); /* no storm at the end */
	} else if (!t->r.spool) {
		deliver(t, p);
	} else if (outbox_late(t->r.ob)) {
		keep(t, p);
	} else if (!try_once(t, p, &a)) {
		keep_all(t, p);
		sleep_before_next(t, &a, LONGEST_WAIT_MS);
		return;
	}
	done(t, p);
}

static void send_from_spool(struct otlp_sender *t, struct parcel *p)
{
	struct otlp_answer a;

	if (try_once(t, p, &a)) {
		spool_done(t->r.spool, p->seq);
	} else {
		keep_all(t, outbox_take_now(t->r.ob));
		sleep_before_next(t, &a, LONGEST_WAIT_MS);
	}
	parcel_free(p);
}

static struct parcel *next_of_spool(struct otlp_sender *t)
{
	if (!t->r.spool || outbox_late(t->r.ob))
		return NULL;
	t->sink->dropped[DROP_EXPIRED] += spool_expire(t->r.spool);
	return spool_first(t->r.spool);
}

/*
 * Sends what is first in order. That is in memory, mostly: only then does sink_otlp put
 * what comes into the spool when that is not empty or memory is full. But this thread
 * puts there, too, and sink_otlp may just have looked.
 */
static void send_first(struct otlp_sender *t, struct parcel *p, struct parcel *kept)
{
	if (p && kept && kept->seq < p->seq) {
		keep(t, p);
		done(t, p);
		p = NULL;
	}
	if (p) {
		parcel_free(kept);
		send_from_memory(t, p);
	} else if (kept) {
		send_from_spool(t, kept);
	}
}

static void *run(void *arg)
{
	struct otlp_sender *t = arg;
	bool end = false;

	while (!end) {
		struct parcel *p = outbox_take_now(t->r.ob), *kept = next_of_spool(t);

		if (!p && !kept)
			p = outbox_take(t->r.ob, &end);
		send_first(t, p, kept);
	}
	return NULL;
}

int otlp_sender_start(struct otlp_sender **out, const struct otlp_route *r, struct sink *s,
		      struct errinfo *e)
{
	struct otlp_sender *t = calloc(1, sizeof(*t));
	int ret;

	if (!t)
		return errinfo_set(e, -ENOMEM, "out of memory");
	t->sink = s;
	t->r = *r;
	t->say.sink = s;
	t->backoff.seed = (unsigned)clock_ms() ^ (unsigned)getpid();
	t->http = otlp_http_new(r->url, r->how, too_late, t, e);
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
	free(t);
}
