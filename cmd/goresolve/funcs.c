// SPDX-License-Identifier: Apache-2.0
/* --func: any function, by name: when it begins and when it ends. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "resolve.h"

#define MAX_READ 500 /* functions whose parameters are read unasked */

/* The import path in a symbol: up to the first '.' after the last '/'. */
static char *package_of(const char *symbol)
{
	size_t end = strcspn(symbol, "[("), slash = 0, n, out = 0;
	char *scope;

	for (size_t i = 0; i < end; i++)
		if (symbol[i] == '/')
			slash = i;
	n = slash + strcspn(symbol + slash, ".");
	scope = malloc(n + 1);
	if (!scope)
		return NULL;
	for (size_t i = 0; i < n; out++) {
		/* The linker escapes dots and some other bytes (cmd/internal/objabi). */
		unsigned int byte;

		if (symbol[i] == '%' && i + 3 <= n && sscanf(symbol + i + 1, "%2x", &byte) == 1) {
			scope[out] = (char)byte;
			i += 3;
		} else {
			scope[out] = symbol[i++];
		}
	}
	scope[out] = '\0';
	return scope;
}

static bool add_site(struct plan *plan, struct probe *pr, enum recipe_event ev,
		     const struct site *site)
{
	struct plan_site *s = probe_add_site(plan, pr);

	if (!s)
		return false;
	s->event = ev;
	s->site = *site;
	s->subject = pr->symbol;
	return true;
}

/* The sites of one function. 0 or -errno of sites.h. */
static int function_sites(const struct code *c, bool first, struct plan *plan, struct probe *pr,
			  struct errinfo *e)
{
	struct site entry, *exits;
	int n = code_exits(c, NULL, 0, e);

	if (n < 0)
		return n;
	exits = calloc((size_t)n, sizeof(*exits));
	if (!exits)
		return plan->err = -ENOMEM;
	code_exits(c, exits, (size_t)n, e);
	code_entry(c, first, &entry);
	if (entry.refused) {
		free(exits);
		return errinfo_set(e, -EOPNOTSUPP,
				   "the kernel cannot probe the instruction at 0x%llx",
				   (unsigned long long)entry.addr);
	}
	if (exits[0].addr == entry.addr) {
		free(exits);
		return errinfo_set(e, -ENODATA, "its first instruction ends it");
	}
	if (add_site(plan, pr, EVENT_BEGIN, &entry))
		for (int i = 0; i < n; i++)
			add_site(plan, pr, EVENT_END, &exits[i]);
	free(exits);
	return 0;
}

static struct skip *skip_function(struct plan *plan, const char *symbol, const char *reason,
				  const char *detail)
{
	struct skip *k = plan_add_skip(plan);

	if (!k)
		return NULL;
	k->recipe = "func";
	k->span = "function";
	k->symbol = symbol;
	k->reason = reason;
	snprintf(k->detail, sizeof(k->detail), "%s", detail);
	return k;
}

static bool plan_function(const struct binary *b, const struct gofunc *f, const struct request *rq,
			  struct plan *plan)
{
	struct errinfo e = { .text = "" };
	struct code *code = NULL;
	struct probe *pr;
	int ret;

	if (f->abi0) {
		skip_function(plan, f->name, "abi0", "the g register holds no g in assembly");
		return false;
	}
	pr = plan_add_probe(plan);
	if (!pr)
		return false;
	pr->recipe = "func";
	pr->span = "function";
	pr->kind = "internal";
	pr->name = pr->symbol = f->name;
	pr->owned_scope = package_of(f->name);
	if (!pr->owned_scope)
		plan->err = -ENOMEM;
	pr->scope = pr->owned_scope;
	pr->entry = f->entry;
	ret = binary_code(b, f, &code, &e);
	if (!ret)
		ret = function_sites(code, rq->mode == SITES_FIRST, plan, pr, &e);
	code_free(code);
	if (ret) {
		plan_drop_probe(plan);
		skip_function(plan, f->name, code_reason(ret), e.text);
		return false;
	}
	if (!finish_probe(b, plan, pr))
		return false;
	plan_args(b, f, &rq->args, plan, pr);
	return true;
}

static bool wanted(const struct request *rq, const struct gofunc *f, bool *matched)
{
	bool yes = false;

	for (size_t i = 0; i < rq->n_patterns; i++) {
		if (f->wrapper || !gofuncs_match(rq->patterns[i], f->name))
			continue;
		matched[i] = true;
		yes = true;
	}
	return yes;
}

/* The matching functions that no longer have a body. */
static bool skip_bodiless(const struct binary *b, const char *pattern, struct plan *plan)
{
	const struct inlined_name *names;
	size_t n = inlining_names(b->inlining, &names);
	const struct gofunc *f;
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		struct skip *k;

		if (!gofuncs_match(pattern, names[i].name) ||
		    gofuncs_find(b->funcs, names[i].name, &f, 1))
			continue;
		any = true;
		k = skip_function(plan, names[i].name, NULL, "");
		if (k)
			skip_inlined(k, &names[i]);
	}
	return any;
}

static void skip_pattern(const struct binary *b, const char *pattern, struct plan *plan)
{
	diag(DIAG_WARNING, "%s: --func '%s' matches no function", b->path, pattern);
	skip_function(plan, pattern, "not-found",
		      inlining_error(b->inlining)[0]
			      ? "no function of this name has code of its own (it may be inlined)"
			      : "no function has this name, and none was inlined");
}

/*
 * Reading whatever fits at thousands of functions is nothing that anybody wants to
 * wait for: there are the times of the calls, and what --capture names.
 */
static void limit_args(const struct binary *b, struct args_request *args, size_t n)
{
	if (n <= MAX_READ)
		return;
	args->limited = true;
	if (args->none)
		return;
	diag(DIAG_NOTE, "%s: %zu functions match: no parameters are read but those of --capture",
	     b->path, n);
	args->none = true;
}

static void hand_over(const struct binary *b, const struct request *rq, struct plan *plan)
{
	if (!rq->take || plan->err)
		return;
	rq->take(rq->ctx, b, plan);
	plan_drain(plan);
}

size_t resolve_funcs(const struct binary *b, const struct request *rq, struct plan *plan)
{
	size_t n = gofuncs_count(b->funcs), n_wanted = 0, planned = 0;
	bool *matched = calloc(rq->n_patterns + 1, sizeof(*matched));
	struct request limited = *rq;

	if (!matched) {
		plan->err = -ENOMEM;
		return 0;
	}
	for (size_t i = 0; rq->n_patterns && i < n; i++)
		n_wanted += wanted(rq, gofuncs_get(b->funcs, i), matched);
	limit_args(b, &limited.args, n_wanted);
	if (rq->most && n_wanted > rq->most)
		n_wanted = rq->most;
	for (size_t i = 0; n_wanted && i < n; i++) {
		if (!wanted(rq, gofuncs_get(b->funcs, i), matched))
			continue;
		n_wanted--;
		planned += plan_function(b, gofuncs_get(b->funcs, i), &limited, plan);
		hand_over(b, rq, plan);
	}
	for (size_t i = 0; i < rq->n_patterns; i++)
		if (!skip_bodiless(b, rq->patterns[i], plan) && !matched[i])
			skip_pattern(b, rq->patterns[i], plan);
	free(matched);
	return planned;
}
