// SPDX-License-Identifier: Apache-2.0
/* A recipe's spans: which alternative this binary has, its sites, its captures. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attempt.h"
#include "goversion.h"

#define MAX_BODIES 16 /* of one name */

int attempt_fail(struct attempt *a, const char *symbol, const char *reason)
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

	if (f)
		n = binary_code(a->b, f, &c, &a->e);
	if (n == -ENOMEM)
		a->plan->err = n;
	if (c)
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

static bool has_module(const struct attempt *a, const char *path, const char *version)
{
	struct goversion have, want;
	int ret = goversion_of(a->b->bin, path, &have);

	if (!version)
		return ret != -ENOENT;
	return !ret && !goversion_parse(version, &want) && goversion_compare(&have, &want) >= 0;
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
	case NEED_MODULE:
		return has_module(a, q->a, q->b);
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
		return attempt_fail(a, q->a, "not-found");
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

/* Where the function goes by a result of what it has called. */
static int decisions(const struct attempt *a, const struct code *c, const struct recipe_site *s,
		     const struct recipe_func *f, struct site *out, size_t max)
{
	struct site_when when = { .how = s->when_no ? WHEN_ZERO : WHEN_NOT_ZERO };

	if (!f || compile_result_reg(a->b, f, s->when, &when))
		return 0;
	return code_decisions(c, s->func, &when, compile_result_regs(a->b, f), out, max);
}

/* Asks for the sites of one kind in a function, twice: how many, and then them. */
static int query(const struct attempt *a, const struct code *c, const struct recipe_site *s,
		 struct site *out, size_t max, struct errinfo *e)
{
	const struct recipe_func *f;

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
		f = recipe_func(a->r, a->span, a->try, s->func);
		if (s->when)
			return decisions(a, c, s, f, out, max);
		return code_after_calls(c, s->func, f ? compile_result_regs(a->b, f) : 0, out, max);
	}
}

/* All of a function's sites then see the depth at its own entry. */
static int fit_caller(const struct recipe_site *s, const struct code *c, struct site *sites, int n)
{
	int frame = s->within ? code_frame(c) : 0;

	for (int i = 0; s->within && i < n && frame >= 0; i++)
		sites[i].depth_adjust = -frame;
	return frame < 0 ? frame : n;
}

