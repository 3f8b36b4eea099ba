// SPDX-License-Identifier: Apache-2.0
#include "waterfall.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "termtext.h"
#include "timescale.h"

/* Deeper spans are drawn at this depth. */
#define MAX_DEPTH 16

struct painter {
	struct textbuf *b;
	const struct waterfall_style *style;
	const struct trace *t;
	int bar, service;     /* columns */
	bool more[MAX_DEPTH]; /* at each depth: a sibling follows below */
	struct timescale scale;
};

static void color(struct painter *p, const char *code)
{
	if (p->style->color)
		textbuf_printf(p->b, "\033[%sm", code);
}

void waterfall_duration(char buf[16], uint64_t ns, bool utf8)
{
	static const struct {
		uint64_t unit;
		const char *name, *ascii;
	} units[] = {
		{ 1000000000, "s", "s" },
		{ 1000000, "ms", "ms" },
		{ 1000, "\xc2\xb5s", "us" },
	};
	uint64_t s = ns / 1000000000, days = s / 86400;

	if (days >= 10000) {
		snprintf(buf, 16, "%" PRIu64 "y", days * 4 / 1461);
		return;
	}
	if (days >= 100) {
		snprintf(buf, 16, "%" PRIu64 "d", days);
		return;
	}
	if (s >= 360000) {
		snprintf(buf, 16, "%" PRIu64 "d%02uh", days, (unsigned)(s / 3600 % 24));
		return;
	}
	if (s >= 6000) {
		snprintf(buf, 16, "%" PRIu64 "h%02um", s / 3600, (unsigned)(s / 60 % 60));
		return;
	}
	if (s >= 100) {
		snprintf(buf, 16, "%" PRIu64 "m%02us", s / 60, (unsigned)(s % 60));
		return;
	}
	for (int i = 0; i < 3; i++) {
		double x = (double)ns / (double)units[i].unit;

		if (ns < units[i].unit)
			continue;
		snprintf(buf, 16, "%.*f%s",
			 x < 9.995   ? 2
			 : x < 99.95 ? 1
				     : 0,
			 x, utf8 ? units[i].name : units[i].ascii);
		return;
	}
	snprintf(buf, 16, "%uns", (unsigned)ns);
}

static void put_right(struct painter *p, const char *s, int width)
{
	struct text t = text_of(s);

	termtext_pad(p->b, width - termtext_width(t, width));
	termtext_put(p->b, t, width);
}

static void put_bar(struct painter *p, const struct trace_span *s)
{
	struct timescale_bar bar = timescale_place(&p->scale, s, p->bar);

	color(p, s->error ? "31" : "36");
	for (int i = 0; i < p->bar; i++) {
		if (i >= bar.from && i < bar.to)
			textbuf_puts(p->b, p->style->utf8 ? "\xe2\x96\x88" : "#");
		else if (timescale_is_gap(&p->scale, i, p->bar))
			textbuf_puts(p->b, p->style->utf8 ? "\xe2\x94\x8a" : ":");
		else
			textbuf_puts(p->b, " ");
	}
	color(p, "0");
}

/* Where the parent is not the caller on the same goroutine. Columns used. */
static int put_hop(struct painter *p, const struct trace_span *s)
{
	const char *sign = NULL;

	if (s->from == 'g')
		sign = p->style->utf8 ? "\xe2\x86\x97 " : "g ";
	else if (s->from == 'c')
		sign = p->style->utf8 ? "\xe2\x8a\x83 " : "c ";
	else if (s->from == 'r')
		sign = p->style->utf8 ? "\xe2\x87\x89 " : "r ";
	if (!sign)
		return 0;
	color(p, "36");
	textbuf_puts(p->b, sign);
	color(p, "0");
	return 2;
}

/* The branches in front of a name. Columns used. */
static int put_branches(struct painter *p, int depth)
{
	static const char *const fancy[] = { "   ", "\xe2\x94\x82  ", "\xe2\x94\x94\xe2\x94\x80 ",
					     "\xe2\x94\x9c\xe2\x94\x80 " };
	static const char *const plain[] = { "   ", "|  ", "`- ", "|- " };
	const char *const *lines = p->style->utf8 ? fancy : plain;

	for (int i = 1; i <= depth; i++)
		textbuf_puts(p->b, lines[(i == depth ? 2 : 0) + p->more[i]]);
	return 3 * depth;
}

static void put_status(struct painter *p, const struct trace_span *s)
{
	char buf[24] = "";

	/* Without colour a sign stands in for it. */
	if (s->code > 0 && s->code < 10000)
		snprintf(buf, sizeof(buf), "%s%d", s->error && !p->style->color ? "!" : "",
			 (int)s->code);
	else if (s->error)
		snprintf(buf, sizeof(buf), "ERR");
	if (s->error)
		color(p, "1;31");
	put_right(p, buf, 4);
	if (s->error)
		color(p, "0");
}

static void put_clock(struct painter *p, const struct trace_span *s, int *room)
{
	char took[16], text[40];

	waterfall_duration(took, (uint64_t)(s->shift < 0 ? -s->shift : s->shift), p->style->utf8);
	snprintf(text, sizeof(text), "  clock %c%s", s->shift < 0 ? '-' : '+', took);
	if (*room > 14)
		*room -= termtext_put(p->b, text_of(text), *room);
}

/* A parent that should be here; that of a late span was shown before. */
static bool misses_parent(const struct painter *p, const struct trace_span *s)
{
	return s->has_parent && !s->parent && !s->remote_parent && !p->t->late;
}

