// SPDX-License-Identifier: Apache-2.0
#include "topscreen.h"

#include <curses.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "diag.h"
#include "signals.h"
#include "sink.h"
#include "termtext.h"
#include "toptable.h"
#include "trace.h"
#include "waterfall.h"

#define KEY_MS	  100
#define REDRAW_MS 1000
#define FILTER	  64
#define WAY	  1000000 /* lines: more than there are */

enum mode {
	MODE_TABLE,
	MODE_FILTER, /* the table, while a filter is typed */
	MODE_TRACE,
	MODE_HELP,
};

enum color {
	COLOR_PLAIN,
	COLOR_FAILED,
	COLOR_BAR,
	COLOR_HEAD,
};

struct topscreen {
	struct top_data *data;
	pthread_t thread;
	_Atomic bool stop;
	SCREEN *screen;
	FILE *tty;
	struct top_table table;
	uint64_t n_traces, lost; /* as of when it was drawn last */
	bool ended;
	enum mode mode;
	enum top_order order;
	char filter[FILTER];
	bool paused, utf8, last_failed;
	size_t at, top; /* the current row, the first in sight */
	uint8_t trace_id[16];
	int line;		/* of a trace, the first in sight */
	struct textbuf drawn;	/* the trace as text, */
	uint64_t drawn_changed; /* as it was at this change */
	int drawn_width;	/* for so many columns; 0: not drawn */
	const char *note;
};

// --- drawing --------------------------------------------------------------------

static void put_line(int y, const char *text, size_t len, attr_t attr)
{
	attrset(attr);
	move(y, 0);
	clrtoeol();
	addnstr(text, (int)len);
	if (attr & A_REVERSE) /* to the edge */
		mvchgat(y, 0, -1, attr & (A_REVERSE | A_BOLD), (short)PAIR_NUMBER(attr), NULL);
	attrset(A_NORMAL);
}

static void put_text(int y, const char *text, attr_t attr)
{
	put_line(y, text, strlen(text), attr);
}

/* A line with the colours that waterfall_draw() uses. */
static void put_colored(int y, const char *p, const char *end)
{
	move(y, 0);
	clrtoeol();
	while (p < end) {
		const char *esc = memchr(p, '\033', (size_t)(end - p));
		size_t n = (size_t)((esc ? esc : end) - p);

		addnstr(p, (int)n);
		p += n;
		if (!esc)
			break;
		p += 2; /* ESC [ */
		attrset(A_NORMAL);
		for (; p < end && *p != 'm'; p++) {
			if (p[0] == '3' && p + 1 < end)
				attron(COLOR_PAIR(p[1] == '1' ? COLOR_FAILED : COLOR_BAR));
			else if (p[0] == '1' && p[-1] != '3')
				attron(A_BOLD);
			else if (p[0] == '2')
				attron(A_DIM);
		}
		p++;
	}
	attrset(A_NORMAL);
}

static void draw_status(const struct topscreen *s)
{
	struct textbuf b = { 0 };
	attr_t attr = COLOR_PAIR(COLOR_HEAD);

	top_table_sums(&b, &s->table);
	textbuf_printf(&b, ", %llu traces", (unsigned long long)s->n_traces);
	if (s->lost)
		textbuf_printf(&b, ", %llu LOST", (unsigned long long)s->lost);
	if (s->ended)
		textbuf_puts(&b, "  [input ended]");
	if (s->paused)
		textbuf_puts(&b, "  [paused]");
	if (*s->filter || s->mode == MODE_FILTER)
		textbuf_printf(&b, "  /%s%s", s->filter, s->mode == MODE_FILTER ? "_" : "");
	if (b.buf)
		put_line(0, b.buf, b.len, attr | A_BOLD);
	free(b.buf);
}

static void draw_table(struct topscreen *s)
{
	int rows = LINES - 3;
	struct textbuf b = { 0 };

	draw_status(s);
	top_table_head(&b, s->order, COLS, s->utf8);
	put_line(1, b.buf ? b.buf : "", b.len, A_UNDERLINE);
	if (s->at >= s->table.n)
		s->at = s->table.n ? s->table.n - 1 : 0;
	if (s->at < s->top)
		s->top = s->at;
	if (rows > 0 && s->at >= s->top + (size_t)rows)
		s->top = s->at - (size_t)rows + 1;
	for (int y = 0; y < rows; y++) {
		size_t i = s->top + (size_t)y;
		attr_t attr;

		if (i >= s->table.n) {
			put_text(y + 2, "", A_NORMAL);
			continue;
		}
		b.len = 0;
		top_table_row(&b, &s->table.rows[i], COLS, s->utf8);
		attr = s->table.rows[i].errors ? COLOR_PAIR(COLOR_FAILED) : A_NORMAL;
		put_line(y + 2, b.buf ? b.buf : "", b.len, attr | (i == s->at ? A_REVERSE : 0));
	}
	free(b.buf);
	put_text(LINES - 1,
		 s->note ? s->note
			 : "q quit  s sort  / filter  space pause  enter slowest  f failed  ? help",
		 A_DIM);
}

