// SPDX-License-Identifier: Apache-2.0
#include "recipe.h"

#include <stdlib.h>
#include <string.h>

#include "recipe_internal.h"

const char *const recipe_event_names[EVENT_COUNT] = { "begin", "end",	 "unwind",
						      "point", "create", "disown",
						      "cover", "again",	 "detach" };
const char *const recipe_at_names[] = { "entry", "ret", "call", "after", "tail" };

const char *recipe_event_name(enum recipe_event ev)
{
	return recipe_event_names[ev];
}

const char *recipe_at_name(enum site_at at)
{
	return recipe_at_names[at];
}

static void free_params(struct recipe_param *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(p[i].name);
		free(p[i].type);
	}
	free(p);
}

static void free_funcs(struct recipe_func *f, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(f[i].symbol);
		free_params(f[i].params, f[i].n_params);
		free_params(f[i].results, f[i].n_results);
	}
	free(f);
}

static void release_part(struct recipe_part *p)
{
	free_funcs(p->funcs, p->n_funcs);
	for (size_t i = 0; i < p->n_requires; i++) {
		free(p->requires[i].a);
		free(p->requires[i].b);
	}
	free(p->requires);
	for (size_t i = 0; i < p->n_sites; i++) {
		free(p->sites[i].func);
		free(p->sites[i].in);
		free(p->sites[i].when);
	}
	free(p->sites);
	for (size_t i = 0; i < p->n_captures; i++) {
		free(p->captures[i].name);
		free(p->captures[i].since);
		free(p->captures[i].before);
		free(p->captures[i].with);
		recipe_path_release(&p->captures[i].path);
	}
	free(p->captures);
	if (p->g)
		recipe_path_release(p->g);
	free(p->g);
}

static void release_span(struct recipe_span *s)
{
	free(s->span);
	free(s->kind);
	free(s->scope);
	free(s->traced_by);
	free(s->name);
	release_part(&s->common);
	for (size_t i = 0; i < s->n_tries; i++)
		release_part(&s->tries[i]);
	free(s->tries);
}

void recipe_free(struct recipe *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n_uses; i++)
		free(r->uses[i]);
	for (size_t i = 0; i < r->n_contexts; i++) {
		free(r->contexts[i].type);
		free(r->contexts[i].field);
	}
	free(r->contexts);
	for (size_t i = 0; i < r->n_holders; i++) {
		free(r->holders[i].type);
		free(r->holders[i].field);
	}
	free(r->holders);
	for (size_t i = 0; i < r->n_foreign; i++) {
		free(r->foreign[i].type);
		for (int j = 0; j < FOREIGN_PATHS; j++)
			free(r->foreign[i].path[j]);
	}
	free(r->foreign);
	free(r->uses);
	free_funcs(r->funcs, r->n_funcs);
	for (size_t i = 0; i < r->n_spans; i++)
		release_span(&r->spans[i]);
	free(r->spans);
	free(r->name);
	free(r->file);
	free(r);
}

static const struct recipe_func *in_list(const struct recipe_func *f, size_t n, const char *symbol)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(f[i].symbol, symbol))
			return &f[i];
	return NULL;
}

const struct recipe_func *recipe_func(const struct recipe *r, const struct recipe_span *s,
				      const struct recipe_part *p, const char *symbol)
{
	const struct recipe_func *f = p ? in_list(p->funcs, p->n_funcs, symbol) : NULL;

	if (!f && s)
		f = in_list(s->common.funcs, s->common.n_funcs, symbol);
	return f ? f : in_list(r->funcs, r->n_funcs, symbol);
}
