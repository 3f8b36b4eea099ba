// SPDX-License-Identifier: Apache-2.0
/* What a recipe reads at the sites of one probe. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "attempt.h"
#include "offsets.h"

static bool same_op(const struct op *a, const struct op *b)
{
	return a->code == b->code && a->n == b->n && a->size == b->size && a->reg == b->reg &&
	       !strcmp(a->key ? a->key : "", b->key ? b->key : "");
}

/* Whether two compiled captures do the same. */
static bool same_ops(const struct plan_capture *a, const struct plan_capture *b)
{
	if (strcmp(a->kind, b->kind) || a->size != b->size || a->ops.n != b->ops.n)
		return false;
	for (size_t i = 0; i < a->ops.n; i++)
		if (!same_op(&a->ops.op[i], &b->ops.op[i]))
			return false;
	return true;
}

struct scene attempt_scene(const struct attempt *a, struct probe *pr, const struct plan_site *s)
{
	return (struct scene){ .b = a->b,
			       .plan = a->plan,
			       .probe = pr,
			       .func = recipe_func(a->r, a->span, a->try, s->subject),
			       .at = s->site.at };
}

static int differs(const struct recipe_capture *cap, struct errinfo *e)
{
	return errinfo_set(e, -EINVAL, "%s: means something else at each site of this event",
			   cap->path.text);
}

/* One capture at the sites of kind @at; 1 if there are none. */
static int compile_at(const struct attempt *a, struct probe *pr, const struct recipe_capture *cap,
		      enum site_at at, struct plan_capture *out, struct errinfo *e)
{
	struct plan_capture one;
	bool any = false;
	int ret = 0;

	for (size_t i = 0; i < pr->n_sites && !ret; i++) {
		const struct plan_site *s = &pr->sites[i];
		struct scene scene = attempt_scene(a, pr, s);

		if (s->event != cap->event || s->site.at != at)
			continue;
		memset(&one, 0, sizeof(one));
		ret = compile_capture(&scene, cap, &one, e);
		if (!ret && any && !same_ops(out, &one))
			ret = differs(cap, e);
		if (!ret && !any)
			*out = one;
		any = true;
	}
	return ret || any ? ret : 1;
}

static bool fits(const struct probe *pr, const struct plan_capture *c, struct errinfo *e)
{
	unsigned int n = 0, bytes = c->max ? c->max : c->size;

	for (size_t i = 0; i < pr->n_captures; i++) {
		if (pr->captures[i].from->event != c->from->event)
			continue;
		n++;
		bytes += pr->captures[i].max ? pr->captures[i].max : pr->captures[i].size;
	}
	if (n >= PLAN_MAX_CAPTURES)
		errinfo_set(e, 0, "more than %d captures", PLAN_MAX_CAPTURES);
	else if (bytes > PLAN_MAX_BYTES)
		errinfo_set(e, 0, "more than %d bytes of values", PLAN_MAX_BYTES);
	return n < PLAN_MAX_CAPTURES && bytes <= PLAN_MAX_BYTES;
}

/* At a jump to another function results are not there yet, parameters no longer. */
static bool has_tail(const struct probe *pr, enum recipe_event ev)
{
	for (size_t i = 0; i < pr->n_sites; i++)
		if (pr->sites[i].event == ev && pr->sites[i].site.at == SITE_TAIL)
			return true;
	return false;
}

/* -errno as from compile_capture(), -E2BIG past a limit; 1: no site of this event here. */
static int add_capture(const struct attempt *a, struct probe *pr, const struct recipe_capture *cap,
		       struct errinfo *e)
{
	struct plan_capture got[4], *c;
	int n = 0, ret = 1;

	for (int at = SITE_ENTRY; at <= SITE_AFTER; at++) {
		if (cap->has_at && cap->at != (enum site_at)at)
			continue;
		ret = compile_at(a, pr, cap, (enum site_at)at, &got[n], e);
		if (ret < 0)
			return ret;
		got[n].at = (enum site_at)at;
		got[n].has_at = cap->has_at || has_tail(pr, cap->event);
		n += !ret;
	}
	if (!n)
		return 1;
	for (int i = 1; i < n; i++)
		if (!same_ops(&got[0], &got[i]))
			got[0].has_at = got[i].has_at = true;
	for (int i = 0; i < (got[0].has_at ? n : 1); i++) {
		if (!fits(pr, &got[i], e))
			return -E2BIG;
		c = probe_add_capture(a->plan, pr);
		if (c)
			*c = got[i];
	}
	return 0;
}

