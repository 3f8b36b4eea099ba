// SPDX-License-Identifier: Apache-2.0
/* A recipe's spans: which alternative this binary has, its sites, its captures. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "resolve.h"

#define MAX_BODIES 16 /* of one name */

/* A site together with the function that it is in. */
struct found {
	const struct gofunc *func;
	const struct recipe_site *from;
	struct site site;
};

/* One span of a recipe being resolved. */
struct attempt {
	const struct binary *b;
	struct plan *plan;
	const struct recipe *r;
	const struct recipe_span *span;
	const struct recipe_part *try; /* NULL: the common part alone */
	enum site_mode mode;
	struct found *found;
	size_t n_found;
	/* Why it failed. */
	const char *symbol, *reason;
	struct errinfo e;
};

static int fail(struct attempt *a, const char *symbol, const char *reason)
{
	a->symbol = symbol;
	a->reason = reason;
	return -ENOENT;
}

static const struct gofunc *first_body(const struct attempt *a, const char *symbol)
{
	const struct gofunc *f;

	return gofuncs_find(a->b->funcs, symbol, &f, 1) ? f : NULL;
}

static bool has_call(struct attempt *a, const char *callee, const char *caller)
{
	const struct gofunc *f = first_body(a, caller);
	struct code *c = NULL;
	int n = 0;

	if (f && !binary_code(a->b, f, &c, &a->e))
		n = code_calls(c, callee, NULL, 0);
	code_free(c);
	return n > 0;
}

static bool has_field(const struct attempt *a, const char *type, const char *field)
{
	const struct gotype *t = gotypes_find(a->b->types, type);
	struct gofield f;
	int ret = -ENOENT;

	if (t && t->kind == GOTYPE_STRUCT)
		ret = gotypes_field(a->b->types, t, field, &f, NULL);
	return !ret || ret == -EUCLEAN;
}

static bool holds(struct attempt *a, const struct recipe_require *q)
{
	switch (q->need) {
	case NEED_FUNC:
		return first_body(a, q->a);
	case NEED_TYPE:
		return gotypes_find(a->b->types, q->a);
	case NEED_FIELD:
		return has_field(a, q->a, q->b);
	case NEED_CALL:
		return has_call(a, q->a, q->b);
	default:
		return binary_go_at_least(a->b, q->a);
	}
}

static int check_requires(struct attempt *a, const struct recipe_part *p)
{
	for (size_t i = 0; i < p->n_requires; i++) {
		const struct recipe_require *q = &p->requires[i];

		if (holds(a, q) != q->not )
			continue;
		errinfo_set(&a->e, 0, "%s '%s'%s%s", q->not ? "has" : "lacks", q->a,
			    q->b ? ", " : "", q->b ? q->b : "");
		return fail(a, q->a, "not-found");
	}
	return 0;
}

static struct found *add_found(struct attempt *a)
{
	struct found *f = realloc(a->found, (a->n_found + 1) * sizeof(*f));

	if (!f) {
		a->plan->err = -ENOMEM;
		return NULL;
	}
	a->found = f;
	memset(&f[a->n_found], 0, sizeof(*f));
	return &f[a->n_found++];
}

/* Asks for the sites of one kind in a function, twice: how many, and then them. */
static int query(const struct attempt *a, const struct code *c, const struct recipe_site *s,
		 struct site *out, size_t max, struct errinfo *e)
{
	switch (s->at) {
	case SITE_ENTRY:
		if (max)
			code_entry(c, a->mode == SITES_FIRST && s->event == EVENT_BEGIN, out);
		return 1;
	case SITE_RET:
		return code_exits(c, out, max, e);
	case SITE_CALL:
		return code_calls(c, s->func, out, max);
	default:
		return code_after_calls(c, s->func, out, max);
	}
}

