// SPDX-License-Identifier: Apache-2.0
#include "recipe.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "goversion.h"

#define MAX_TEXT 65536 /* bytes of text that a capture may ask for */

static const char *const event_names[] = { "begin", "end", "unwind", "point", "create", "disown" };
static const char *const at_names[] = { "entry", "ret", "call", "after", "tail" };

const char *recipe_event_name(enum recipe_event ev)
{
	return event_names[ev];
}

const char *recipe_at_name(enum site_at at)
{
	return at_names[at];
}

/* A piece of a line. */
struct word {
	const char *s;
	size_t n;
};

struct parser {
	const char *file;
	const char *line_start, *p, *end; /* of the current line */
	unsigned int line;
	struct errinfo *e;
	struct recipe *r;
	struct recipe_span *span; /* current, or NULL */
	struct recipe_part *part; /* current: common or the last try */
};

static int bad_at(struct parser *ps, const char *at, const char *why)
{
	return errinfo_set(ps->e, -EINVAL, "%s:%u:%u: %s", ps->file, ps->line,
			   (unsigned int)(at - ps->line_start) + 1, why);
}

static int bad_word(struct parser *ps, struct word w, const char *why)
{
	int n = w.n > 40 ? 40 : (int)w.n;

	return errinfo_set(ps->e, -EINVAL, "%s:%u:%u: %s: '%.*s'", ps->file, ps->line,
			   (unsigned int)(w.s - ps->line_start) + 1, why, n, w.s);
}

/* Appends a zeroed element to an array that is grown by one; NULL without memory. */
static void *append(void *array, size_t *n, size_t size)
{
	void **base = array;
	char *grown = realloc(*base, (*n + 1) * size);

	if (!grown)
		return NULL;
	*base = grown;
	memset(grown + *n * size, 0, size);
	return grown + (*n)++ * size;
}

static void skip_space(struct parser *ps)
{
	while (ps->p < ps->end && isspace((unsigned char)*ps->p))
		ps->p++;
}

static bool line_done(struct parser *ps)
{
	skip_space(ps);
	return ps->p == ps->end || *ps->p == '#';
}

/* The next word: up to white space outside of (), [] and "". */
static struct word next_word(struct parser *ps)
{
	struct word w = { ps->p, 0 };
	bool quoted = false;
	int depth = 0;

	if (line_done(ps)) {
		w.s = ps->p;
		return w;
	}
	w.s = ps->p;
	for (; ps->p < ps->end; ps->p++) {
		char ch = *ps->p;

		if (ch == '"')
			quoted = !quoted;
		else if (!quoted && (ch == '(' || ch == '['))
			depth++;
		else if (!quoted && (ch == ')' || ch == ']'))
			depth--;
		else if (!quoted && depth <= 0 && isspace((unsigned char)ch))
			break;
	}
	w.n = (size_t)(ps->p - w.s);
	return w;
}

static bool is(struct word w, const char *s)
{
	return w.n == strlen(s) && !memcmp(w.s, s, w.n);
}

static int find_name(struct word w, const char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		if (is(w, names[i]))
			return i;
	return -1;
}

static int copy(struct word w, char **out)
{
	*out = strndup(w.s, w.n);
	return *out ? 0 : -ENOMEM;
}

/* A word that must be there. */
static int need_word(struct parser *ps, const char *what, char **out)
{
	struct word w = next_word(ps);

	if (!w.n)
		return bad_at(ps, w.s, what);
	return copy(w, out);
}

/* A word that may be given once. */
static int once(struct parser *ps, struct word key, const char *what, char **out)
{
	if (*out)
		return bad_word(ps, key, "given twice");
	return need_word(ps, what, out);
}

static int expect_in(struct parser *ps, char **out)
{
	struct word w = next_word(ps);

	if (!is(w, "in"))
		return bad_at(ps, w.s, "'in' and a function are expected");
	return need_word(ps, "a function is expected after 'in'", out);
}

