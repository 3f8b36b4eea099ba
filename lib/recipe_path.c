// SPDX-License-Identifier: Apache-2.0
/* Typed paths: req.Header["Traceparent"][0], (kept0 as *net/http.response).status */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "recipe.h"

#define MAX_NEST  8
#define MAX_STEPS 32

struct cursor {
	const char *file, *start, *p, *end;
	unsigned int line, column; /* of start */
	struct errinfo *e;
};

static int bad(const struct cursor *c, const char *why)
{
	return errinfo_set(c->e, -EINVAL, "%s:%u:%u: %s", c->file, c->line,
			   c->column + (unsigned int)(c->p - c->start), why);
}

static bool at_end(const struct cursor *c)
{
	return c->p == c->end;
}

static bool take(struct cursor *c, char ch)
{
	if (at_end(c) || *c->p != ch)
		return false;
	c->p++;
	return true;
}

static void skip_space(struct cursor *c)
{
	while (!at_end(c) && (*c->p == ' ' || *c->p == '\t'))
		c->p++;
}

static bool is_ident(char ch)
{
	return isalnum((unsigned char)ch) || ch == '_' || (ch & 0x80);
}

static size_t ident_len(const struct cursor *c)
{
	size_t n = 0;

	if (!at_end(c) && isdigit((unsigned char)*c->p))
		return 0;
	while (c->p + n < c->end && is_ident(c->p[n]))
		n++;
	return n;
}

static int add_step(struct recipe_path *path, enum recipe_step_kind kind, const char *s, size_t n,
		    uint32_t index)
{
	struct recipe_step *steps;
	char *text = s ? strndup(s, n) : NULL;

	if (s && !text)
		return -ENOMEM;
	steps = realloc(path->steps, (path->n_steps + 1) * sizeof(*steps));
	if (!steps) {
		free(text);
		return -ENOMEM;
	}
	path->steps = steps;
	steps[path->n_steps++] = (struct recipe_step){ .kind = kind, .text = text, .index = index };
	return 0;
}

/* A type up to the ')' that closes what encloses it. */
static int type_step(struct cursor *c, struct recipe_path *path, enum recipe_step_kind kind)
{
	const char *start, *end;
	int depth = 0;

	skip_space(c);
	start = c->p;
	for (; !at_end(c); c->p++) {
		if (*c->p == '(')
			depth++;
		else if (*c->p == ')' && depth-- == 0)
			break;
	}
	if (at_end(c))
		return bad(c, "missing ')' after a type");
	end = c->p++;
	while (end > start && isspace((unsigned char)end[-1]))
		end--;
	if (end == start) {
		c->p--;
		return bad(c, "a type is expected");
	}
	return add_step(path, kind, start, (size_t)(end - start), 0);
}

static int key_step(struct cursor *c, struct recipe_path *path)
{
	const char *start = c->p;

	while (!at_end(c) && *c->p != '"' && *c->p != '\\')
		c->p++;
	if (at_end(c) || *c->p == '\\')
		return bad(c, "a key ends with '\"' and holds no backslash");
	c->p++;
	if (!take(c, ']'))
		return bad(c, "']' is expected");
	return add_step(path, STEP_KEY, start, (size_t)(c->p - 2 - start), 0);
}

static int index_step(struct cursor *c, struct recipe_path *path)
{
	uint64_t n = 0;
	const char *start = c->p;

	for (; !at_end(c) && isdigit((unsigned char)*c->p); c->p++) {
		n = n * 10 + (uint64_t)(*c->p - '0');
		if (n > UINT32_MAX)
			return bad(c, "the index is too large");
	}
	if (c->p == start)
		return bad(c, "an index or a key in double quotes is expected");
	if (!take(c, ']'))
		return bad(c, "']' is expected");
	return add_step(path, STEP_INDEX, NULL, 0, (uint32_t)n);
}

static int field_step(struct cursor *c, struct recipe_path *path)
{
	size_t n;
	int ret;

	if (take(c, '('))
		return type_step(c, path, STEP_ASSERT);
	n = ident_len(c);
	if (!n)
		return bad(c, "a field's name is expected after '.'");
	ret = add_step(path, STEP_FIELD, c->p, n, 0);
	c->p += n;
	return ret;
}

static int path_expr(struct cursor *c, struct recipe_path *path, int nest);

/* After "(": PATH as TYPE ")" */
static int as_expr(struct cursor *c, struct recipe_path *path, int nest)
{
	int ret;

	skip_space(c);
	ret = path_expr(c, path, nest + 1);
	if (ret)
		return ret;
	skip_space(c);
	if (c->end - c->p < 3 || strncmp(c->p, "as", 2) || is_ident(c->p[2]))
		return bad(c, "'as' and a type are expected");
	c->p += 2;
	return type_step(c, path, STEP_AS);
}

