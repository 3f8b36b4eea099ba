// SPDX-License-Identifier: Apache-2.0
#include "webfeed.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "signals.h"
#include "webapi.h"

#define RING	   (4u << 20)
#define BEAT_MS	   400
#define MAX_TRACES 3000 /* in one event; older changes are left to a search */

struct feed_page {
	struct webfeed *feed;
	struct MHD_Connection *connection;
	uint64_t at; /* in the stream */
	bool asleep;
	struct feed_page *next;
};

struct webfeed {
	struct webdata *data;
	pthread_mutex_t lock; /* for all below; taken before the server's own */
	pthread_cond_t stop;
	pthread_t thread;
	struct feed_page *pages;
	unsigned n_pages;
	char *ring;
	uint64_t head; /* bytes ever written */
	uint64_t told; /* the store's changes that are in them */
	struct jsonw event;
	bool closed;
};

static void ring_put(struct webfeed *f, const char *p, size_t len)
{
	while (len) {
		size_t at = f->head % RING, n = RING - at < len ? RING - at : len;

		memcpy(f->ring + at, p, n);
		f->head += n;
		p += n;
		len -= n;
	}
}

static void ring_puts(struct webfeed *f, const char *s)
{
	ring_put(f, s, strlen(s));
}

/* The traces that changed since the last beat, the oldest change first. */
static void put_traces(struct webfeed *f)
{
	const struct spanstore *s = &f->data->store;
	struct jsonw *w = &f->event;
	const struct stored_trace *t = s->just_changed;
	unsigned n = 0;

	if (!t || t->changed <= f->told)
		return;
	while (t->before && t->before->changed > f->told && ++n < MAX_TRACES)
		t = t->before;
	jsonw_obj(w, NULL);
	jsonw_bool(w, "cut", n == MAX_TRACES);
	jsonw_arr(w, "traces");
	for (; t; t = t->after)
		if (t->top)
			webapi_summary(w, t);
	jsonw_end_arr(w);
	jsonw_end_obj(w);
	f->told = s->changes;
}

static void put_status(struct webfeed *f)
{
	const struct webdata *d = f->data;
	struct jsonw *w = &f->event;
	uint64_t lost = d->losses.others;

	for (unsigned i = 0; i < d->losses.n; i++)
		lost += d->losses.loss[i].count;
	jsonw_obj(w, NULL);
	jsonw_uint(w, "traces", d->store.n_traces);
	jsonw_uint(w, "failed", d->store.n_errors);
	jsonw_uint(w, "spans", d->store.n_spans);
	jsonw_uint(w, "received", d->store.changes);
	jsonw_uint(w, "evicted", d->store.evicted_traces);
	jsonw_uint(w, "lost", lost);
	jsonw_bool(w, "ended", d->ended);
	jsonw_end_obj(w);
}

static void say(struct webfeed *f, const char *name, void (*put)(struct webfeed *f))
{
	struct jsonw *w = &f->event;

	w->len = w->mark = 0;
	w->comma = false;
	pthread_mutex_lock(&f->data->lock);
	put(f);
	pthread_mutex_unlock(&f->data->lock);
	if (!w->len || w->err || w->len > RING / 2) {
		w->err = 0;
		return;
	}
	ring_puts(f, "event: ");
	ring_puts(f, name);
	ring_puts(f, "\ndata: ");
	ring_put(f, w->buf, w->len);
	ring_puts(f, "\n\n");
}

static void wake_all(struct webfeed *f)
{
	for (struct feed_page *p = f->pages; p; p = p->next)
		if (p->asleep) {
			p->asleep = false;
			MHD_resume_connection(p->connection);
		}
}

static void beat(struct webfeed *f)
{
	pthread_mutex_lock(&f->data->lock);
	if (!f->data->ended)
		traffic_idle(f->data->traffic, clock_ms());
	if (!f->n_pages)
		f->told = f->data->store.changes;
	pthread_mutex_unlock(&f->data->lock);
	if (!f->n_pages)
		return;
	say(f, "traces", put_traces);
	say(f, "status", put_status);
	wake_all(f);
}

