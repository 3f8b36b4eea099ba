// SPDX-License-Identifier: Apache-2.0
/* The statements of a span that may stand in one of its alternatives, and func. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "recipe_internal.h"

/* "in" or "within" and the function that calls, and for after "if [no] RESULT". */
static int parse_caller(struct parser *ps, struct recipe_site *s)
{
	struct word w = recipe_next_word(ps);
	int ret;

	s->within = word_is(w, "within");
	if (!s->within && !word_is(w, "in"))
		return recipe_bad_at(ps, w.s, "'in' or 'within' and a function are expected");
	ret = recipe_need_word(ps, "a function is expected after 'in'", &s->in);
	if (ret || s->at != SITE_AFTER || recipe_line_done(ps))
		return ret;
	w = recipe_next_word(ps);
	if (!word_is(w, "if"))
		return recipe_bad_word(ps, w, "'if' and a result, or nothing more, are expected");
	ret = recipe_need_word(ps, "a result is expected", &s->when);
	s->when_no = !ret && !strcmp(s->when, "no");
	if (!s->when_no)
		return ret;
	free(s->when);
	s->when = NULL;
	return recipe_need_word(ps, "a result is expected", &s->when);
}

int recipe_parse_site(struct parser *ps, enum recipe_event event)
{
	struct recipe_site *s = recipe_append(&ps->part->sites, &ps->part->n_sites, sizeof(*s));
	struct word w = recipe_next_word(ps);
	int at, ret;

	if (!s)
		return -ENOMEM;
	s->event = event;
	s->line = ps->line;
	s->many = word_is(w, "calls");
	at = s->many ? SITE_CALL : word_find(w, recipe_at_names, 4);
	if (at < 0)
		return recipe_bad_word(ps, w, "not a site (entry, ret, call, calls, after)");
	s->at = (enum site_at)at;
	ret = recipe_need_word(ps, "a function is expected", &s->func);
	if (!ret && (s->at == SITE_CALL || s->at == SITE_AFTER))
		ret = parse_caller(ps, s);
	return ret;
}

static int capture_option(struct parser *ps, struct recipe_capture *c)
{
	struct word w = recipe_next_word(ps);
	char **version = word_is(w, "since") ? &c->since : word_is(w, "before") ? &c->before : NULL;
	int at;

	if (version && *version)
		return recipe_bad_word(ps, w, "given twice");
	if (version)
		return recipe_need_version(ps, version);

	if (word_is(w, "max"))
		return recipe_need_number(ps, &c->max);
	if (word_is(w, "optional")) {
		c->optional = true;
		return 0;
	}
	if (word_is(w, "nonzero")) {
		c->nonzero = true;
		return 0;
	}
	if (word_is(w, "metric")) {
		c->metric = true;
		return 0;
	}
	if (word_is(w, "also")) {
		c->also = true;
		return 0;
	}
	if (word_is(w, "with"))
		return recipe_once(ps, w, "a recipe's name is expected", &c->with);
	if (!word_is(w, "at"))
		return recipe_bad_word(
			ps, w,
			"not an option of a capture (max, optional, nonzero, at, since, before, with, "
			"metric, also)");
	w = recipe_next_word(ps);
	at = word_find(w, recipe_at_names, 4);
	if (at < 0)
		return recipe_bad_word(ps, w, "not a site (entry, ret, call, after)");
	c->has_at = true;
	c->at = (enum site_at)at;
	return 0;
}

int recipe_parse_capture(struct parser *ps)
{
	struct recipe_capture *c = recipe_append(&ps->part->captures, &ps->part->n_captures,
						 sizeof(*c));
	struct word w = recipe_next_word(ps);
	int event = word_find(w, recipe_event_names, EVENT_COUNT);
	int ret;

	if (!c)
		return -ENOMEM;
	if (event < 0)
		return recipe_bad_word(
			ps, w,
			"not an event (begin, end, unwind, point, create, cover, again, detach)");
	c->event = (enum recipe_event)event;
	c->line = ps->line;
	c->max = 128;
	ret = recipe_need_word(ps, "a name is expected", &c->name);
	if (!ret)
		ret = recipe_need_path(ps, &c->path);
	while (!ret && !recipe_line_done(ps))
		ret = capture_option(ps, c);
	return ret;
}