/* Behind '"'. */
static int const_text(struct cursor *c, struct recipe_path *path)
{
	const char *start = c->p;

	while (!at_end(c) && *c->p != '"' && *c->p != '\\')
		c->p++;
	if (at_end(c) || *c->p == '\\')
		return bad(c, "a text ends with '\"' and holds no backslash");
	path->root = ROOT_CONST;
	path->constant = CONST_TEXT;
	path->param = strndup(start, (size_t)(c->p - start));
	c->p++;
	return path->param ? 0 : -ENOMEM;
}

static int const_number(struct cursor *c, struct recipe_path *path)
{
	bool negative = take(c, '-');
	const char *start = c->p;
	uint64_t n = 0;

	for (; !at_end(c) && isdigit((unsigned char)*c->p); c->p++) {
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*c->p - '0'), &n) || n > INT64_MAX)
			return bad(c, "the number is too large");
	}
	if (c->p == start)
		return bad(c, "a number is expected after '-'");
	path->root = ROOT_CONST;
	path->constant = CONST_NUMBER;
	path->number = negative ? -(int64_t)n : (int64_t)n;
	return 0;
}

static void const_bool(struct recipe_path *path, bool value)
{
	path->root = ROOT_CONST;
	path->constant = CONST_BOOL;
	path->number = value;
}

static int root(struct cursor *c, struct recipe_path *path)
{
	size_t n = ident_len(c);
	const char *s = c->p;

	if (take(c, '"'))
		return const_text(c, path);
	if (!at_end(c) && (*c->p == '-' || isdigit((unsigned char)*c->p)))
		return const_number(c, path);

	if (!n)
		return bad(c, "a parameter's name is expected");
	c->p += n;
	if (n == 1 && *s == 'g') {
		path->root = ROOT_G;
	} else if ((n == 4 && !strncmp(s, "true", n)) || (n == 5 && !strncmp(s, "false", n))) {
		const_bool(path, n == 4);
	} else if (n == 7 && !strncmp(s, "closure", 7)) {
		path->root = ROOT_CLOSURE;
	} else if (n == 5 && !strncmp(s, "kept", 4) && (s[4] == '0' || s[4] == '1')) {
		path->root = ROOT_KEPT;
		path->kept = (unsigned int)(s[4] - '0');
	} else {
		path->root = ROOT_PARAM;
		path->param = strndup(s, n);
		if (!path->param)
			return -ENOMEM;
	}
	return 0;
}

/* Behind "len(" or "typeof(". */
static int call_expr(struct cursor *c, struct recipe_path *path, enum recipe_step_kind kind,
		     int nest)
{
	int ret = path_expr(c, path, nest + 1);

	if (!ret && !take(c, ')'))
		ret = bad(c, "')' is expected");
	return ret ? ret : add_step(path, kind, NULL, 0, 0);
}

static int primary(struct cursor *c, struct recipe_path *path, int nest)
{

	if (nest > MAX_NEST)
		return bad(c, "parentheses are nested too deep");
	if (take(c, '('))
		return as_expr(c, path, nest);
	if (c->end - c->p > 4 && !strncmp(c->p, "len(", 4)) {
		c->p += 4;
		return call_expr(c, path, STEP_LEN, nest);
	}
	if (c->end - c->p > 7 && !strncmp(c->p, "typeof(", 7)) {
		c->p += 7;
		return call_expr(c, path, STEP_TYPE, nest);
	}
	return root(c, path);
}

static int deref_expr(struct cursor *c, struct recipe_path *path, int nest)
{
	int ret;

	if (nest > MAX_NEST)
		return bad(c, "parentheses are nested too deep");
	ret = path_expr(c, path, nest + 1);
	return ret ? ret : add_step(path, STEP_DEREF, NULL, 0, 0);
}

static int path_expr(struct cursor *c, struct recipe_path *path, int nest)
{
	int ret;

	if (take(c, '*'))
		return deref_expr(c, path, nest);
	ret = primary(c, path, nest);

	while (!ret) {
		if (path->n_steps >= MAX_STEPS)
			return bad(c, "the path is too long");
		if (take(c, '.'))
			ret = field_step(c, path);
		else if (!take(c, '['))
			break;
		else if (take(c, '"'))
			ret = key_step(c, path);
		else
			ret = index_step(c, path);
	}
	return ret;
}

int recipe_path_parse(const char *file, unsigned int line, unsigned int column, const char *text,
		      size_t len, struct recipe_path *out, struct errinfo *e)
{
	struct cursor c = { .file = file,
			    .start = text,
			    .p = text,
			    .end = text + len,
			    .line = line,
			    .column = column,
			    .e = e };
	int ret;

	memset(out, 0, sizeof(*out));
	out->line = line;
	out->column = column;
	out->text = strndup(text, len);
	ret = out->text ? path_expr(&c, out, 0) : -ENOMEM;
	if (!ret && !at_end(&c))
		ret = bad(&c, "'.', '[' or the end of the path is expected");
	if (ret)
		recipe_path_release(out);
	return ret;
}

void recipe_path_release(struct recipe_path *p)
{
	for (size_t i = 0; i < p->n_steps; i++)
		free(p->steps[i].text);
	free(p->steps);
	free(p->param);
	free(p->text);
	memset(p, 0, sizeof(*p));
}