/* What the table knows of "type.field": that it is not there in this version. */
static bool known_absent(const struct attempt *a, const char *name)
{
	const char *dot = strrchr(name, '.');
	struct offsets_answer answer;
	char type[192];

	if (!dot || (size_t)(dot - name) >= sizeof(type))
		return false;
	memcpy(type, name, (size_t)(dot - name));
	type[dot - name] = '\0';
	return !offsets_find(a->b->bin, type, dot + 1, &answer) && answer.offset == OFFSETS_ABSENT;
}

static void skip_capture(const struct attempt *a, const struct probe *pr, int err,
			 const struct recipe_capture *cap, const struct errinfo *e)
{
	struct skip *k = plan_add_skip(a->plan);

	if (!k)
		return;
	k->recipe = pr->recipe;
	k->span = pr->span;
	k->symbol = pr->symbol;
	k->reason = err == -E2BIG ? "limit" : "offset-unknown";
	snprintf(k->field, sizeof(k->field), "%s", err == -ENOENT ? e->text : cap->path.text);
	if (err == -ENOENT)
		snprintf(k->detail, sizeof(k->detail), "%s is left out (%s:%u:%u: %s)%s%s",
			 cap->name, a->r->file, cap->path.line, cap->path.column, cap->path.text,
			 known_absent(a, e->text) ? ": there is none in " : "",
			 known_absent(a, e->text) ? gobin_buildinfo(a->b->bin)->go : "");
	else
		snprintf(k->detail, sizeof(k->detail), "%s is left out (%s:%u:%u): %s", cap->name,
			 a->r->file, cap->path.line, cap->path.column, e->text);
}

static bool same_place(const struct recipe_capture *a, const struct recipe_capture *b)
{
	if (a == b || a->also || b->also)
		return a == b;
	return !strcmp(a->name, b->name) && a->event == b->event && a->has_at == b->has_at &&
	       (!a->has_at || a->at == b->at);
}

/* The i-th capture of the common part and the alternative together. */
static const struct recipe_capture *nth_capture(const struct attempt *a, size_t i)
{
	const struct recipe_part *common = &a->span->common;

	if (i < common->n_captures)
		return &common->captures[i];
	i -= common->n_captures;
	return a->try && i < a->try->n_captures ? &a->try->captures[i] : NULL;
}

static bool came_before(const struct attempt *a, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (same_place(nth_capture(a, j), nth_capture(a, i)))
			return true;
	return false;
}

/* Whether a capture is for the binary's version of Go. */
static bool applies(const struct attempt *a, const struct recipe_capture *cap)
{
	return (!cap->with || planned_has(a->planned, cap->with)) &&
	       (!cap->since || binary_go_at_least(a->b, cap->since)) &&
	       (!cap->before || !binary_go_at_least(a->b, cap->before));
}

/*
 * Captures of one name for one event are alternatives: the first that the binary
 * has is taken.
 */
static void plan_capture(const struct attempt *a, struct probe *pr, size_t i)
{
	const struct recipe_capture *cap, *first = nth_capture(a, i), *failed = NULL;
	struct errinfo e = { .text = "" }, failed_e = { .text = "" };
	int ret = 0, failed_ret = 0;
	bool optional = false;

	for (; (cap = nth_capture(a, i)); i++) {
		size_t n_fields = pr->n_fields;

		if (!same_place(cap, first) || !applies(a, cap))
			continue;
		ret = add_capture(a, pr, cap, &e);
		if (ret >= 0)
			return;
		pr->n_fields = n_fields;
		optional |= cap->optional;
		if (!failed) {
			failed = cap;
			failed_ret = ret;
			failed_e = e;
		}
	}
	if (failed && (!optional || failed_ret == -E2BIG))
		skip_capture(a, pr, failed_ret, failed, &failed_e);
}

void plan_captures(const struct attempt *a, struct probe *pr)
{
	for (size_t i = 0; nth_capture(a, i); i++)
		if (!came_before(a, i))
			plan_capture(a, pr, i);
}