static void *run(void *arg)
{
	struct webfeed *f = arg;
	struct timespec next;

	pthread_mutex_lock(&f->lock);
	while (!f->closed) {
		clock_gettime(CLOCK_MONOTONIC, &next);
		next.tv_nsec += BEAT_MS * 1000000L;
		next.tv_sec += next.tv_nsec / 1000000000;
		next.tv_nsec %= 1000000000;
		if (pthread_cond_timedwait(&f->stop, &f->lock, &next) == ETIMEDOUT)
			beat(f);
	}
	pthread_mutex_unlock(&f->lock);
	return NULL;
}

struct webfeed *webfeed_new(struct webdata *d)
{
	struct webfeed *f = calloc(1, sizeof(*f));
	pthread_condattr_t attr;

	if (f)
		f->ring = malloc(RING);
	if (!f || !f->ring) {
		free(f);
		return NULL;
	}
	f->data = d;
	jsonw_init(&f->event, -1);
	pthread_mutex_init(&f->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&f->stop, &attr);
	pthread_condattr_destroy(&attr);
	if (signals_free_thread(&f->thread, run, f)) {
		f->closed = true;
		webfeed_free(f);
		return NULL;
	}
	return f;
}

void webfeed_close(struct webfeed *f)
{
	pthread_mutex_lock(&f->lock);
	f->closed = true;
	pthread_cond_signal(&f->stop);
	wake_all(f);
	pthread_mutex_unlock(&f->lock);
	pthread_join(f->thread, NULL);
}

void webfeed_free(struct webfeed *f)
{
	if (!f)
		return;
	pthread_cond_destroy(&f->stop);
	pthread_mutex_destroy(&f->lock);
	jsonw_release(&f->event);
	free(f->ring);
	free(f);
}

/* A page that is a whole ring behind has missed something: it is told to look anew. */
static ssize_t skip(struct feed_page *p, char *buf, size_t max)
{
	static const char missed[] = "\n\nevent: missed\ndata: {}\n\n";

	if (max < sizeof(missed))
		return 0;
	p->at = p->feed->head;
	memcpy(buf, missed, sizeof(missed) - 1);
	return (ssize_t)sizeof(missed) - 1;
}

/* In the server's thread. */
static ssize_t read_page(void *arg, uint64_t pos, char *buf, size_t max)
{
	struct feed_page *p = arg;
	struct webfeed *f = p->feed;
	size_t behind, at, n;
	ssize_t ret;

	(void)pos;
	pthread_mutex_lock(&f->lock);
	behind = f->head - p->at;
	if (f->closed) {
		ret = MHD_CONTENT_READER_END_OF_STREAM;
	} else if (!behind) {
		p->asleep = true;
		MHD_suspend_connection(p->connection);
		ret = 0;
	} else if (behind > RING) {
		ret = skip(p, buf, max);
	} else {
		at = p->at % RING;
		n = behind < max ? behind : max;
		n = RING - at < n ? RING - at : n;
		memcpy(buf, f->ring + at, n);
		p->at += n;
		ret = (ssize_t)n;
	}
	pthread_mutex_unlock(&f->lock);
	return ret;
}

static void drop_page(void *arg)
{
	struct feed_page *p = arg;
	struct webfeed *f = p->feed;
	struct feed_page **at;

	pthread_mutex_lock(&f->lock);
	at = &f->pages;
	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	f->n_pages--;
	pthread_mutex_unlock(&f->lock);
	free(p);
}

struct MHD_Response *webfeed_response(struct webfeed *f, struct MHD_Connection *c)
{
	struct feed_page *p = calloc(1, sizeof(*p));
	struct MHD_Response *r;

	if (!p)
		return NULL;
	*p = (struct feed_page){ .feed = f, .connection = c };
	r = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 16384, read_page, p, drop_page);
	if (!r) {
		free(p);
		return NULL;
	}
	pthread_mutex_lock(&f->lock);
	p->at = f->head;
	p->next = f->pages;
	f->pages = p;
	f->n_pages++;
	pthread_mutex_unlock(&f->lock);
	MHD_add_response_header(r, "Content-Type", "text/event-stream");
	return r;
}

unsigned webfeed_pages(struct webfeed *f)
{
	unsigned n;

	pthread_mutex_lock(&f->lock);
	n = f->n_pages;
	pthread_mutex_unlock(&f->lock);
	return n;
}
