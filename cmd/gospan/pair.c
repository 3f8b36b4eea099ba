// SPDX-License-Identifier: Apache-2.0
#include "pair.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "keep.h"

/* Stream time between two reports of lost and stats records, ns. */
#define REPORT_EVERY 10000000000ull

void pairing_init(struct pairing *p, struct jsonw *out, struct jsonv_doc *doc, const char *methods,
		  size_t max_open, uint64_t timeout)
{
	memset(p, 0, sizeof(*p));
	calls_init(&p->calls, max_open);
	active_init(&p->active);
	p->writer.out = out;
	p->writer.doc = doc;
	p->writer.methods = methods;
	p->timeout = timeout;
}

void pairing_release(struct pairing *p)
{
	active_release(&p->active);
	calls_release(&p->calls);
	probes_release(&p->probes);
	scratch_release(&p->writer.scratch);
}

/* Writes the span of @c and closes it. Without any clock record it cannot be dated. */
static void finish_call(struct pairing *p, struct call *c, enum ending how, uint64_t end)
{
	if (end < c->begin)
		end = c->begin;
	if (c->dated || p->clock.known) {
		int64_t diff = c->dated ? c->real_minus_mono : p->clock.real_minus_mono;

		span_write(&p->writer, c, how, end, diff, probes_find(&p->probes, c->probe));
		p->counts.total[COUNT_SPANS]++;
		p->counts.total[COUNT_INCOMPLETE] += how == ENDING_INCOMPLETE;
	} else {
		p->counts.lost[LOST_UNDATED]++;
		p->undated = true;
	}
	calls_close(&p->calls, c);
	p->active.changed = true;
}

static void report_active(struct pairing *p)
{
	p->counts.lost[LOST_ACTIVE] += active_report(&p->active, &p->calls, &p->writer, p->now);
}

static void give_up(struct pairing *p, struct call *c)
{
	finish_call(p, c, ENDING_INCOMPLETE, p->now);
}

/* Time goes on to @t: calls that are open too long are given up. */
static void advance(struct pairing *p, uint64_t t)
{
	struct call *c;

	p->now = t;
	while (p->timeout && (c = calls_oldest(&p->calls)) && t > c->begin &&
	       t - c->begin > p->timeout)
		give_up(p, c);
	if (!p->started || t < p->reported) {
		p->started = true;
		p->reported = p->active.at = t;
	} else if (t - p->reported >= REPORT_EVERY) {
		p->reported = t;
		counts_write_lost(&p->counts, p->writer.out);
		counts_write_stats(&p->counts, p->calls.open, p->writer.out);
	}
	if (active_due(&p->active, &p->calls, t))
		report_active(p);
}

bool pairing_waits(const struct pairing *p)
{
	return p->active.changed;
}

void pairing_idle(struct pairing *p)
{
	if (p->active.changed)
		report_active(p);
}

static void evict(struct pairing *p)
{
	give_up(p, calls_oldest(&p->calls));
	p->counts.lost[LOST_LIMIT]++;
}

/* Makes room for one more call. */
static void make_room(struct pairing *p)
{
	while (p->calls.open && (p->calls.open >= p->calls.max_open || calls_heavy(&p->calls)))
		evict(p);
}

/* Adds what @ev says to @c. */
static int add_event(struct pairing *p, struct call *c, const struct event *ev)
{
	int ret = keep_event(&c->values, ev, &p->counts);

	calls_account(&p->calls, c);
	return ret;
}

/*
 * A begin where a call is open already: the same event once more, or the end of
 * the one before was missed.
 */
static bool is_repeated(const struct call *c, const struct event *ev)
{
	if (ev->has_span && !c->made_id)
		return !memcmp(c->span_id, ev->span_id, sizeof(c->span_id));
	return !ev->has_span && c->made_id && c->begin == ev->t;
}

/* The same of its begin: these values stay if it is done again. */
static int begin_values(struct pairing *p, struct call *c, const struct event *ev)
{
	int ret = add_event(p, c, ev);

	c->begun = c->values.n;
	c->begun_text = c->values.text_len;
	return ret;
}

static int begin(struct pairing *p, const struct event *ev)
{
	struct call *c = calls_at(&p->calls, ev);

	if (c && is_repeated(c, ev)) {
		p->counts.total[COUNT_REPEATED]++;
		return 0;
	}
	if (c)
		give_up(p, c);
	make_room(p);
	c = calls_open(&p->calls, ev);
	if (!c)
		return -ENOMEM;
	p->active.changed = true;
	c->dated = p->clock.known;
	c->real_minus_mono = p->clock.real_minus_mono;
	p->counts.total[COUNT_IDS_MADE] += !ev->has_span || !ev->has_trace;
	return begin_values(p, c, ev);
}

/* What @next has of @c, which it takes the place of: all but its id. */
static int succeed(struct pairing *p, struct call *next, const struct call *c,
		   const struct values *begun)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%u", c->retries + 1);
	struct jsonv retries = { .text = text, .len = (uint32_t)n, .type = JSONV_NUMBER };
	int ret = values_copy(&next->values, begun, c->begun, c->begun_text);

	next->begun = c->begun;
	next->begun_text = c->begun_text;
	next->retries = c->retries + 1;
	next->flags = c->flags;
	next->has_parent = c->has_parent;
	memcpy(next->trace_id, c->trace_id, sizeof(next->trace_id));
	memcpy(next->parent_id, c->parent_id, sizeof(next->parent_id));
	if (ret)
		return ret;
	ret = values_add(&next->values, ROLE_ATTRIBUTE, NAME_GO_RETRIES, NULL, &retries);
	p->counts.lost[LOST_VALUES] += ret == -E2BIG;
	calls_account(&p->calls, next);
	return ret == -E2BIG ? 0 : ret;
}

