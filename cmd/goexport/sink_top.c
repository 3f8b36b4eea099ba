// SPDX-License-Identifier: Apache-2.0
#include "sink_top.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "diag.h"
#include "signals.h"
#include "termout.h"
#include "termtext.h"
#include "topscreen.h"
#include "toptable.h"

#define MEMORY	    (64u << 20)
#define PLAIN_WIDTH 120

struct top {
	struct sink base;
	struct top_data data;
	struct topscreen *screen; /* NULL: plain text */
	int64_t printed, every;
	uint64_t printed_spans;
	struct termout out;
};

static void top_span(struct sink *s, const struct spanrec *sp)
{
	struct top *t = (struct top *)s;
	int ret = 0;

	pthread_mutex_lock(&t->data.lock);
	if (t->screen && !sp->unsampled) /* else nobody opens a trace, or there is none */
		ret = spanstore_add(&t->data.store, sp);
	if (!ret)
		ret = traffic_span(t->data.traffic, sp, clock_ms());
	pthread_mutex_unlock(&t->data.lock);
	if (ret)
		s->dropped[DROP_ERROR]++;
	else
		s->exported++;
}

static void top_lost(struct sink *s, const struct loss *l)
{
	struct top *t = (struct top *)s;

	pthread_mutex_lock(&t->data.lock);
	t->data.lost += l->count;
	pthread_mutex_unlock(&t->data.lock);
}

static void wrote(struct top *t, int ret)
{
	if (ret && ret != -EAGAIN && !t->base.failed) {
		diag(DIAG_ERROR, "top: stdout: %s", strerror(-ret));
		t->base.failed = true;
	}
}

/* The table as text, what comes most first. */
static void print(struct top *t)
{
	const char *env = getenv("COLUMNS");
	struct winsize ws = { 0 };
	int width = env ? atoi(env) : 0;
	struct top_table table = { 0 };
	struct textbuf *b = &t->out.text;
	bool utf8 = termtext_utf8();

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) && ws.ws_col)
		width = ws.ws_col;
	width = width < 40 ? PLAIN_WIDTH : width > 400 ? 400 : width;
	pthread_mutex_lock(&t->data.lock);
	if (!top_table_make(&table, t->data.traffic, "", TOP_RATE)) {
		top_table_sums(b, &table);
		textbuf_puts(b, "\n");
		top_table_head(b, TOP_RATE, width, utf8);
		textbuf_puts(b, "\n");
		for (size_t i = 0; i < table.n; i++) {
			top_table_row(b, &table.rows[i], width, utf8);
			textbuf_puts(b, "\n");
		}
		textbuf_puts(b, "\n");
	}
	pthread_mutex_unlock(&t->data.lock);
	top_table_release(&table);
	t->printed_spans = t->base.exported;
}

static bool top_tick(struct sink *s, int64_t now)
{
	struct top *t = (struct top *)s;

	if (t->screen)
		return false;
	if (now - t->printed < t->every)
		return true;
	t->printed = now;
	pthread_mutex_lock(&t->data.lock);
	traffic_idle(t->data.traffic, now);
	pthread_mutex_unlock(&t->data.lock);
	if (t->out.stalled)
		wrote(t, termout_write(&t->out));
	if (t->out.stalled || t->base.failed)
		return true; /* nobody reads the last one */
	print(t);
	wrote(t, termout_write(&t->out));
	return true;
}

static void top_linger(struct sink *s)
{
	struct top *t = (struct top *)s;

	pthread_mutex_lock(&t->data.lock);
	t->data.ended = true;
	pthread_mutex_unlock(&t->data.lock);
	if (t->screen && !signals_asked_to_end())
		signals_wait();
}

static bool top_close(struct sink *s)
{
	struct top *t = (struct top *)s;

	topscreen_stop(t->screen);
	t->screen = NULL;
	if (!s->failed && (t->printed_spans != s->exported || !s->exported))
		print(t);
	wrote(t, s->failed ? 0 : termout_finish(&t->out));
	return sink_report(s);
}

static void top_free(struct sink *s)
{
	struct top *t = (struct top *)s;

	spanstore_release(&t->data.store);
	traffic_free(t->data.traffic);
	termout_release(&t->out);
	pthread_mutex_destroy(&t->data.lock);
	free(t);
}

static const struct sink_ops top_ops = {
	.span = top_span,
	.unsampled = true,
	.lost = top_lost,
	.tick = top_tick,
	.linger = top_linger,
	.close = top_close,
	.close_last = true,
	.free = top_free,
};

static bool wanted(void *arg, const uint8_t id[16])
{
	const struct top_data *d = arg;

	return traffic_want(d->traffic, id);
}

int sink_top_open(struct sink **s, const struct options *o, struct errinfo *e)
{
	struct top *t = calloc(1, sizeof(*t));

	if (!t)
		return errinfo_set(e, -ENOMEM, "out of memory");
	pthread_mutex_init(&t->data.lock, NULL);
	termout_init(&t->out, o->wait);
	t->data.traffic = traffic_new();
	if (!t->data.traffic || spanstore_init(&t->data.store, MEMORY)) {
		top_free(&t->base);
		return errinfo_set(e, -ENOMEM, "out of memory");
	}
	t->data.store.wanted = wanted;
	t->data.store.arg = &t->data;
	t->base.ops = &top_ops;
	t->base.kind = "top";
	t->base.target = "stdout";
	t->every = (int64_t)o->top_s * 1000;
	t->printed = clock_ms();
	t->screen = topscreen_start(&t->data);
	if (t->screen)
		signals_note_interrupt();
	*s = &t->base;
	return 0;
}