static void draw_help(void)
{
	static const char *const text[] = {
		"goexport --top",
		"",
		"  up, down, j, k   the current line; page up and down, home, end",
		"  enter, o         its slowest trace of late, as a waterfall",
		"  f                its last trace that failed",
		"  s, S             sort by the next or the last column",
		"  /                show only lines with some text; empty: all",
		"  space            pause, and go on",
		"  c                begin counting anew",
		"  ctrl-L           draw the screen anew",
		"  q                quit; back, from a trace",
		"",
		"Numbers but req/s are of the last minute or two.",
	};

	erase();
	for (int i = 0; i < (int)(sizeof(text) / sizeof(*text)) && i < LINES; i++)
		put_text(i, text[i], i ? A_NORMAL : A_BOLD);
}

static void on_trace(void *arg, struct trace *t)
{
	struct waterfall_style style = { .width = COLS < 40 ? 40 : COLS,
					 .color = true,
					 .utf8 = termtext_utf8() };

	waterfall_draw(arg, t, &style);
}

/* Draws the trace as text where it is not as it was; empty if it is not in memory any more. */
static void draw_text(struct topscreen *s)
{
	struct traces *ts = NULL;
	const struct stored_trace *t;

	pthread_mutex_lock(&s->data->lock);
	t = spanstore_find(&s->data->store, s->trace_id);
	if (!t || t->changed != s->drawn_changed || s->drawn_width != COLS) {
		s->drawn.len = 0;
		s->drawn_width = COLS;
		s->drawn_changed = t ? t->changed : 0;
		ts = traces_new(on_trace, &s->drawn);
	}
	for (const struct kept_span *k = t && ts ? t->spans : NULL; k; k = k->next)
		traces_put(ts, &k->sp);
	pthread_mutex_unlock(&s->data->lock);
	if (ts)
		traces_finish(ts);
	traces_free(ts);
}

static void draw_trace(struct topscreen *s)
{
	const char *p, *end;
	int lines = 0, y = 0;

	draw_text(s);
	p = s->drawn.buf;
	end = p ? p + s->drawn.len : NULL;
	for (const char *c = p; c && c < end; c++)
		lines += *c == '\n';
	if (s->line > lines - (LINES - 1))
		s->line = lines - (LINES - 1);
	if (s->line < 0)
		s->line = 0;
	erase();
	if (!s->drawn.len)
		put_text(0, "This trace is not in memory any more.", A_NORMAL);
	for (int i = 0; p && p < end && y < LINES - 1; i++) {
		const char *lf = memchr(p, '\n', (size_t)(end - p));

		if (i >= s->line)
			put_colored(y++, p, lf ? lf : end);
		p = lf ? lf + 1 : end;
	}
	put_text(LINES - 1,
		 s->last_failed ? "The last that failed.  q back" : "The slowest.  q back", A_DIM);
}

static void draw(struct topscreen *s)
{
	if (!s->paused) {
		pthread_mutex_lock(&s->data->lock);
		if (!s->data->ended)
			traffic_idle(s->data->traffic, clock_ms());
		top_table_make(&s->table, s->data->traffic, s->filter, s->order);
		s->n_traces = s->data->store.n_traces;
		s->lost = s->data->lost;
		s->ended = s->data->ended;
		pthread_mutex_unlock(&s->data->lock);
	}
	if (s->mode == MODE_TRACE)
		draw_trace(s);
	else if (s->mode == MODE_HELP)
		draw_help();
	else
		draw_table(s);
	redrawwin(stdscr); /* other programs of the pipeline may have written over it */
	refresh();
}

// --- keys -------------------------------------------------------------------------

static void open_trace(struct topscreen *s, bool failed)
{
	const struct top_row *r = s->at < s->table.n ? &s->table.rows[s->at] : NULL;
	const struct exemplar *e = r ? failed ? &r->failed : &r->slowest : NULL;

	if (!e || !e->set) {
		s->note = failed ? "None failed." : "There is none.";
		return;
	}
	memcpy(s->trace_id, e->trace_id, sizeof(s->trace_id));
	s->last_failed = failed;
	s->line = s->drawn_width = 0;
	s->mode = MODE_TRACE;
}

static void next_order(struct topscreen *s, unsigned by)
{
	s->order = (enum top_order)((s->order + by) % TOP_ORDERS);
	s->at = s->top = 0;
}

static void clear_counts(struct topscreen *s)
{
	pthread_mutex_lock(&s->data->lock);
	traffic_clear(s->data->traffic);
	pthread_mutex_unlock(&s->data->lock);
}