static int sites_in(struct attempt *a, const struct recipe_site *s, const struct gofunc *f)
{
	struct site *sites = NULL;
	struct code *c = NULL;
	int n = binary_code(a->b, f, &c, &a->e);

	if (n == -ENOMEM)
		a->plan->err = n;
	if (!n)
		n = query(a, c, s, NULL, 0, &a->e);
	if (n > 0) {
		sites = calloc((size_t)n, sizeof(*sites));
		if (!sites)
			n = a->plan->err = -ENOMEM;
		else
			n = fit_caller(s, c, sites, query(a, c, s, sites, (size_t)n, &a->e));
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
		return attempt_fail(a, where, "not-found");
	for (size_t i = 0; i < n && i < MAX_BODIES; i++) {
		int got;

		if (body[i]->abi0 && !s->in) {
			errinfo_set(&a->e, 0, "in assembly registers do not hold the parameters");
			return attempt_fail(a, where, "abi0");
		}
		got = sites_in(a, s, body[i]);
		if (got < 0)
			return attempt_fail(a, where, code_reason(got));
		total += (size_t)got;
	}
	if (!total) {
		errinfo_set(&a->e, 0, "%s does not call it", where);
		return attempt_fail(a, s->func, "not-found");
	}
	if (s->in && !s->many && total > n) {
		errinfo_set(&a->e, 0, "%s calls it at %zu places", where, total);
		return attempt_fail(a, s->func, "not-found");
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

/* A begin and an end at one instruction could come in any order. */
static int check_order(struct attempt *a)
{
	for (size_t i = 0; i < a->n_found; i++)
		for (size_t j = 0; j < a->n_found; j++)
			if (a->found[i].from->event == EVENT_BEGIN &&
			    a->found[j].from->event == EVENT_END &&
			    a->found[i].site.addr == a->found[j].site.addr)
				return attempt_fail(a, a->found[i].func->name, "empty");
	return 0;
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
		return attempt_fail(a, NULL, "not-found");
	}
	ret = find_part(a, &a->span->common);
	if (!ret && a->try)
		ret = find_part(a, a->try);
	if (!ret)
		ret = attempt_leave_out_exits(a);
	return ret ? ret : check_order(a);
}

static void skip_span(const struct attempt *a)
{
	struct skip *k = plan_add_skip(a->plan);

	if (!k)
		return;
	k->recipe = a->r->name;
	k->span = a->span->span;
	k->scope = a->span->scope;
	k->symbol = a->symbol;
	k->reason = a->reason;
	snprintf(k->detail, sizeof(k->detail), "%s", a->e.text);
	if (a->symbol && !strcmp(a->reason, "not-found") && !first_body(a, a->symbol)) {
		struct inlined_name n = inlining_find(a->b->inlining, a->symbol);

		if (n.n)
			skip_inlined(k, &n);
	}
}

static int plan_g(struct attempt *a, struct probe *pr)
{
	const struct recipe_path *g = a->try && a->try->g ? a->try->g : a->span->common.g;
	struct scene s;

	if (!g)
		return 0;
	s = attempt_scene(a, pr, &pr->sites[0]);
	return compile_pointer(&s, g, &pr->g, &a->e);
}

/* What sites of @ev do, NULL for beginning and ending spans. */
static const char *role_of(enum recipe_event ev)
{
	if (ev == EVENT_UNWIND)
		return "unwind";
	if (ev == EVENT_COVER)
		return "cover";
	return ev == EVENT_CREATE || ev == EVENT_DISOWN ? "lineage" : NULL;
}

/* The probe for all sites of one role in one function: those found at @i and later. */
static void plan_probe(struct attempt *a, size_t i, bool *taken)
{
	const struct gofunc *f = a->found[i].func;
	const char *role = role_of(a->found[i].from->event);
	struct probe *pr = plan_add_probe(a->plan);

	if (!pr)
		return;
	pr->recipe = a->r->name;
	pr->span = a->span->span;
	pr->kind = a->span->kind;
	pr->scope = a->span->scope;
	pr->name = a->span->name;
	pr->traced_by = a->span->traced_by;
	pr->symbol = f->name;
	pr->entry = f->entry;
	pr->role = role;
	pr->pair_goroutine = a->span->pair_goroutine;
	pr->pair_object = a->span->pair_object;
	for (size_t j = i; j < a->n_found; j++) {
		const struct found *found = &a->found[j];
		struct plan_site *s;

		if (found->func != f || role_of(found->from->event) != role)
			continue;
		taken[j] = true;
		s = probe_add_site(a->plan, pr);
		if (!s)
			return;
		*s = (struct plan_site){ found->from->event, found->site, found->from->func };
	}
	if (plan_g(a, pr)) {
		attempt_fail(a, f->name, "offset-unknown");
		plan_drop_probe(a->plan);
		skip_span(a);
		return;
	}
	if (!finish_probe(a->b, a->plan, pr))
		return;
	plan_captures(a, pr);
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
			 const struct recipe_span *span, enum site_mode mode,
			 const struct planned *planned, struct plan *plan)
{
	struct attempt a = {
		.b = b, .plan = plan, .r = r, .span = span, .mode = mode, .planned = planned
	};
	struct attempt first = a;
	int ret = -ENOENT;

	for (size_t i = 0; ret && (i < span->n_tries || !i); i++) {
		a.try = span->n_tries ? &span->tries[i] : NULL;
		ret = run_attempt(&a);
		if (ret && (!first.reason || !first.symbol))
			first = a;
	}
	if (!ret)
		plan_probes(&a);
	else if (!span->optional || strcmp(first.reason, "not-found") != 0)
		skip_span(&first);
	free(a.found);
}

void resolve_recipe(const struct binary *b, const struct recipe *r, enum site_mode mode,
		    const struct planned *planned, struct plan *plan)
{
	size_t before = plan->n_probes;

	for (size_t i = 0; i < r->n_spans; i++)
		resolve_span(b, r, &r->spans[i], mode, planned, plan);
	if (r->n_contexts && plan->n_probes > before)
		plan_contexts(b, r, plan, &plan->probes[before]);
	if (r->n_foreign && plan->n_probes > before)
		plan_foreign(b, r, plan, &plan->probes[before]);
}