static int parse_site(struct parser *ps, enum recipe_event event)
{
	struct recipe_site *s = append(&ps->part->sites, &ps->part->n_sites, sizeof(*s));
	struct word w = next_word(ps);
	int at, ret;

	if (!s)
		return -ENOMEM;
	s->event = event;
	s->line = ps->line;
	s->many = is(w, "calls");
	at = s->many ? SITE_CALL : find_name(w, at_names, 4);
	if (at < 0)
		return bad_word(ps, w, "not a site (entry, ret, call, calls, after)");
	s->at = (enum site_at)at;
	ret = need_word(ps, "a function is expected", &s->func);
	if (!ret && (s->at == SITE_CALL || s->at == SITE_AFTER))
		ret = expect_in(ps, &s->in);
	return ret;
}

static int parse_number(struct parser *ps, unsigned int *out)
{
	struct word w = next_word(ps);
	unsigned long n = 0;

	for (size_t i = 0; i < w.n; i++) {
		if (!isdigit((unsigned char)w.s[i]) || n > MAX_TEXT)
			return bad_word(ps, w, "not a number from 1 to 65536");
		n = n * 10 + (unsigned long)(w.s[i] - '0');
	}
	if (!n || n > MAX_TEXT)
		return bad_word(ps, w, "not a number from 1 to 65536");
	*out = (unsigned int)n;
	return 0;
}

/* A version that can be compared. */
static int need_version(struct parser *ps, char **out)
{
	struct goversion v;
	struct word w;
	int ret;

	line_done(ps);
	w.s = ps->p;
	ret = need_word(ps, "a version is expected", out);
	if (!ret && goversion_parse(*out, &v)) {
		w.n = strlen(*out);
		ret = bad_word(ps, w, "not a version");
	}
	return ret;
}

static int parse_path(struct parser *ps, struct recipe_path *out);

static int capture_condition(struct parser *ps, struct word key, struct recipe_capture *c)
{
	if (c->when)
		return bad_word(ps, key, "given twice");
	c->when = calloc(1, sizeof(*c->when));
	return c->when ? parse_path(ps, c->when) : -ENOMEM;
}

static int capture_option(struct parser *ps, struct recipe_capture *c)
{
	struct word w = next_word(ps);
	char **version = is(w, "since") ? &c->since : is(w, "before") ? &c->before : NULL;
	int at;

	if (version && *version)
		return bad_word(ps, w, "given twice");
	if (version)
		return need_version(ps, version);

	if (is(w, "max"))
		return parse_number(ps, &c->max);
	if (is(w, "optional")) {
		c->optional = true;
		return 0;
	}
	if (is(w, "nonzero")) {
		c->nonzero = true;
		return 0;
	}
	if (is(w, "also")) {
		c->also = true;
		return 0;
	}
	if (is(w, "if"))
		return capture_condition(ps, w, c);
	if (is(w, "with"))
		return once(ps, w, "a recipe's name is expected", &c->with);
	if (!is(w, "at"))
		return bad_word(
			ps, w,
			"not an option of a capture (max, optional, nonzero, at, since, before, with, also, if)");
	w = next_word(ps);
	at = find_name(w, at_names, 4);
	if (at < 0)
		return bad_word(ps, w, "not a site (entry, ret, call, after)");
	c->has_at = true;
	c->at = (enum site_at)at;
	return 0;
}

static int parse_path(struct parser *ps, struct recipe_path *out)
{
	struct word w = next_word(ps);

	if (!w.n)
		return bad_at(ps, w.s, "a path is expected");
	return recipe_path_parse(ps->file, ps->line, (unsigned int)(w.s - ps->line_start) + 1, w.s,
				 w.n, out, ps->e);
}

static int parse_capture(struct parser *ps)
{
	struct recipe_capture *c = append(&ps->part->captures, &ps->part->n_captures, sizeof(*c));
	struct word w = next_word(ps);
	int event = find_name(w, event_names, EVENT_COUNT);
	int ret;

	if (!c)
		return -ENOMEM;
	if (event < 0)
		return bad_word(ps, w, "not an event (begin, end, unwind, point, create)");
	c->event = (enum recipe_event)event;
	c->line = ps->line;
	c->max = 128;
	ret = need_word(ps, "a name is expected", &c->name);
	if (!ret)
		ret = parse_path(ps, &c->path);
	while (!ret && !line_done(ps))
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
		return bad_word(ps, w, "a parameter is a name and a type");
	if (copy((struct word){ w.s, n }, &out->name))
		return -ENOMEM;
	return copy((struct word){ w.s + type, w.n - type }, &out->type);
}