static int parse_param(struct parser *ps, struct word w, struct recipe_param *out)
{
	size_t n = 0, type;

	while (n < w.n && !isspace((unsigned char)w.s[n]))
		n++;
	for (type = n; type < w.n && isspace((unsigned char)w.s[type]); type++)
		;
	if (!n || type == w.n)
		return recipe_bad_word(ps, w, "a parameter is a name and a type");
	if (word_copy((struct word){ w.s, n }, &out->name))
		return -ENOMEM;
	return word_copy((struct word){ w.s + type, w.n - type }, &out->type);
}

/* "(a T, b U)": splits at commas outside of any brackets. */
static int parse_params(struct parser *ps, struct recipe_param **out, size_t *n)
{
	struct word list = recipe_next_word(ps);
	const char *start = list.s + 1;
	int depth = 0, ret = 0;

	if (list.n < 2 || list.s[0] != '(' || list.s[list.n - 1] != ')')
		return recipe_bad_at(ps, list.s, "parameters in parentheses are expected");
	if (!word_trim(start, list.s + list.n - 1).n)
		return 0;
	for (const char *p = start; !ret && p < list.s + list.n; p++) {
		bool last = p == list.s + list.n - 1;

		if (last || (*p == ',' && !depth)) {
			struct recipe_param *param = recipe_append(out, n, sizeof(*param));

			ret = param ? parse_param(ps, word_trim(start, p), param) : -ENOMEM;
			start = p + 1;
		} else if (strchr("([{", *p)) {
			depth++;
		} else if (strchr(")]}", *p)) {
			depth--;
		}
	}
	return ret;
}

int recipe_parse_func(struct parser *ps)
{
	struct recipe_func *f;
	int ret;

	if (ps->part)
		f = recipe_append(&ps->part->funcs, &ps->part->n_funcs, sizeof(*f));
	else
		f = recipe_append(&ps->r->funcs, &ps->r->n_funcs, sizeof(*f));
	if (!f)
		return -ENOMEM;
	ret = recipe_need_word(ps, "a function is expected", &f->symbol);
	if (!ret)
		ret = parse_params(ps, &f->params, &f->n_params);
	if (!ret && !recipe_line_done(ps))
		ret = parse_params(ps, &f->results, &f->n_results);
	return ret;
}

int recipe_parse_require(struct parser *ps)
{
	static const char *const needs[] = { "func", "type", "field", "call", "go", "module" };
	struct recipe_require *q = recipe_append(&ps->part->requires, &ps->part->n_requires,
						 sizeof(*q));
	struct word w = recipe_next_word(ps);
	int need, ret;

	if (!q)
		return -ENOMEM;
	q->not = word_is(w, "no");
	if (q->not )
		w = recipe_next_word(ps);
	need = word_find(w, needs, 6);
	if (need < 0)
		return recipe_bad_word(ps, w,
				       "not a requirement (func, type, field, call, go, module)");
	q->need = (enum recipe_need)need;
	if (q->need == NEED_GO)
		return recipe_need_version(ps, &q->a);
	ret = recipe_need_word(ps, "a name is expected", &q->a);
	if (!ret && q->need == NEED_FIELD)
		ret = recipe_need_word(ps, "a field's name is expected", &q->b);
	if (!ret && q->need == NEED_CALL)
		ret = recipe_expect_in(ps, &q->b);
	if (!ret && q->need == NEED_MODULE && !recipe_line_done(ps))
		ret = recipe_need_version(ps, &q->b);
	return ret;
}
