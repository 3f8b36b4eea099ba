// SPDX-License-Identifier: Apache-2.0
#include "sink_web.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "diag.h"
#include "signals.h"
#include "webserve.h"

struct web {
	struct sink base;
	struct webdata data;
	struct webserve *server;
};

static void web_span(struct sink *s, const struct spanrec *sp)
{
	struct web *w = (struct web *)s;
	int ret = 0;

	w->data.wanted++;
	pthread_mutex_lock(&w->data.lock);
	w->data.wanted--;
	if (!sp->unsampled) /* else it is counted alone */
		ret = spanstore_add(&w->data.store, sp);
	if (!ret)
		ret = traffic_span(w->data.traffic, sp, clock_ms());
	if (ret)
		w->data.failed++;
	pthread_mutex_unlock(&w->data.lock);
	if (ret)
		s->dropped[DROP_ERROR]++;
	else
		s->exported++;
}

static void web_lost(struct sink *s, const struct loss *l)
{
	struct web *w = (struct web *)s;

	pthread_mutex_lock(&w->data.lock);
	losses_add(&w->data.losses, l);
	pthread_mutex_unlock(&w->data.lock);
}

static struct web_stat *stat_of(struct webdata *d, struct text from, struct text name)
{
	struct web_stat *st = &d->stats[d->n_stats], like = { .value = 0 };

	snprintf(like.from, sizeof(like.from), "%.*s", (int)(from.len < 32 ? from.len : 32),
		 from.len ? from.p : "");
	snprintf(like.name, sizeof(like.name), "%.*s", (int)(name.len < 48 ? name.len : 48),
		 name.len ? name.p : "");
	for (size_t i = 0; i < d->n_stats; i++)
		if (!strcmp(d->stats[i].from, like.from) && !strcmp(d->stats[i].name, like.name))
			return &d->stats[i];
	if (d->n_stats == WEBDATA_STATS)
		return NULL;
	*st = like;
	d->n_stats++;
	return st;
}

static void web_counter(struct sink *s, struct text from, struct text name, uint64_t value)
{
	struct web *w = (struct web *)s;
	struct web_stat *st;

	pthread_mutex_lock(&w->data.lock);
	st = stat_of(&w->data, from, name);
	if (st)
		st->value = value;
	pthread_mutex_unlock(&w->data.lock);
}

static bool web_tick(struct sink *s, int64_t now)
{
	(void)s, (void)now;
	return false; /* the feed has a clock of its own */
}

static void web_linger(struct sink *s)
{
	struct web *w = (struct web *)s;

	pthread_mutex_lock(&w->data.lock);
	w->data.ended = true;
	pthread_mutex_unlock(&w->data.lock);
	if (signals_asked_to_end())
		return;
	diag(DIAG_NOTE, "web: the input has ended; the page stays until Ctrl-C");
	signals_wait();
}

static bool web_close(struct sink *s)
{
	struct web *w = (struct web *)s;

	webserve_stop(w->server);
	w->server = NULL;
	return sink_report(s);
}

static void web_free(struct sink *s)
{
	struct web *w = (struct web *)s;

	spanstore_release(&w->data.store);
	traffic_free(w->data.traffic);
	pthread_mutex_destroy(&w->data.lock);
	free(w);
}

static const struct sink_ops web_ops = {
	.span = web_span,
	.unsampled = true,
	.lost = web_lost,
	.counter = web_counter,
	.tick = web_tick,
	.linger = web_linger,
	.close = web_close,
	.close_last = true,
	.free = web_free,
};

/* What a route points to is not evicted before what it does not. */
static bool wanted(void *arg, const uint8_t id[16])
{
	const struct webdata *d = arg;

	return traffic_want(d->traffic, id);
}

static int data_init(struct webdata *d, size_t memory)
{
	pthread_mutex_init(&d->lock, NULL);
	d->since = clock_ms();
	d->traffic = traffic_new();
	if (!d->traffic || spanstore_init(&d->store, memory))
		return -ENOMEM;
	d->store.wanted = wanted;
	d->store.arg = d;
	return 0;
}

int sink_web_open(struct sink **s, const struct options *o, const char *address,
		  struct sink *const *sinks, const _Atomic size_t *n, struct errinfo *e)
{
	struct web *w = calloc(1, sizeof(*w));
	int ret = -ENOMEM;

	if (w)
		ret = data_init(&w->data, (size_t)o->web_mib << 20);
	if (ret) {
		if (w)
			web_free(&w->base);
		return errinfo_set(e, ret, "out of memory");
	}
	w->base.ops = &web_ops;
	w->base.kind = "web";
	w->base.target = address;
	w->data.sinks = sinks;
	w->data.n_sinks = n;
	w->data.filter = o->filter.any ? o->filter_text : NULL;
	ret = webserve_start(&w->server, address, o->page_config, &w->data, e);
	if (ret) {
		web_free(&w->base);
		return ret;
	}
	signals_note_interrupt();
	diag(DIAG_NOTE, "web: the page is at %s", webserve_url(w->server));
	*s = &w->base;
	return 0;
}