static void put_note(struct painter *p, const struct trace_span *s, int depth, int room)
{
	color(p, s->error ? "31" : "2");
	if (s->shift && s->skewed)
		put_clock(p, s, &room);
	if (misses_parent(p, s) && room > 17)
		room -= termtext_put(p->b, text_of("  parent missing"), room);
	if (!depth && s->parent && room > 20) /* where the ring was cut open */
		room -= termtext_put(p->b, text_of("  parents in a ring"), room);
	if (s->note.len && room > 5) {
		textbuf_puts(p->b, "  ");
		termtext_put(p->b, s->note, room - 2);
	}
	color(p, "0");
}

static void put_line(struct painter *p, const struct trace_span *s, int depth)
{
	int room = p->style->width - p->bar - p->service - 18, used;
	char duration[16];

	textbuf_puts(p->b, "  ");
	put_bar(p, s);
	waterfall_duration(duration, s->end - s->start, p->style->utf8);
	put_right(p, duration, 8);
	textbuf_puts(p->b, " ");
	put_status(p, s);
	textbuf_puts(p->b, " ");
	used = termtext_put(p->b, s->service, p->service);
	termtext_pad(p->b, p->service - used + 1);
	room -= put_branches(p, depth);
	room -= put_hop(p, s);
	room -= termtext_put(p->b, s->what, room > 8 ? room : 8);
	put_note(p, s, depth, room);
	textbuf_puts(p->b, "\n");
}

static int by_start(const void *a, const void *b)
{
	const struct trace_span *x = *(struct trace_span *const *)a;
	const struct trace_span *y = *(struct trace_span *const *)b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return memcmp(x->span_id, y->span_id, sizeof(x->span_id));
}

/*
 * The spans in the order of their start, each with its children linked in that
 * order; in new memory.
 */
static struct trace_span **sort(struct trace *t)
{
	struct trace_span **all = malloc((t->n_spans + 1) * sizeof(struct trace_span *));
	unsigned n = t->n_spans;

	if (!all)
		return NULL;
	for (unsigned i = 0; i < n; i++) {
		all[i] = t->spans[i];
		all[i]->child = all[i]->sibling = NULL;
		all[i]->seen = false;
	}
	qsort(all, n, sizeof(struct trace_span *), by_start);
	while (n--) {
		struct trace_span *s = all[n];

		if (s->parent && s->parent != s) {
			s->sibling = s->parent->child;
			s->parent->child = s;
		}
	}
	return all;
}

/* @s and what is below. A span is drawn once, even where parents go round in a ring. */
static void draw_below(struct painter *p, struct trace_span *s, int depth)
{
	int at = depth < MAX_DEPTH ? depth : MAX_DEPTH - 1;

	s->seen = true;
	put_line(p, s, at);
	for (struct trace_span *c = s->child; c; c = c->sibling) {
		if (c->seen)
			continue;
		if (at + 1 < MAX_DEPTH)
			p->more[at + 1] = c->sibling != NULL;
		draw_below(p, c, depth + 1);
	}
}

static void put_gaps(struct painter *p)
{
	uint64_t ns = timescale_cut(&p->scale);
	char took[16];

	if (!ns)
		return;
	waterfall_duration(took, ns, p->style->utf8);
	textbuf_printf(p->b, "  cut %s", took);
}

static void put_header(struct painter *p)
{
	uint64_t whole = p->scale.end - p->scale.start, count = p->t->n_spans + p->t->more;
	time_t sec = (time_t)(p->scale.start / 1000000000);
	char when[16] = "", duration[16];
	struct tm tm;

	if (localtime_r(&sec, &tm))
		strftime(when, sizeof(when), "%H:%M:%S", &tm);
	waterfall_duration(duration, whole, p->style->utf8);
	color(p, "1");
	for (int i = 0; i < (p->style->width < 72 ? 8 : 16); i++)
		textbuf_printf(p->b, "%02x", p->t->id[i]);
	color(p, "0");
	textbuf_printf(p->b, "  %s.%03u  %s  %" PRIu64 " span%s", when,
		       (unsigned)(p->scale.start / 1000000 % 1000), duration, count,
		       count == 1 ? "" : "s");
	if (p->t->late)
		textbuf_puts(p->b, "  late");
	if (p->t->goes_on)
		textbuf_puts(p->b, "  goes on");
	put_gaps(p);
	textbuf_puts(p->b, "\n");
}

static int widest_service(const struct trace *t, int max)
{
	int widest = 1;

	for (unsigned i = 0; i < t->n_spans; i++) {
		int w = termtext_width(t->spans[i]->service, max);

		widest = w > widest ? w : widest;
	}
	return widest;
}

static void put_more(struct painter *p)
{
	if (!p->t->more)
		return;
	textbuf_printf(p->b, "  ... and %" PRIu64 " shorter spans", p->t->more);
	if (p->t->more_failed)
		textbuf_printf(p->b, ", %" PRIu64 " of them failed", p->t->more_failed);
	textbuf_puts(p->b, "\n");
}

void waterfall_draw(struct textbuf *b, struct trace *t, const struct waterfall_style *style)
{
	struct painter p = { .b = b, .style = style, .t = t };
	struct trace_span **all = sort(t);

	if (!all) {
		b->failed = true;
		return;
	}
	p.bar = style->width / 4;
	p.bar = p.bar < 8 ? 8 : p.bar > 60 ? 60 : p.bar;
	p.service = widest_service(t, 20);
	timescale_make(&p.scale, all, t->n_spans);
	put_header(&p);
	for (unsigned i = 0; i < t->n_spans; i++)
		if (!all[i]->parent && !all[i]->seen)
			draw_below(&p, all[i], 0);
	for (unsigned i = 0; i < t->n_spans; i++)
		if (!all[i]->seen)
			draw_below(&p, all[i], 0);
	put_more(&p);
	textbuf_puts(b, "\n");
	free(all);
}
