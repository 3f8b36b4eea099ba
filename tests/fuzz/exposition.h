/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a page is what Prometheus takes (text format 0.0.4): comments, and samples
 * "name{label="value",...} number" of which no two are the same series. For fuzz
 * targets.
 */
#ifndef GOTAP_EXPOSITION_H
#define GOTAP_EXPOSITION_H

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The end of a name at @p; @p itself if there is none. */
static inline const char *exposition_name(const char *p, const char *end)
{
	if (p < end && isdigit((unsigned char)*p))
		return p;
	while (p < end && (isalnum((unsigned char)*p) || *p == '_'))
		p++;
	return p;
}

/* The end of a quoted and escaped value at @p, NULL if it is none. */
static inline const char *exposition_value(const char *p, const char *end)
{
	if (p == end || *p++ != '"')
		return NULL;
	for (; p < end && *p != '"'; p++)
		if (*p == '\\' && (++p == end || !strchr("\\\"n", *p)))
			return NULL;
	return p < end ? p + 1 : NULL;
}

/* The end of the series that a sample begins with, NULL if it is none. */
static inline const char *exposition_series(const char *p, const char *end)
{
	const char *q = exposition_name(p, end);

	if (q == p || q == end)
		return NULL;
	if (*q != '{')
		return q;
	do {
		p = ++q;
		q = exposition_name(p, end);
		if (q == p || q == end || *q != '=')
			return NULL;
		q = exposition_value(q + 1, end);
	} while (q && q < end && *q == ',');
	return q && q < end && *q == '}' ? q + 1 : NULL;
}

struct exposition_line {
	const char *p;
	size_t len;
};

static inline int exposition_compare(const void *a, const void *b)
{
	const struct exposition_line *x = a, *y = b;
	size_t n = x->len < y->len ? x->len : y->len;
	int c = memcmp(x->p, y->p, n);

	return c ? c : (x->len > y->len) - (x->len < y->len);
}

static inline bool exposition_distinct(struct exposition_line *lines, size_t n)
{
	qsort(lines, n, sizeof(*lines), exposition_compare);
	for (size_t i = 1; i < n; i++)
		if (!exposition_compare(&lines[i - 1], &lines[i]))
			return false;
	return true;
}

static inline bool exposition_sample(const char *p, const char *end, struct exposition_line *out)
{
	char number[64], *rest;

	out->p = p;
	p = exposition_series(p, end);
	if (!p || p + 1 >= end || *p != ' ' || (size_t)(end - p) > sizeof(number))
		return false;
	out->len = (size_t)(p - out->p);
	memcpy(number, p + 1, (size_t)(end - p - 1));
	number[end - p - 1] = '\0';
	strtod(number, &rest);
	return rest != number && !*rest;
}

static inline bool exposition_valid(const char *p, size_t len)
{
	const char *end = len ? p + len : p;
	struct exposition_line *lines = malloc((len + 1) * sizeof(*lines));
	bool good = lines != NULL;
	size_t n = 0;

	while (good && p < end) {
		const char *lf = memchr(p, '\n', (size_t)(end - p));

		good = lf != NULL;
		if (good && *p == '#')
			good = !strncmp(p, "# HELP ", 7) || !strncmp(p, "# TYPE ", 7);
		else if (good)
			good = exposition_sample(p, lf, &lines[n++]);
		p = lf + 1;
	}
	good = good && exposition_distinct(lines, n);
	free(lines);
	return good;
}

#endif