static struct word trim(const char *s, const char *end)
{
	while (s < end && isspace((unsigned char)*s))
		s++;
	while (end > s && isspace((unsigned char)end[-1]))
		end--;
	return (struct word){ s, (size_t)(end - s) };
}

/* "(a T, b U)": splits at commas outside of any brackets. */
static int parse_params(struct parser *ps, struct recipe_param **out, size_t *n)
{
	struct word list = next_word(ps);
	const char *start = list.s + 1;
	int depth = 0, ret = 0;

	if (list.n < 2 || list.s[0] != '(' || list.s[list.n - 1] != ')')
		return bad_at(ps, list.s, "parameters in parentheses are expected");
	if (!trim(start, list.s + list.n - 1).n)
		return 0;
	for (const char *p = start; !ret && p < list.s + list.n; p++) {
		bool last = p == list.s + list.n - 1;

		if (last || (*p == ',' && !depth)) {
			struct recipe_param *param = append(out, n, sizeof(*param));

			ret = param ? parse_param(ps, trim(start, p), param) : -ENOMEM;
			start = p + 1;
		} else if (strchr("([{", *p)) {
			depth++;
		} else if (strchr(")]}", *p)) {
			depth--;
		}
	}
	return ret;
}

static int parse_func(struct parser *ps)
{
	struct recipe_func *f;
	int ret;

	if (ps->part)
		f = append(&ps->part->funcs, &ps->part->n_funcs, sizeof(*f));
	else
		f = append(&ps->r->funcs, &ps->r->n_funcs, sizeof(*f));
	if (!f)
		return -ENOMEM;
	ret = need_word(ps, "a function is expected", &f->symbol);
	if (!ret)
		ret = parse_params(ps, &f->params, &f->n_params);
	if (!ret && !line_done(ps))
		ret = parse_params(ps, &f->results, &f->n_results);
	return ret;
}

static int parse_require(struct parser *ps)
{
	static const char *const needs[] = { "func", "type", "field", "call", "go", "module" };
	struct recipe_require *q = append(&ps->part->requires, &ps->part->n_requires, sizeof(*q));
	struct word w = next_word(ps);
	int need, ret;

	if (!q)
		return -ENOMEM;
	q->not = is(w, "no");
	if (q->not )
		w = next_word(ps);
	need = find_name(w, needs, 6);
	if (need < 0)
		return bad_word(ps, w, "not a requirement (func, type, field, call, go, module)");
	q->need = (enum recipe_need)need;
	if (q->need == NEED_GO)
		return need_version(ps, &q->a);
	ret = need_word(ps, "a name is expected", &q->a);
	if (!ret && q->need == NEED_FIELD)
		ret = need_word(ps, "a field's name is expected", &q->b);
	if (!ret && q->need == NEED_CALL)
		ret = expect_in(ps, &q->b);
	if (!ret && q->need == NEED_MODULE && !line_done(ps))
		ret = need_version(ps, &q->b);
	return ret;
}

