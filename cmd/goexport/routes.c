// SPDX-License-Identifier: Apache-2.0
#include "routes.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "env.h"

#define MAX_PATTERNS 1024
/* A guess has at most so many elements; the rest is '*'. */
#define MAX_GUESS 6

struct routes {
	struct text *pattern;
	size_t n;
	bool guess;
};

static int add(struct routes *r, const char *p, size_t len, struct errinfo *e)
{
	struct text *more;

	text_trim(&p, &len);
	if (len == 4 && !memcmp(p, "auto", 4)) {
		r->guess = true;
		return 0;
	}
	if (!len)
		return 0;
	if (*p != '/' || r->n == MAX_PATTERNS)
		return errinfo_set(e, -EINVAL, "route pattern '%.*s': %s", (int)len, p,
				   *p == '/' ? "too many" : "it does not begin with '/'");
	more = reallocarray(r->pattern, r->n + 1, sizeof(*more));
	if (!more)
		return errinfo_set(e, -ENOMEM, "out of memory");
	r->pattern = more;
	r->pattern[r->n++] = (struct text){ p, len };
	return 0;
}

int routes_new(struct routes **out, const struct text_list *l, struct errinfo *e)
{
	struct routes *r;
	int ret = 0;

	*out = NULL;
	if (!l->n)
		return 0;
	r = calloc(1, sizeof(*r));
	if (!r)
		return errinfo_set(e, -ENOMEM, "out of memory");
	for (size_t i = 0; i < l->n && !ret; i++)
		for (const char *p = l->text[i]; *p && !ret;) {
			size_t len = strcspn(p, ",");

			ret = add(r, p, len, e);
			p += len + (p[len] == ',');
		}
	if (ret)
		routes_free(r);
	else
		*out = r;
	return ret;
}

void routes_free(struct routes *r)
{
	if (!r)
		return;
	free(r->pattern);
	free(r);
}

/* The element that begins at @i: up to the next '/'. */
static struct text element(struct text t, size_t i)
{
	const char *slash = memchr(t.p + i, '/', t.len - i);

	return (struct text){ t.p + i, slash ? (size_t)(slash - t.p) - i : t.len - i };
}

static bool is_variable(struct text e)
{
	return e.len > 1 && (e.p[0] == ':' || (e.p[0] == '{' && e.p[e.len - 1] == '}'));
}

static bool matches(struct text pattern, struct text path)
{
	size_t i = 0, j = 0;

	while (i < pattern.len && j < path.len) {
		struct text want, got;

		if (pattern.p[i] != '/' || path.p[j] != '/')
			return false;
		want = element(pattern, ++i);
		got = element(path, ++j);
		if (text_is(want, "*") && i + 1 == pattern.len)
			return true;
		if (!text_equal(want, got) && !(got.len && is_variable(want)))
			return false;
		i += want.len;
		j += got.len;
	}
	return i == pattern.len && j == path.len;
}

/*
 * Whether an element looks like a name that a programmer gave: letters, with '-', '_'
 * or '.' between them, not too long, and no digits but in a version such as v2.
 */
static bool is_word(struct text e)
{
	if (e.len > 24)
		return false;
	if (e.len > 1 && e.len < 4 && e.p[0] == 'v' && isdigit((unsigned char)e.p[1]))
		return true;
	for (size_t i = 0; i < e.len; i++)
		if (!isalpha((unsigned char)e.p[i]) && !strchr("-_.", e.p[i]))
			return false;
	return true;
}

static struct text guess(struct text path, char buf[ROUTE_MAX])
{
	size_t n = 0;
	int elements = 0;

	if (!path.len || path.p[0] != '/')
		return (struct text){ 0 };
	for (size_t i = 0; i < path.len; elements++) {
		struct text e = element(path, i + 1);
		struct text put = elements >= MAX_GUESS || n + e.len + 8 > ROUTE_MAX ? text_of("*")
				  : is_word(e)					     ? e
					       : text_of("{id}");

		buf[n++] = '/';
		memcpy(buf + n, put.p, put.len);
		n += put.len;
		if (text_is(put, "*"))
			break;
		i += 1 + e.len;
	}
	return (struct text){ buf, n };
}

struct text routes_find(const struct routes *r, struct text path, char buf[ROUTE_MAX])
{
	if (!r || !path.len)
		return (struct text){ 0 };
	for (size_t i = 0; i < r->n; i++)
		if (matches(r->pattern[i], path))
			return r->pattern[i];
	return r->guess ? guess(path, buf) : (struct text){ 0 };
}
