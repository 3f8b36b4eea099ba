// SPDX-License-Identifier: Apache-2.0
#include "wish.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int bad(const char *text, const char *at, const char *why, struct errinfo *e)
{
	return errinfo_set(e, -EINVAL, "--capture:1:%zu: %s", (size_t)(at - text) + 1, why);
}

/* The '(' that the ')' at the end of @text closes; NULL if there is none. */
static const char *open_paren(const char *text)
{
	const char *end = text + strlen(text);
	bool quoted = false;
	int depth = 0;

	if (end == text || end[-1] != ')')
		return NULL;
	while (end-- > text) {
		if (*end == '"')
			quoted = !quoted;
		else if (!quoted && *end == ')')
			depth++;
		else if (!quoted && *end == '(' && --depth == 0)
			return end;
	}
	return NULL;
}

/* The end of the item that begins at @p: a comma outside of brackets, or @end. */
static const char *item_end(const char *p, const char *end)
{
	bool quoted = false;
	int depth = 0;

	for (; p < end; p++) {
		if (*p == '"')
			quoted = !quoted;
		else if (!quoted && (*p == '(' || *p == '['))
			depth++;
		else if (!quoted && (*p == ')' || *p == ']'))
			depth--;
		else if (!quoted && depth <= 0 && *p == ',')
			break;
	}
	return p;
}

/* The length of "NAME=" in front of a path; 0 if there is none. */
static size_t name_len(const char *p, const char *end)
{
	size_t n = 0;

	while (p + n < end && (isalnum((unsigned char)p[n]) || p[n] == '_' || p[n] == '.'))
		n++;
	return n && p + n < end && p[n] == '=' ? n : 0;
}

static int parse_item(const char *text, const char *p, const char *end, struct wish *w,
		      struct errinfo *e)
{
	struct wish_item *items = reallocarray(w->items, w->n_items + 1, sizeof(*items));
	struct wish_item *it;
	size_t n;

	if (!items)
		return -ENOMEM;
	w->items = items;
	it = &items[w->n_items];
	memset(it, 0, sizeof(*it));
	w->n_items++;
	while (p < end && *p == ' ')
		p++;
	while (end > p && end[-1] == ' ')
		end--;
	n = name_len(p, end);
	if (n) {
		if (!strncmp(p, "go.", 3) || !strncmp(p, "gotap.", 6))
			return bad(text, p, "names that begin 'go.' or 'gotap.' are taken", e);
		it->name = strndup(p, n);
		if (!it->name)
			return -ENOMEM;
		p += n + 1;
	}
	return recipe_path_parse("--capture", 1, (unsigned int)(p - text) + 1, p, (size_t)(end - p),
				 &it->path, e);
}

int wish_parse(const char *text, struct wish *out, struct errinfo *e)
{
	const char *open = open_paren(text), *end = text + strlen(text) - 1;
	int ret = 0;

	memset(out, 0, sizeof(*out));
	if (!open)
		return bad(text, text + strlen(text), "'(', paths and ')' are expected", e);
	if (open == text)
		return bad(text, text, "a function is expected", e);
	out->func = strndup(text, (size_t)(open - text));
	if (!out->func)
		return -ENOMEM;
	for (const char *p = open + 1; !ret; p = item_end(p, end) + 1) {
		ret = parse_item(text, p, item_end(p, end), out, e);
		if (item_end(p, end) == end)
			break;
	}
	return ret;
}

void wish_release(struct wish *w)
{
	for (size_t i = 0; i < w->n_items; i++) {
		free(w->items[i].name);
		recipe_path_release(&w->items[i].path);
	}
	free(w->items);
	free(w->func);
	memset(w, 0, sizeof(*w));
}
