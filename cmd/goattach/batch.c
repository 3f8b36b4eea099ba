// SPDX-License-Identifier: Apache-2.0
#include "batch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "addresses.h"
#include "diag.h"
#include "records.h"
#include "verify.h"

enum { CHECKS_A_TURN = 64 };

/* Probes that are to be attached together; NULL where one was left out. */
struct batch {
	struct image *im;
	struct slots *slots;
	struct jsonw *w;
	const struct batch_pause *pause;
	int pid;
	struct probe **probes;
	bool *taken; /* has its place in the maps */
	bool *done;  /* is attached */
	size_t n;
	uint64_t *offsets, *cookies; /* room for all sites */
	bool canceled;
};

static void give_slot(struct batch *b, size_t i)
{
	if (!b->taken[i])
		return;
	addresses_remove(b->slots->kernel, b->im, b->probes[i]);
	slots_give(b->slots, b->probes[i]);
	b->taken[i] = false;
}

static void leave_out(struct batch *b, size_t i, const struct site *site, const char *reason,
		      const char *detail)
{
	record_skip(b->w, &(struct skip){ .binary = b->im->binary->id,
					  .path = b->im->path,
					  .pid = b->pid,
					  .probe = b->probes[i],
					  .site = site,
					  .reason = reason,
					  .detail = detail });
	diag(DIAG_WARNING, "pid %d: %s left out: %s (probe %s, line %lu)", b->pid,
	     b->probes[i]->symbol, detail, b->probes[i]->id, b->probes[i]->line);
	give_slot(b, i);
	b->probes[i] = NULL;
}

static bool self_contained(const struct probe *p)
{
	return probe_has(p, GOTAP_BEGIN) && probe_has(p, GOTAP_END);
}

/* Whether @p, being left out, leaves other probes of its span without begin or end. */
static bool breaks_span(const struct probe *p)
{
	return !self_contained(p) && (probe_has(p, GOTAP_BEGIN) || probe_has(p, GOTAP_END));
}

/* Whether @a and @b make sense only together. */
static bool belong_together(const struct probe *a, const struct probe *b)
{
	return a->span_class == b->span_class && breaks_span(a) && breaks_span(b);
}

/* Leaves out probe @i, and those that make no sense without it. */
static void leave_out_span(struct batch *b, size_t i, const struct site *site, const char *reason,
			   const char *detail)
{
	struct probe *p = b->probes[i];
	char why[160];

	leave_out(b, i, site, reason, detail);
	if (!breaks_span(p))
		return;
	snprintf(why, sizeof(why), "%.100s, of the same span, was left out", p->symbol);
	for (size_t j = 0; j < b->n; j++)
		if (b->probes[j] && belong_together(p, b->probes[j]))
			leave_out(b, j, NULL, reason, why);
}

static bool wants_to_stop(const struct batch *b)
{
	return b->pause && b->pause->fn(b->pause->ctx);
}

/* --- checking -------------------------------------------------------------------- */

static void check_sites(struct batch *b)
{
	const struct site *site = NULL;
	struct gobin *bin;
	struct errinfo e;
	int ret = gobin_open_fd(b->im->fd, &bin, &e);

	for (size_t i = 0; i < b->n && !b->canceled; i++) {
		if (i % CHECKS_A_TURN == CHECKS_A_TURN - 1)
			b->canceled = wants_to_stop(b);
		if (!b->probes[i])
			continue;
		if (ret)
			leave_out(b, i, NULL, "unreadable", e.text);
		else if (verify_probe(bin, b->probes[i], &site, &e))
			leave_out_span(b, i, site, "bytes-differ", e.text);
	}
	if (!ret)
		gobin_free(bin);
}

static void take_slot(struct batch *b, size_t i)
{
	struct errinfo e;
	int ret = slots_take(b->slots, b->probes[i], &e);

	b->taken[i] = !ret;
	if (!ret)
		ret = addresses_add(b->slots->kernel, b->im, b->probes[i], &e);
	if (ret)
		leave_out_span(b, i, NULL, ret == -ENOSPC ? "limit" : "attach-refused", e.text);
}

/* Without those that unwind, calls of all others would stay open: they come first. */
static void take_slots(struct batch *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->probes[i] && probe_has(b->probes[i], GOTAP_UNWIND))
			take_slot(b, i);
	for (size_t i = 0; i < b->n; i++)
		if (b->probes[i] && !b->taken[i])
			take_slot(b, i);
}

/*
 * Puts probes that belong together next to each other, and those that were left
 * out away.
 */
static void arrange(struct batch *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++) {
		struct probe *p = b->probes[i];
		size_t at = n;

		if (!p)
			continue;
		if (breaks_span(p)) {
			while (at && !belong_together(p, b->probes[at - 1]))
				at--;
			at = at ? at : n;
		}
		memmove(b->probes + at + 1, b->probes + at, (n - at) * sizeof(struct probe *));
		b->probes[at] = p;
		n++;
	}
	b->n = n;
	for (size_t i = 0; i < n; i++)
		b->taken[i] = true;
}

/* --- attaching ------------------------------------------------------------------- */

/* Sites of probes [@from, @to) into the arrays; how many. */
static size_t gather(struct batch *b, size_t from, size_t to)
{
	size_t n = 0;

	for (size_t i = from; i < to; i++) {
		struct probe *p = b->probes[i];

		for (uint32_t j = 0; j < p->n_sites; j++, n++) {
			b->offsets[n] = p->sites[j].offset;
			b->cookies[n] = addresses_cookie(b->slots->kernel, b->im, p, j);
		}
	}
	return n;
}

