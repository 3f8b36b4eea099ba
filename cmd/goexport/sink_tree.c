// SPDX-License-Identifier: Apache-2.0
#include "sink_tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "diag.h"
#include "termout.h"
#include "termtext.h"
#include "trace.h"
#include "waterfall.h"

#define WIDTH	    100
#define FLUSH_BYTES 65536

struct tree {
	struct sink base;
	struct traces *traces;
	struct termout out;
	bool tty, color;
	uint64_t rate;	     /* traces a second; 0: all */
	int64_t second;	     /* clock_ms() when this second began */
	uint64_t shown;	     /* in it */
	uint64_t left_out;   /* traces since the last that was shown */
	uint64_t unread;     /* the same, because nobody read */
	uint64_t drawn_left; /* spans drawn and not yet written */
};

/* After a try to write: what became of the spans. */
static void settle(struct tree *t, int ret)
{
	if (ret == -EAGAIN)
		return;
	if (ret && !t->base.failed)
		diag(DIAG_ERROR, "tree: stdout: %s", strerror(-ret));
	t->base.failed |= ret != 0;
	if (t->base.failed)
		t->base.dropped[DROP_ERROR] += t->drawn_left;
	else
		t->base.exported += t->drawn_left;
	t->drawn_left = 0;
}

static void write_out(struct tree *t)
{
	settle(t, t->base.failed ? 0 : termout_write(&t->out));
}

static int columns(const struct tree *t)
{
	const char *env = getenv("COLUMNS");
	struct winsize ws = { 0 };
	int width = env ? atoi(env) : 0;

	if (t->tty && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) && ws.ws_col)
		width = ws.ws_col;
	if (width <= 0)
		width = WIDTH;
	return width < 40 ? 40 : width > 400 ? 400 : width;
}

/* Nobody reads a thousand traces a second: the rest of a second is only counted. */
static bool too_many(struct tree *t)
{
	int64_t now;

	if (!t->rate)
		return false;
	now = clock_ms();
	if (now - t->second >= 1000) {
		t->second = now;
		t->shown = 0;
	}
	return t->shown++ >= t->rate;
}

static void say_left_out(struct tree *t)
{
	if (t->left_out)
		textbuf_printf(&t->out.text, "... %" PRIu64 " more traces (see --tree-rate)\n\n",
			       t->left_out);
	if (t->unread)
		textbuf_printf(&t->out.text, "... %" PRIu64 " more traces, which nobody read\n\n",
			       t->unread);
	t->left_out = t->unread = 0;
}

static void on_trace(void *arg, struct trace *trace)
{
	struct tree *t = arg;
	struct waterfall_style style = { .color = t->color, .utf8 = termtext_utf8() };
	uint64_t n = trace->n_spans + trace->more;

	t->base.held -= n;
	if (t->out.stalled)
		write_out(t);
	if (t->out.stalled && t->out.text.len >= FLUSH_BYTES) {
		t->base.dropped[DROP_FULL] += n;
		t->unread++;
		return;
	}
	t->drawn_left += n;
	if (t->base.failed)
		return;
	if (too_many(t)) {
		t->left_out++;
		return;
	}
	say_left_out(t);
	style.width = columns(t);
	waterfall_draw(&t->out.text, trace, &style);
	if (t->out.text.len >= FLUSH_BYTES)
		write_out(t);
}

static void tree_span(struct sink *s, const struct spanrec *sp)
{
	struct tree *t = (struct tree *)s;

	if (s->failed || traces_add(t->traces, sp)) {
		s->dropped[DROP_ERROR]++;
		return;
	}
	s->held++;
}

static bool tree_tick(struct sink *s, int64_t now)
{
	struct tree *t = (struct tree *)s;
	bool held = traces_idle(t->traces, now);

	write_out(t);
	return held || t->out.text.len;
}

static bool tree_close(struct sink *s)
{
	struct tree *t = (struct tree *)s;

	traces_finish(t->traces);
	say_left_out(t);
	settle(t, s->failed ? 0 : termout_finish(&t->out));
	return sink_report(s);
}

static void tree_free(struct sink *s)
{
	struct tree *t = (struct tree *)s;

	traces_free(t->traces);
	termout_release(&t->out);
	free(t);
}

static const struct sink_ops tree_ops = {
	.span = tree_span,
	.tick = tree_tick,
	.close = tree_close,
	.free = tree_free,
};

static bool wants_color(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb");
}

int sink_tree_open(struct sink **s, const struct options *o, struct errinfo *e)
{
	struct tree *t = calloc(1, sizeof(*t));

	if (t)
		t->traces = traces_new(on_trace, t);
	if (!t || !t->traces) {
		free(t);
		return errinfo_set(e, -ENOMEM, "out of memory");
	}
	/* Alone it holds up nobody when a recording is read in a pager. */
	termout_init(&t->out, o->wait || (o->n_sinks <= 1 && sink_input_is_file()));
	t->base.ops = &tree_ops;
	t->base.kind = "tree";
	t->base.target = "stdout";
	t->rate = o->tree_rate;
	t->tty = isatty(STDOUT_FILENO);
	t->color = wants_color();
	*s = &t->base;
	return 0;
}
