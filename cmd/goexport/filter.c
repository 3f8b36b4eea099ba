// SPDX-License-Identifier: Apache-2.0
#include "filter.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "number.h"
#include "resource.h"

bool glob_matches(struct text glob, struct text t)
{
	size_t g = 0, i = 0, star = SIZE_MAX, from = 0;

	while (i < t.len) {
		if (g < glob.len && glob.p[g] == '*') {
			star = g++;
			from = i;
		} else if (g < glob.len && (glob.p[g] == '?' || glob.p[g] == t.p[i])) {
			g++;
			i++;
		} else if (star != SIZE_MAX) {
			g = star + 1;
			i = ++from;
		} else {
			return false;
		}
	}
	while (g < glob.len && glob.p[g] == '*')
		g++;
	return g == glob.len;
}

/* "50ms", "1.5s", "200us", "3m"; a number alone is milliseconds. */
static const char *set_slower(struct filter *f, const char *value)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {
		{ "", 1e6 },   { "ns", 1 },  { "us", 1e3 }, { "\xc2\xb5s", 1e3 },
		{ "ms", 1e6 }, { "s", 1e9 }, { "m", 60e9 },
	};
	char *end;
	double n = strtod(value, &end);

	if (end == value || !isdigit((unsigned char)*value) || !isfinite(n))
		return "not a duration such as 50ms";
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(end, units[i].name) && n * units[i].ns < 1e18) {
			f->slower = (uint64_t)(n * units[i].ns);
			return NULL;
		}
	return "not a duration such as 50ms";
}

static const char *set_status(struct filter *f, const char *value)
{
	static const char *const names[] = { "unset", "ok", "error" };

	for (int i = STATUS_UNSET; i <= STATUS_ERROR; i++)
		if (!strcmp(value, names[i])) {
			f->status = (enum span_status)i;
			f->has_status = true;
			return NULL;
		}
	return "not error, ok or unset";
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

static const char *set_trace(struct filter *f, const char *value)
{
	for (int i = 0; i < 32; i++) {
		int d = hex_digit(value[i]); /* the NUL is none */

		if (d < 0)
			return "not 32 hexadecimal digits";
		f->trace_id[i / 2] = (uint8_t)(f->trace_id[i / 2] << 4 | d);
	}
	f->has_trace = true;
	return value[32] ? "not 32 hexadecimal digits" : NULL;
}

static const char *add_match(struct filter *f, const char *value)
{
	const char *eq = strchr(value, '=');

	if (!eq || eq == value)
		return "not ATTRIBUTE=GLOB";
	if (f->n_matches == FILTER_MAX_MATCHES)
		return "too many of them";
	f->matches[f->n_matches++] = (struct filter_match){
		.key = { value, (size_t)(eq - value) },
		.glob = text_of(eq + 1),
	};
	return NULL;
}

const char *filter_set(struct filter *f, const char *name, const char *value)
{
	f->any = true;
	if (!strcmp(name, "slower-than"))
		return set_slower(f, value);
	if (!strcmp(name, "status"))
		return set_status(f, value);
	if (!strcmp(name, "trace"))
		return set_trace(f, value);
	if (!strcmp(name, "match"))
		return add_match(f, value);
	if (!strcmp(name, "service"))
		f->service = text_of(value);
	else if (!strcmp(name, "route"))
		f->route = text_of(value);
	else if (!strcmp(name, "words"))
		f->words = text_of(value);
	return NULL;
}

/* @v as text, in @buf where it has none of its own. */
static struct text value_text(const struct attr_value *v, char buf[NUMBER_MAX])
{
	switch (v->type) {
	case ATTR_STRING:
		return v->str;
	case ATTR_INT:
		return (struct text){ buf,
				      (size_t)snprintf(buf, NUMBER_MAX, "%lld", (long long)v->i) };
	case ATTR_DOUBLE:
		return (struct text){ buf, isfinite(v->d) ? number_double(buf, v->d) : 0 };
	case ATTR_BOOL:
		return text_of(v->b ? "true" : "false");
	default:
		return (struct text){ 0 };
	}
}

static bool value_matches(struct text glob, const struct attr_value *v)
{
	char buf[NUMBER_MAX];

	if (v->type != ATTR_ARRAY)
		return glob_matches(glob, value_text(v, buf));
	for (size_t i = 0; i < v->array.n; i++)
		if (glob_matches(glob, value_text(&v->array.v[i], buf)))
			return true;
	return false;
}

static bool has_match(const struct filter_match *m, const struct attr *attrs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (text_equal(attrs[i].key, m->key) && value_matches(m->glob, &attrs[i].value))
			return true;
	return false;
}

static bool contains(struct text t, struct text word)
{
	for (size_t i = 0; i + word.len <= t.len; i++) {
		size_t n = 0;

		while (n < word.len &&
		       tolower((unsigned char)t.p[i + n]) == tolower((unsigned char)word.p[n]))
			n++;
		if (n == word.len)
			return true;
	}
	return false;
}

static bool has_word(struct text word, const struct spanrec *sp)
{
	char buf[NUMBER_MAX];

	if (contains(sp->name, word) || contains(sp->resource->service, word) ||
	    contains(sp->status_message, word))
		return true;
	for (size_t i = 0; i < sp->n_attrs; i++)
		if (contains(sp->attrs[i].key, word) ||
		    contains(value_text(&sp->attrs[i].value, buf), word))
			return true;
	return false;
}

/* All words, in any order. */
static bool has_words(struct text words, const struct spanrec *sp)
{
	while (words.len) {
		const char *space = memchr(words.p, ' ', words.len);
		struct text word = { words.p, space ? (size_t)(space - words.p) : words.len };

		if (word.len && !has_word(word, sp))
			return false;
		words.p += word.len + (space != NULL);
		words.len -= word.len + (space != NULL);
	}
	return true;
}

static bool route_matches(struct text glob, const struct spanrec *sp)
{
	struct text route = spanrec_text(sp, "http.route");

	return (route.len && glob_matches(glob, route)) || glob_matches(glob, sp->name);
}

bool filter_wants(const struct filter *f, const struct spanrec *sp)
{
	if (!f->any)
		return true;
	if (f->slower && sp->end - sp->start <= f->slower)
		return false;
	if (f->has_status && sp->status != f->status)
		return false;
	if (f->has_trace && memcmp(f->trace_id, sp->trace_id, sizeof(f->trace_id)))
		return false;
	if (f->service.len && !glob_matches(f->service, sp->resource->service))
		return false;
	if (f->route.len && !route_matches(f->route, sp))
		return false;
	for (size_t i = 0; i < f->n_matches; i++)
		if (!has_match(&f->matches[i], sp->attrs, sp->n_attrs) &&
		    !has_match(&f->matches[i], sp->resource->attrs, sp->resource->n_attrs))
			return false;
	return !f->words.len || has_words(f->words, sp);
}
