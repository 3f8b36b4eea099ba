// SPDX-License-Identifier: Apache-2.0
/* The words of a recipe's line, and what is said of a bad one. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "goversion.h"
#include "recipe_internal.h"

#define MAX_TEXT 65536 /* bytes of text that a capture may ask for */

int recipe_bad_at(struct parser *ps, const char *at, const char *why)
{
	return errinfo_set(ps->e, -EINVAL, "%s:%u:%u: %s", ps->file, ps->line,
			   (unsigned int)(at - ps->line_start) + 1, why);
}

int recipe_bad_word(struct parser *ps, struct word w, const char *why)
{
	int n = w.n > 40 ? 40 : (int)w.n;

	return errinfo_set(ps->e, -EINVAL, "%s:%u:%u: %s: '%.*s'", ps->file, ps->line,
			   (unsigned int)(w.s - ps->line_start) + 1, why, n, w.s);
}

/* Appends a zeroed element to an array that is grown by one; NULL without memory. */
void *recipe_append(void *array, size_t *n, size_t size)
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

bool recipe_line_done(struct parser *ps)
{
	skip_space(ps);
	return ps->p == ps->end || *ps->p == '#';
}

/* The next word: up to white space outside of (), [] and "". */
struct word recipe_next_word(struct parser *ps)
{
	struct word w = { ps->p, 0 };
	bool quoted = false;
	int depth = 0;

	if (recipe_line_done(ps)) {
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

bool word_is(struct word w, const char *s)
{
	return w.n == strlen(s) && !memcmp(w.s, s, w.n);
}

int word_find(struct word w, const char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		if (word_is(w, names[i]))
			return i;
	return -1;
}

int word_copy(struct word w, char **out)
{
	*out = strndup(w.s, w.n);
	return *out ? 0 : -ENOMEM;
}

/* A word that must be there. */
int recipe_need_word(struct parser *ps, const char *what, char **out)
{
	struct word w = recipe_next_word(ps);

	if (!w.n)
		return recipe_bad_at(ps, w.s, what);
	return word_copy(w, out);
}

/* A word that may be given once. */
int recipe_once(struct parser *ps, struct word key, const char *what, char **out)
{
	if (*out)
		return recipe_bad_word(ps, key, "given twice");
	return recipe_need_word(ps, what, out);
}

int recipe_expect_in(struct parser *ps, char **out)
{
	struct word w = recipe_next_word(ps);

	if (!word_is(w, "in"))
		return recipe_bad_at(ps, w.s, "'in' and a function are expected");
	return recipe_need_word(ps, "a function is expected after 'in'", out);
}

int recipe_need_number(struct parser *ps, unsigned int *out)
{
	struct word w = recipe_next_word(ps);
	unsigned long n = 0;

	for (size_t i = 0; i < w.n; i++) {
		if (!isdigit((unsigned char)w.s[i]) || n > MAX_TEXT)
			return recipe_bad_word(ps, w, "not a number from 1 to 65536");
		n = n * 10 + (unsigned long)(w.s[i] - '0');
	}
	if (!n || n > MAX_TEXT)
		return recipe_bad_word(ps, w, "not a number from 1 to 65536");
	*out = (unsigned int)n;
	return 0;
}

/* A version that can be compared. */
int recipe_need_version(struct parser *ps, char **out)
{
	struct goversion v;
	struct word w;
	int ret;

	recipe_line_done(ps);
	w.s = ps->p;
	ret = recipe_need_word(ps, "a version is expected", out);
	if (!ret && goversion_parse(*out, &v)) {
		w.n = strlen(*out);
		ret = recipe_bad_word(ps, w, "not a version");
	}
	return ret;
}

struct word word_trim(const char *s, const char *end)
{
	while (s < end && isspace((unsigned char)*s))
		s++;
	while (end > s && isspace((unsigned char)end[-1]))
		end--;
	return (struct word){ s, (size_t)(end - s) };
}

int recipe_need_path(struct parser *ps, struct recipe_path *out)
{
	struct word w = recipe_next_word(ps);

	if (!w.n)
		return recipe_bad_at(ps, w.s, "a path is expected");
	return recipe_path_parse(ps->file, ps->line, (unsigned int)(w.s - ps->line_start) + 1, w.s,
				 w.n, out, ps->e);
}
