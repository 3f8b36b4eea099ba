// SPDX-License-Identifier: Apache-2.0
/* The statements of a recipe and of a span, and what a whole recipe must have. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "recipe_internal.h"

static int parse_span(struct parser *ps)
{
	struct recipe_span *s = recipe_append(&ps->r->spans, &ps->r->n_spans, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->line = ps->line;
	s->common.line = ps->line;
	ps->span = s;
	ps->part = &s->common;
	return recipe_need_word(ps, "a type of span is expected", &s->span);
}

static int parse_try(struct parser *ps)
{
	struct recipe_part *t = recipe_append(&ps->span->tries, &ps->span->n_tries, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->line = ps->line;
	ps->part = t;
	return 0;
}

static int parse_kind(struct parser *ps, struct word key)
{
	static const char *const kinds[] = { "server", "client", "internal", "producer",
					     "consumer" };
	struct word w = recipe_next_word(ps);

	if (ps->span->kind)
		return recipe_bad_word(ps, key, "given twice");
	if (word_find(w, kinds, 5) < 0)
		return recipe_bad_word(ps, w,
				       "not a kind (server, client, internal, producer, consumer)");
	return word_copy(w, &ps->span->kind);
}

static int parse_pair(struct parser *ps)
{
	struct word w = recipe_next_word(ps);

	if (!word_is(w, "depth") && !word_is(w, "goroutine") && !word_is(w, "object"))
		return recipe_bad_word(ps, w, "not a pairing (depth, goroutine, object)");
	ps->span->pair_goroutine = word_is(w, "goroutine");
	ps->span->pair_object = word_is(w, "object");
	return 0;
}

/* The rest of the line, for a span's name. */
static int parse_name(struct parser *ps, struct word key)
{
	struct word w;

	if (ps->span->name)
		return recipe_bad_word(ps, key, "given twice");
	w = word_trim(ps->p, ps->end);
	if (!w.n)
		return recipe_bad_at(ps, ps->end, "a name is expected");
	ps->p = ps->end;
	return word_copy(w, &ps->span->name);
}

static int parse_g(struct parser *ps, struct word key)
{
	if (ps->part->g)
		return recipe_bad_word(ps, key, "given twice");
	ps->part->g = calloc(1, sizeof(*ps->part->g));
	return ps->part->g ? recipe_need_path(ps, ps->part->g) : -ENOMEM;
}

static int span_statement(struct parser *ps, struct word key)
{
	int event = word_find(key, recipe_event_names, EVENT_COUNT);

	if (!ps->span)
		return recipe_bad_word(ps, key, "not a statement in front of the first 'span'");
	if (event >= 0)
		return recipe_parse_site(ps, (enum recipe_event)event);
	if (word_is(key, "capture"))
		return recipe_parse_capture(ps);
	if (word_is(key, "require"))
		return recipe_parse_require(ps);
	if (word_is(key, "try"))
		return parse_try(ps);
	if (word_is(key, "g"))
		return parse_g(ps, key);
	if (word_is(key, "kind"))
		return parse_kind(ps, key);
	if (word_is(key, "scope"))
		return recipe_once(ps, key, "an import path is expected", &ps->span->scope);
	if (word_is(key, "traced-by"))
		return recipe_once(ps, key, "a scope is expected", &ps->span->traced_by);
	if (word_is(key, "name"))
		return parse_name(ps, key);
	if (word_is(key, "pair"))
		return parse_pair(ps);
	if (word_is(key, "optional")) {
		ps->span->optional = true;
		return 0;
	}
	return recipe_bad_word(ps, key, "not a statement");
}

static int parse_contexts(struct parser *ps)
{
	struct recipe_context *c = recipe_append(&ps->r->contexts, &ps->r->n_contexts, sizeof(*c));
	int ret = c ? recipe_need_word(ps, "a type is expected", &c->type) : -ENOMEM;

	return ret || recipe_line_done(ps) ? ret
					   : recipe_need_word(ps, "a field is expected", &c->field);
}

static int parse_holder(struct parser *ps)
{
	struct recipe_context *c = recipe_append(&ps->r->holders, &ps->r->n_holders, sizeof(*c));
	int ret = c ? recipe_need_word(ps, "a type is expected", &c->type) : -ENOMEM;

	return ret ? ret : recipe_need_word(ps, "a field is expected", &c->field);
}

static int parse_foreign(struct parser *ps)
{
	struct recipe_foreign *f = recipe_append(&ps->r->foreign, &ps->r->n_foreign, sizeof(*f));
	int ret = f ? recipe_need_word(ps, "a type is expected", &f->type) : -ENOMEM;

	for (int i = 0; !ret && i < FOREIGN_PATHS; i++)
		ret = recipe_need_word(
			ps, "the fields of trace id, span id, flags, kind and scope are expected",
			&f->path[i]);
	return ret;
}