static int sites_in(struct attempt *a, const struct recipe_site *s, const struct gofunc *f)
{
	struct site *sites = NULL;
	struct code *c = NULL;
	int n = binary_code(a->b, f, &c, &a->e);

	if (!n)
		n = query(a, c, s, NULL, 0, &a->e);
	if (n > 0) {
		sites = calloc((size_t)n, sizeof(*sites));
		if (!sites)
			n = a->plan->err = -ENOMEM;
		else
			query(a, c, s, sites, (size_t)n, &a->e);
	}
	for (int i = 0; i < n; i++) {
		struct found *found = add_found(a);

		if (!found)
			break;
		found->func = f;
		found->from = s;
		found->site = sites[i];
	}
	free(sites);
	code_free(c);
	return n;
}

/* All sites of one statement. */
static int find_sites(struct attempt *a, const struct recipe_site *s)
{
	const char *where = s->in ? s->in : s->func;
	const struct gofunc *body[MAX_BODIES];
	size_t n = gofuncs_find(a->b->funcs, where, body, MAX_BODIES), total = 0;

	if (!n)
		return fail(a, where, "not-found");
	for (size_t i = 0; i < n && i < MAX_BODIES; i++) {
		int got = sites_in(a, s, body[i]);

		if (got < 0)
			return fail(a, where, code_reason(got));
		total += (size_t)got;
	}
	if (!total) {
		errinfo_set(&a->e, 0, "%s does not call it", where);
		return fail(a, s->func, "not-found");
	}
	if (s->in && !s->many && total > n) {
		errinfo_set(&a->e, 0, "%s calls it at %zu places", where, total);
		return fail(a, s->func, "not-found");
	}
	return 0;
}

static int find_part(struct attempt *a, const struct recipe_part *p)
{
	int ret = check_requires(a, p);

	for (size_t i = 0; !ret && i < p->n_sites; i++)
		ret = find_sites(a, &p->sites[i]);
	return ret;
}

/* --site first and --site ret: entries and returns only, where spans begin and end. */
static bool allowed(enum site_mode mode, const struct recipe_part *p)
{
	for (size_t i = 0; mode != SITES_AFTER && i < p->n_sites; i++) {
		const struct recipe_site *s = &p->sites[i];

		if ((s->event == EVENT_BEGIN && s->at != SITE_ENTRY) ||
		    (s->event == EVENT_END && s->at != SITE_RET))
			return false;
	}
	return true;
}

static int run_attempt(struct attempt *a)
{
	int ret;

	a->n_found = 0;
	a->e.text[0] = '\0';
	if (!allowed(a->mode, &a->span->common) || (a->try && !allowed(a->mode, a->try))) {
		errinfo_set(&a->e, 0, "no alternative of entries and returns only (--site)");
		return fail(a, NULL, "not-found");
	}
	ret = find_part(a, &a->span->common);
	if (!ret && a->try)
		ret = find_part(a, a->try);
	return ret;
}

static void skip_span(const struct attempt *a)
{
	struct skip *k = plan_add_skip(a->plan);

	if (!k)
		return;
	k->recipe = a->r->name;
	k->span = a->span->span;
	k->symbol = a->symbol;
	k->reason = a->reason;
	snprintf(k->detail, sizeof(k->detail), "%s", a->e.text);
}

/* Whether two compiled captures do the same. */
static bool same_ops(const struct plan_capture *a, const struct plan_capture *b)
{
	if (strcmp(a->kind, b->kind) || a->size != b->size || a->ops.n != b->ops.n)
		return false;
	for (size_t i = 0; i < a->ops.n; i++)
		if (a->ops.op[i].code != b->ops.op[i].code || a->ops.op[i].n != b->ops.op[i].n)
			return false;
	return true;
}

static struct scene scene_of(const struct attempt *a, struct probe *pr, const struct plan_site *s)
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
		struct scene scene = scene_of(a, pr, s);

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
		got[n].has_at = cap->has_at;
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
		snprintf(k->detail, sizeof(k->detail), "%s is left out (%s:%u: %s)", cap->name,
			 a->r->file, cap->line, cap->path.text);
	else
		snprintf(k->detail, sizeof(k->detail), "%s is left out (%s:%u): %s", cap->name,
			 a->r->file, cap->line, e->text);
}