/* Attaches at the sites of probes [@from, @to), as one link where the kernel can. */
static int attach_some(struct batch *b, size_t from, size_t to, struct errinfo *e)
{
	size_t n = gather(b, from, to);
	struct fdset set;
	int ret = links_open(b->slots->kernel, b->im->fd, b->im->pid, b->offsets, b->cookies, n,
			     &set, e);

	if (!ret && fdset_join(&b->im->links, &set)) {
		fdset_close(&set);
		ret = errinfo_set(e, -ENOMEM, "out of memory");
	}
	for (size_t i = from; !ret && i < to; i++)
		b->done[i] = true;
	return ret;
}

/* The first probe at or before @i that what comes before does not belong to. */
static size_t unit_start(const struct batch *b, size_t from, size_t i)
{
	while (i > from && belong_together(b->probes[i - 1], b->probes[i]))
		i--;
	return i;
}

static size_t unit_end(const struct batch *b, size_t i, size_t to)
{
	for (i++; i < to && belong_together(b->probes[i - 1], b->probes[i]); i++)
		;
	return i;
}

/* [@from, @to), which only make sense together, were refused. */
static void refused(struct batch *b, size_t from, size_t to, const char *why)
{
	char text[200];

	if (to - from > 1)
		snprintf(text, sizeof(text), "this one or another of its span: %.150s", why);
	else
		snprintf(text, sizeof(text), "%.190s", why);
	for (size_t i = from; i < to; i++)
		leave_out(b, i, NULL, "attach-refused", text);
}

/*
 * Attaches [@from, @to). What the kernel refuses together is tried in halves, each
 * of which is kept if it can be: so few that it does not want cost few links more.
 */
static void attach_range(struct batch *b, size_t from, size_t to)
{
	struct errinfo e;
	size_t mid;

	if (from == to || b->canceled)
		return;
	if (!attach_some(b, from, to, &e))
		return;
	b->canceled = wants_to_stop(b);
	if (b->canceled)
		return;
	mid = unit_start(b, from, from + (to - from) / 2);
	if (mid == from)
		mid = unit_end(b, from, to);
	if (mid == to) {
		refused(b, from, to, e.text);
		return;
	}
	attach_range(b, from, mid);
	attach_range(b, mid, to);
}

/* One after the other: each site has its link anyway. */
static void attach_each(struct batch *b)
{
	struct errinfo e;

	for (size_t i = 0, end; i < b->n && !b->canceled; i = end) {
		end = unit_end(b, i, b->n);
		if (attach_some(b, i, end, &e))
			refused(b, i, end, e.text);
		b->canceled = wants_to_stop(b);
	}
}

static void attach_all(struct batch *b)
{
	take_slots(b);
	arrange(b);
	if (b->slots->kernel->how == ATTACH_MULTI || b->slots->kernel->events)
		attach_range(b, 0, b->n);
	else
		attach_each(b);
}

/* --- all of it ------------------------------------------------------------------- */

static int batch_init(struct batch *b)
{
	struct image *im = b->im;
	size_t n = im->binary->n - im->considered, sites = 0;
	struct probe **more = realloc(im->attached, (im->n_attached + n) * sizeof(struct probe *));

	if (!more)
		return -ENOMEM;
	im->attached = more;
	for (size_t i = im->considered; i < im->binary->n; i++)
		sites += im->binary->probes[i]->n_sites;
	b->n = n;
	b->probes = calloc(n, sizeof(struct probe *));
	b->taken = calloc(n, sizeof(*b->taken));
	b->done = calloc(n, sizeof(*b->done));
	b->offsets = calloc(sites + 1, sizeof(*b->offsets));
	b->cookies = calloc(sites + 1, sizeof(*b->cookies));
	if (!b->probes || !b->taken || !b->done || !b->offsets || !b->cookies)
		return -ENOMEM;
	memcpy(b->probes, im->binary->probes + im->considered, n * sizeof(struct probe *));
	im->considered = im->binary->n;
	return 0;
}

static void batch_release(struct batch *b)
{
	free(b->cookies);
	free(b->offsets);
	free(b->done);
	free(b->taken);
	free(b->probes);
}

/* What is attached is the image's now; what was not tried any more is nobody's. */
static void batch_keep(struct batch *b)
{
	struct image *im = b->im;

	for (size_t i = 0; i < b->n; i++) {
		if (!b->probes[i])
			continue;
		if (!b->done[i]) {
			give_slot(b, i);
			continue;
		}
		im->attached[im->n_attached++] = b->probes[i];
		im->n_sites += b->probes[i]->n_sites;
	}
}

int batch_attach(struct image *im, struct slots *slots, int pid, struct jsonw *w,
		 const struct batch_pause *pause)
{
	struct batch b = { .im = im, .slots = slots, .w = w, .pid = pid, .pause = pause };
	uint64_t us, start = now_ns();

	if (im->considered == im->binary->n)
		return 0;
	if (batch_init(&b)) {
		diag(DIAG_ERROR, "pid %d: out of memory", pid);
	} else {
		check_sites(&b);
		if (!b.canceled)
			attach_all(&b);
		batch_keep(&b);
	}
	us = (now_ns() - start) / 1000;
	im->ms = (double)us / 1000;
	batch_release(&b);
	return b.canceled ? -ECANCELED : 0;
}