static int statement(struct parser *ps, struct word key)
{
	char **use;

	if (word_is(key, "recipe"))
		return recipe_once(ps, key, "the recipe's name is expected", &ps->r->name);
	if (!ps->r->name)
		return recipe_bad_at(ps, key.s, "the first statement must be 'recipe NAME'");
	if (word_is(key, "on-demand")) {
		ps->r->on_demand = true;
		return 0;
	}
	if (word_is(key, "use")) {
		use = recipe_append(&ps->r->uses, &ps->r->n_uses, sizeof(*use));
		return use ? recipe_need_word(ps, "a recipe's name is expected", use) : -ENOMEM;
	}
	if (word_is(key, "contexts"))
		return parse_contexts(ps);
	if (word_is(key, "context-values"))
		return parse_holder(ps);
	if (word_is(key, "foreign-span"))
		return parse_foreign(ps);
	if (word_is(key, "func"))
		return recipe_parse_func(ps);
	if (word_is(key, "span"))
		return parse_span(ps);
	return span_statement(ps, key);
}

static int parse_line(struct parser *ps)
{
	struct word key;
	int ret;

	if (recipe_line_done(ps))
		return 0;
	key = recipe_next_word(ps);
	ret = statement(ps, key);
	if (!ret && !recipe_line_done(ps))
		ret = recipe_bad_word(ps, recipe_next_word(ps), "nothing more is expected here");
	return ret;
}

static bool declares(const struct recipe_func *f, size_t n, const char *param)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < f[i].n_params; j++)
			if (!strcmp(f[i].params[j].name, param))
				return true;
		for (size_t j = 0; j < f[i].n_results; j++)
			if (!strcmp(f[i].results[j].name, param))
				return true;
	}
	return false;
}

static bool declared_in(const struct recipe *r, const struct recipe_span *s, const char *param)
{
	bool any = declares(r->funcs, r->n_funcs, param) ||
		   declares(s->common.funcs, s->common.n_funcs, param);

	for (size_t i = 0; !any && i < s->n_tries; i++)
		any = declares(s->tries[i].funcs, s->tries[i].n_funcs, param);
	return any;
}

/* A path that begins with a name that nothing declares is a slip. */
static int check_path(struct parser *ps, const struct recipe_span *s, const struct recipe_path *p)
{
	if (p->root != ROOT_PARAM || declared_in(ps->r, s, p->param))
		return 0;
	return errinfo_set(ps->e, -EINVAL, "%s:%u:%u: no 'func' declares a parameter '%s'",
			   ps->file, p->line, p->column, p->param);
}

static int check_part(struct parser *ps, const struct recipe_span *s, const struct recipe_part *p)
{
	int ret = p->g ? check_path(ps, s, p->g) : 0;

	for (size_t i = 0; !ret && i < p->n_captures; i++)
		ret = check_path(ps, s, &p->captures[i].path);
	return ret;
}

static int check_paths(struct parser *ps, const struct recipe_span *s)
{
	int ret = check_part(ps, s, &s->common);

	for (size_t i = 0; !ret && i < s->n_tries; i++)
		ret = check_part(ps, s, &s->tries[i]);
	return ret;
}

/* What a whole recipe must have. */
static int check(struct parser *ps)
{
	const struct recipe *r = ps->r;

	if (!r->name)
		return errinfo_set(ps->e, -EINVAL, "%s:1:1: the recipe is empty", ps->file);
	for (size_t i = 0; i < r->n_spans; i++) {
		const struct recipe_span *s = &r->spans[i];
		size_t sites = s->common.n_sites;
		int ret;

		for (size_t j = 0; j < s->n_tries; j++)
			sites += s->tries[j].n_sites;
		if (!sites)
			return errinfo_set(ps->e, -EINVAL, "%s:%u:1: the span '%s' has no sites",
					   ps->file, s->line, s->span);
		if (!s->kind || !s->scope)
			return errinfo_set(ps->e, -EINVAL,
					   "%s:%u:1: the span '%s' needs 'kind' and 'scope'",
					   ps->file, s->line, s->span);
		ret = check_paths(ps, s);
		if (ret)
			return ret;
	}
	return 0;
}

int recipe_parse(const char *file, const char *text, size_t len, struct recipe **out,
		 struct errinfo *e)
{
	struct parser ps = { .file = file, .e = e };
	const char *end = text + len;
	int ret = 0;

	if (len > RECIPE_MAX_SIZE)
		return errinfo_set(e, -E2BIG, "%s:1:1: larger than a recipe may be", file);
	ps.r = calloc(1, sizeof(*ps.r));
	if (!ps.r)
		return -ENOMEM;
	ps.r->file = strdup(file);
	if (!ps.r->file)
		ret = -ENOMEM;
	while (!ret && text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));

		ps.line++;
		ps.line_start = ps.p = text;
		ps.end = nl ? nl : end;
		if (memchr(text, '\0', (size_t)(ps.end - text)))
			ret = recipe_bad_at(&ps, memchr(text, '\0', (size_t)(ps.end - text)),
					    "a NUL byte");
		else
			ret = parse_line(&ps);
		text = nl ? nl + 1 : end;
	}
	if (!ret)
		ret = check(&ps);
	if (ret)
		recipe_free(ps.r);
	else
		*out = ps.r;
	return ret;
}