static void table_key(struct topscreen *s, int key)
{
	switch (key) {
	case 'q':
		signals_end();
		break;
	case 's':
		next_order(s, 1);
		break;
	case 'S':
		next_order(s, TOP_ORDERS - 1);
		break;
	case '/':
		s->mode = MODE_FILTER;
		break;
	case ' ':
		s->paused = !s->paused;
		break;
	case 'c':
		clear_counts(s);
		break;
	case 'f':
		open_trace(s, true);
		break;
	case 'o':
	case '\r':
	case '\n':
	case KEY_ENTER:
		open_trace(s, false);
		break;
	case '?':
	case 'h':
		s->mode = MODE_HELP;
		break;
	default:
		break;
	}
}

static void filter_key(struct topscreen *s, int key)
{
	size_t n = strlen(s->filter);

	if (key == '\r' || key == '\n' || key == KEY_ENTER) {
		s->mode = MODE_TABLE;
	} else if (key == 27) {
		s->filter[0] = '\0';
		s->mode = MODE_TABLE;
	} else if ((key == KEY_BACKSPACE || key == 127 || key == 8) && n) {
		s->filter[n - 1] = '\0';
	} else if (key >= ' ' && key < 256 && key != 127 && n + 1 < sizeof(s->filter)) {
		s->filter[n] = (char)key;
		s->filter[n + 1] = '\0';
	}
	s->at = s->top = 0;
}

/* Down, up and back are the same everywhere. */
static bool move_key(struct topscreen *s, int key)
{
	int page = LINES - 4, by = key == KEY_DOWN || key == 'j' ? 1
				   : key == KEY_UP || key == 'k' ? -1
				   : key == KEY_NPAGE		 ? page
				   : key == KEY_PPAGE		 ? -page
								 : 0;

	if (s->mode != MODE_TABLE && (key == 'q' || key == 27)) {
		s->mode = MODE_TABLE;
		erase();
		return true;
	}
	if (key == KEY_HOME || key == KEY_END)
		by = key == KEY_HOME ? -WAY : WAY;
	if (!by)
		return false;
	if (s->mode == MODE_TRACE)
		s->line += by;
	else
		s->at = by < 0 && s->at < (size_t)-by ? 0 : s->at + (size_t)by;
	return true;
}

static void on_key(struct topscreen *s, int key)
{
	s->note = NULL;
	if (key == 12) /* ctrl-L */
		clearok(curscr, TRUE);
	else if (s->mode == MODE_FILTER)
		filter_key(s, key);
	else if (!move_key(s, key) && s->mode == MODE_TABLE)
		table_key(s, key);
}

// --- the thread -------------------------------------------------------------------

/* ncurses' own handler of SIGWINCH belongs to the main thread; this asks. */
static bool resized(void)
{
	struct winsize ws;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) || !ws.ws_row || !ws.ws_col ||
	    (ws.ws_row == LINES && ws.ws_col == COLS))
		return false;
	resizeterm(ws.ws_row, ws.ws_col);
	erase();
	return true;
}

static void *run(void *arg)
{
	struct topscreen *s = arg;
	int64_t drawn = 0;

	while (!s->stop) {
		int key = getch();
		int64_t now = clock_ms();

		if (key == ERR && !resized() && now - drawn < REDRAW_MS)
			continue;
		for (; key != ERR; key = getch()) {
			on_key(s, key);
			timeout(0);
		}
		timeout(KEY_MS);
		draw(s);
		drawn = now;
	}
	return NULL;
}

static bool open_screen(struct topscreen *s)
{
	if (!isatty(STDOUT_FILENO))
		return false;
	s->tty = fopen("/dev/tty", "re");
	if (!s->tty)
		return false;
	s->screen = newterm(NULL, stdout, s->tty);
	if (!s->screen)
		return false;
	set_term(s->screen);
	cbreak(); /* Ctrl-C is for the whole pipeline */
	noecho();
	keypad(stdscr, TRUE);
	set_escdelay(50);
	curs_set(0);
	timeout(KEY_MS);
	if (!getenv("NO_COLOR") && has_colors()) {
		start_color();
		use_default_colors();
		init_pair(COLOR_FAILED, COLOR_RED, -1);
		init_pair(COLOR_BAR, COLOR_CYAN, -1);
		init_pair(COLOR_HEAD, -1, -1);
	}
	return true;
}

struct topscreen *topscreen_start(struct top_data *d)
{
	struct topscreen *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->data = d;
	s->utf8 = termtext_utf8();
	if (!open_screen(s)) {
		if (s->tty)
			fclose(s->tty);
		free(s);
		return NULL;
	}
	if (!signals_free_thread(&s->thread, run, s))
		return s;
	endwin();
	delscreen(s->screen);
	fclose(s->tty);
	free(s);
	return NULL;
}

void topscreen_stop(struct topscreen *s)
{
	if (!s)
		return;
	s->stop = true;
	pthread_join(s->thread, NULL);
	endwin();
	delscreen(s->screen);
	fclose(s->tty);
	top_table_release(&s->table);
	free(s->drawn.buf);
	free(s);
}