static bool same_place(const struct recipe_capture *a, const struct recipe_capture *b)
{
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

/*
 * Captures of one name for one event are alternatives: the first that the binary
 * has is taken.
 */
static void plan_capture(const struct attempt *a, struct probe *pr, size_t i)
{
	const struct recipe_capture *cap, *first = nth_capture(a, i);
	struct errinfo e = { .text = "" }, first_e = { .text = "" };
	int ret = 0, first_ret = 0;
	bool optional = false;

	for (; (cap = nth_capture(a, i)); i++) {
		size_t n_fields = pr->n_fields;

		if (!same_place(cap, first))
			continue;
		ret = add_capture(a, pr, cap, &e);
		if (ret >= 0)
			return;
		pr->n_fields = n_fields;
		optional |= cap->optional;
		if (cap == first) {
			first_ret = ret;
			first_e = e;
		}
	}
	if (!optional || first_ret == -E2BIG)
		skip_capture(a, pr, first_ret, first, &first_e);
}

static int plan_g(struct attempt *a, struct probe *pr)
{
	const struct recipe_path *g = a->try && a->try->g ? a->try->g : a->span->common.g;
	struct scene s;

	if (!g)
		return 0;
	s = scene_of(a, pr, &pr->sites[0]);
	return compile_pointer(&s, g, &pr->g, &a->e);
}

/* The probe for all sites of one role in one function: those found at @i and later. */
static void plan_probe(struct attempt *a, size_t i, bool *taken)
{
	const struct gofunc *f = a->found[i].func;
	bool unwind = a->found[i].from->event == EVENT_UNWIND;
	struct probe *pr = plan_add_probe(a->plan);

	if (!pr)
		return;
	pr->recipe = a->r->name;
	pr->span = a->span->span;
	pr->kind = a->span->kind;
	pr->scope = a->span->scope;
	pr->name = a->span->name;
	pr->symbol = f->name;
	pr->entry = f->entry;
	pr->unwind = unwind;
	pr->pair_goroutine = a->span->pair_goroutine;
	for (size_t j = i; j < a->n_found; j++) {
		const struct found *found = &a->found[j];
		struct plan_site *s;

		if (found->func != f || (found->from->event == EVENT_UNWIND) != unwind)
			continue;
		taken[j] = true;
		s = probe_add_site(a->plan, pr);
		if (!s)
			return;
		*s = (struct plan_site){ found->from->event, found->site, found->from->func };
	}
	if (plan_g(a, pr)) {
		fail(a, f->name, "offset-unknown");
		plan_drop_probe(a->plan);
		skip_span(a);
		return;
	}
	if (!finish_probe(a->b, a->plan, pr))
		return;
	for (size_t j = 0; nth_capture(a, j); j++)
		if (!came_before(a, j))
			plan_capture(a, pr, j);
}

static void plan_probes(struct attempt *a)
{
	bool *taken = calloc(a->n_found + 1, sizeof(*taken));

	if (!taken) {
		a->plan->err = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < a->n_found; i++)
		if (!taken[i])
			plan_probe(a, i, taken);
	free(taken);
}

static void resolve_span(const struct binary *b, const struct recipe *r,
			 const struct recipe_span *span, enum site_mode mode, struct plan *plan)
{
	struct attempt a = { .b = b, .plan = plan, .r = r, .span = span, .mode = mode };
	struct attempt first = a;
	int ret = -ENOENT;

	for (size_t i = 0; ret && (i < span->n_tries || !i); i++) {
		a.try = span->n_tries ? &span->tries[i] : NULL;
		ret = run_attempt(&a);
		if (ret && (!first.reason || !first.symbol))
			first = a;
	}
	if (ret)
		skip_span(&first);
	else
		plan_probes(&a);
	free(a.found);
}

void resolve_recipe(const struct binary *b, const struct recipe *r, enum site_mode mode,
		    struct plan *plan)
{
	for (size_t i = 0; i < r->n_spans; i++)
		resolve_span(b, r, &r->spans[i], mode, plan);
}