/* A call is done once more: it ends, and another one begins with what it began with. */
static int again(struct pairing *p, const struct event *ev)
{
	struct call *c = calls_at(&p->calls, ev), *next, old;
	struct values begun = { 0 };
	int ret;

	if (!c || !ev->has_span) {
		p->counts.lost[LOST_NO_BEGIN]++;
		return 0;
	}
	if (!memcmp(c->span_id, ev->span_id, sizeof(c->span_id))) {
		p->counts.total[COUNT_REPEATED]++;
		return 0;
	}
	p->counts.total[COUNT_REVERSED] += ev->t < c->begin;
	old = *c;
	ret = values_copy(&begun, &c->values, c->begun, c->begun_text);
	if (!ret)
		ret = add_event(p, c, ev);
	finish_call(p, c, ENDING_NORMAL, ev->t);
	next = ret ? NULL : calls_open(&p->calls, ev);
	if (next) {
		next->dated = old.dated;
		next->real_minus_mono = old.real_minus_mono;
		ret = succeed(p, next, &old, &begun);
	} else if (!ret) {
		ret = -ENOMEM;
	}
	values_release(&begun);
	return ret;
}

static enum ending unwind_ending(const struct jsonv *why)
{
	if (jsonv_is(why, "panic"))
		return ENDING_PANIC;
	if (jsonv_is(why, "goexit"))
		return ENDING_GOEXIT;
	if (jsonv_is(why, "stale"))
		return ENDING_STALE;
	return ENDING_CLOSED;
}

static int end(struct pairing *p, const struct event *ev)
{
	enum ending how = ev->kind == EVENT_END ? ENDING_NORMAL : unwind_ending(ev->unwind);
	struct call *c = calls_match(&p->calls, ev);
	int ret;

	if (!c) {
		p->counts.lost[LOST_NO_BEGIN]++;
		return 0;
	}
	if (ev->kind == EVENT_UNWIND && jsonv_is(ev->unwind, "covered")) {
		p->counts.total[COUNT_COVERED]++;
		calls_close(&p->calls, c);
		p->active.changed = true;
		return 0;
	}
	p->counts.total[COUNT_REVERSED] += ev->t < c->begin;
	ret = add_event(p, c, ev);
	finish_call(p, c, how, ev->t);
	return ret;
}

/* Something to be added to an open call. */
static int point(struct pairing *p, const struct event *ev)
{
	struct call *c = calls_match(&p->calls, ev);
	int ret;

	if (!c) {
		p->counts.lost[LOST_NO_BEGIN]++;
		return 0;
	}
	ret = add_event(p, c, ev);
	while (p->calls.open && calls_heavy(&p->calls))
		evict(p);
	return ret;
}

int pairing_event(struct pairing *p, const struct event *ev)
{
	p->counts.total[COUNT_EVENTS]++;
	advance(p, ev->t);
	switch (ev->kind) {
	case EVENT_BEGIN:
		return begin(p, ev);
	case EVENT_END:
	case EVENT_UNWIND:
		return end(p, ev);
	case EVENT_POINT:
		return point(p, ev);
	case EVENT_AGAIN:
		return again(p, ev);
	default:
		return 0;
	}
}

void pairing_clock(struct pairing *p, uint64_t mono, uint64_t real)
{
	clock_set(&p->clock, mono, real);
	advance(p, mono);
}

/* Gives up all open calls of @proc. Its start must be known, or it goes with the last call. */
static void give_up_all(struct pairing *p, struct proc *proc)
{
	while (!list_empty(&proc->calls))
		give_up(p, list_entry(proc->calls.next, struct call, of_proc));
}

int pairing_process(struct pairing *p, uint32_t pid, uint64_t start)
{
	struct proc *proc = procs_find(&p->calls.procs, pid);

	if (proc && proc->start_known && proc->start != start) {
		give_up_all(p, proc);
		proc->start = start;
		return 0;
	}
	if (!proc && p->calls.procs.table.count >= PROCS_MAX) {
		p->counts.lost[LOST_PROCESSES]++;
		return 0;
	}
	proc = procs_get(&p->calls.procs, pid);
	if (!proc)
		return -ENOMEM;
	proc->start = start;
	proc->start_known = true;
	return 0;
}

void pairing_exit(struct pairing *p, uint32_t pid, const uint64_t *start)
{
	struct proc *proc = procs_find(&p->calls.procs, pid);

	/* The exit of an earlier process with this pid is none of the present one's. */
	if (!proc || (proc->start_known && start && *start != proc->start))
		return;
	proc->start_known = true;
	give_up_all(p, proc);
	proc->start_known = false;
	procs_put(&p->calls.procs, proc);
}

void pairing_finish(struct pairing *p)
{
	struct call *c;

	while ((c = calls_oldest(&p->calls)))
		give_up(p, c);
	report_active(p);
	counts_write_lost(&p->counts, p->writer.out);
	counts_write_stats(&p->counts, p->calls.open, p->writer.out);
}
