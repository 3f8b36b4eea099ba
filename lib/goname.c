// SPDX-License-Identifier: Apache-2.0
#include "goname.h"

#include <stddef.h>
#include <string.h>

/*
 * A place in a name, read character by character in its canonical form: escapes
 * decoded, the middle dots of generated names as dots, as .symtab has them, and
 * type arguments passed over if @bare.
 */
struct cursor {
	const char *p;
	bool bare;
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Past the bracket that closes the one at @p; the end of the text if none does. */
static const char *skip_brackets(const char *p)
{
	int depth = 0;

	for (; *p; p++) {
		if (*p == '[')
			depth++;
		else if (*p == ']' && --depth == 0)
			return p + 1;
	}
	return p;
}

/* The character at the cursor, 0 at the end, and one step on; '.' for a middle dot. */
static unsigned char next(struct cursor *c)
{
	while (c->bare && *c->p == '[')
		c->p = skip_brackets(c->p);
	if (c->p[0] == '%' && hex_digit(c->p[1]) >= 0 && hex_digit(c->p[2]) >= 0) {
		int v = hex_digit(c->p[1]) * 16 + hex_digit(c->p[2]);

		if (v) {
			c->p += 3;
			return (unsigned char)v;
		}
	}
	if (!strncmp(c->p, "\xc2\xb7", 2)) {
		c->p += 2;
		return '.';
	}
	return *c->p ? (unsigned char)*c->p++ : 0;
}

const char *goname_after_vendor(const char *name)
{
	const char *after = name;

	/* A path ends where a receiver or type arguments begin. */
	for (const char *p = name; *p && *p != '(' && *p != '[' && *p != ' '; p++)
		if (*p == 'v' && (p == name || p[-1] == '/') && !strncmp(p, "vendor/", 7))
			after = p + 7;
	return after;
}

static uint32_t hash(struct cursor c)
{
	uint32_t h = 2166136261u;
	unsigned char ch;

	while ((ch = next(&c)))
		h = (h ^ ch) * 16777619u;
	return h;
}

uint32_t goname_hash(const char *name)
{
	return hash((struct cursor){ goname_after_vendor(name), true });
}

uint32_t goname_type_hash(const char *name)
{
	return hash((struct cursor){ name, false });
}

static bool equal(struct cursor a, struct cursor b)
{
	unsigned char c;

	do {
		c = next(&a);
		if (c != next(&b))
			return false;
	} while (c);
	return true;
}

bool goname_type_equal(const char *a, const char *b)
{
	return equal((struct cursor){ a, false }, (struct cursor){ b, false });
}

bool goname_equal_bare(const char *a, const char *b)
{
	return equal((struct cursor){ a, true }, (struct cursor){ b, true });
}

static bool same(const char *query, const char *name, bool bare)
{
	struct cursor q = { query, false }, n = { name, bare };

	for (;;) {
		unsigned char a, b;

		if (!bare && !strncmp(q.p, "[...]", 5) && *n.p == '[') {
			q.p += 5;
			n.p = skip_brackets(n.p);
			continue;
		}
		a = next(&q);
		b = next(&n);
		if (a != b)
			return false;
		if (!a)
			return true;
	}
}

bool goname_equal(const char *query, const char *name)
{
	if (goname_after_vendor(query) == query)
		name = goname_after_vendor(name);
	return same(query, name, strchr(query, '[') == NULL);
}

/* Whether the '*' at @p of @pattern is any text. */
static bool is_star(const char *pattern, const char *p)
{
	return *p == '*' && !(p > pattern && p[-1] == '(');
}

static bool glob(const char *pattern, const char *name, bool bare)
{
	const char *p = pattern, *retry_p = NULL;
	struct cursor n = { name, bare }, retry_n = { NULL, false };

	for (;;) {
		struct cursor step = n, want = { p, false };
		unsigned char c;

		if (is_star(pattern, p)) {
			retry_p = ++p;
			retry_n = n;
			continue;
		}
		c = next(&step);
		if (!c && !*p)
			return true;
		if (c && *p == '?') {
			p++;
			n = step;
		} else if (c && next(&want) == c) {
			p = want.p;
			n = step;
		} else if (retry_p && next(&retry_n)) {
			p = retry_p;
			n = retry_n;
		} else {
			return false;
		}
	}
}

bool goname_match(const char *pattern, const char *name)
{
	const char *after = goname_after_vendor(name);

	return glob(pattern, after, false) || glob(pattern, after, true) ||
	       (after != name && glob(pattern, name, false));
}