static int parse_span(struct parser *ps)
{
	struct recipe_span *s = append(&ps->r->spans, &ps->r->n_spans, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->line = ps->line;
	s->common.line = ps->line;
	ps->span = s;
	ps->part = &s->common;
	return need_word(ps, "a type of span is expected", &s->span);
}

static int parse_try(struct parser *ps)
{
	struct recipe_part *t = append(&ps->span->tries, &ps->span->n_tries, sizeof(*t));

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
	struct word w = next_word(ps);

	if (ps->span->kind)
		return bad_word(ps, key, "given twice");
	if (find_name(w, kinds, 5) < 0)
		return bad_word(ps, w, "not a kind (server, client, internal, producer, consumer)");
	return copy(w, &ps->span->kind);
}

static int parse_pair(struct parser *ps)
{
	struct word w = next_word(ps);

	if (!is(w, "depth") && !is(w, "goroutine"))
		return bad_word(ps, w, "not a pairing (depth, goroutine)");
	ps->span->pair_goroutine = is(w, "goroutine");
	return 0;
}

/* The rest of the line, for a span's name. */
static int parse_name(struct parser *ps, struct word key)
{
	struct word w;

	if (ps->span->name)
		return bad_word(ps, key, "given twice");
	w = trim(ps->p, ps->end);
	if (!w.n)
		return bad_at(ps, ps->end, "a name is expected");
	ps->p = ps->end;
	return copy(w, &ps->span->name);
}

static int parse_g(struct parser *ps, struct word key)
{
	if (ps->part->g)
		return bad_word(ps, key, "given twice");
	ps->part->g = calloc(1, sizeof(*ps->part->g));
	return ps->part->g ? parse_path(ps, ps->part->g) : -ENOMEM;
}

static int span_statement(struct parser *ps, struct word key)
{
	int event = find_name(key, event_names, EVENT_COUNT);

	if (!ps->span)
		return bad_word(ps, key, "not a statement in front of the first 'span'");
	if (event >= 0)
		return parse_site(ps, (enum recipe_event)event);
	if (is(key, "capture"))
		return parse_capture(ps);
	if (is(key, "require"))
		return parse_require(ps);
	if (is(key, "try"))
		return parse_try(ps);
	if (is(key, "g"))
		return parse_g(ps, key);
	if (is(key, "kind"))
		return parse_kind(ps, key);
	if (is(key, "scope"))
		return once(ps, key, "an import path is expected", &ps->span->scope);
	if (is(key, "name"))
		return parse_name(ps, key);
	if (is(key, "pair"))
		return parse_pair(ps);
	if (is(key, "optional")) {
		ps->span->optional = true;
		return 0;
	}
	return bad_word(ps, key, "not a statement");
}

static int parse_contexts(struct parser *ps)
{
	struct recipe_context *c = append(&ps->r->contexts, &ps->r->n_contexts, sizeof(*c));
	int ret = c ? need_word(ps, "a type is expected", &c->type) : -ENOMEM;

	return ret || line_done(ps) ? ret : need_word(ps, "a field is expected", &c->field);
}

static int statement(struct parser *ps, struct word key)
{
	char **use;

	if (is(key, "recipe"))
		return once(ps, key, "the recipe's name is expected", &ps->r->name);
	if (!ps->r->name)
		return bad_at(ps, key.s, "the first statement must be 'recipe NAME'");
	if (is(key, "on-demand")) {
		ps->r->on_demand = true;
		return 0;
	}
	if (is(key, "use")) {
		use = append(&ps->r->uses, &ps->r->n_uses, sizeof(*use));
		return use ? need_word(ps, "a recipe's name is expected", use) : -ENOMEM;
	}
	if (is(key, "contexts"))
		return parse_contexts(ps);
	if (is(key, "func"))
		return parse_func(ps);
	if (is(key, "span"))
		return parse_span(ps);
	return span_statement(ps, key);
}

static int parse_line(struct parser *ps)
{
	struct word key;
	int ret;

	if (line_done(ps))
		return 0;
	key = next_word(ps);
	ret = statement(ps, key);
	if (!ret && !line_done(ps))
		ret = bad_word(ps, next_word(ps), "nothing more is expected here");
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

	for (size_t i = 0; !ret && i < p->n_captures; i++) {
		ret = check_path(ps, s, &p->captures[i].path);
		if (!ret && p->captures[i].when)
			ret = check_path(ps, s, p->captures[i].when);
	}
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
			ret = bad_at(&ps, memchr(text, '\0', (size_t)(ps.end - text)),
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
	}
	free(p->sites);
	for (size_t i = 0; i < p->n_captures; i++) {
		free(p->captures[i].name);
		free(p->captures[i].since);
		free(p->captures[i].before);
		free(p->captures[i].with);
		if (p->captures[i].when)
			recipe_path_release(p->captures[i].when);
		free(p->captures[i].when);
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
