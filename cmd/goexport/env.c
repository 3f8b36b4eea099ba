// SPDX-License-Identifier: Apache-2.0
#include "env.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "diag.h"

const char *env_text(const char *name)
{
	const char *v = getenv(name);

	return v && *v ? v : NULL;
}

static void ignored(const char *name, const char *v, const char *what)
{
	diag(DIAG_WARNING, "%s: '%s' is %s; ignored", name, v, what);
}

bool env_true(const char *name)
{
	const char *v = env_text(name);

	if (v && strcasecmp(v, "true") && strcasecmp(v, "false"))
		ignored(name, v, "neither true nor false");
	return v && !strcasecmp(v, "true");
}

bool env_number(const char *name, uint64_t min, uint64_t max, uint64_t *out)
{
	const char *v = env_text(name);
	unsigned long long n;
	char *end;

	if (!v)
		return false;
	errno = 0;
	n = strtoull(v, &end, 10);
	if (errno || *end || *v < '0' || *v > '9' || n < min || n > max) {
		ignored(name, v, "not a number that is possible");
		return false;
	}
	*out = n;
	return true;
}

int env_word(const char *name, const char *const *words)
{
	const char *v = env_text(name);

	for (int i = 0; v && words[i]; i++)
		if (!strcasecmp(v, words[i]))
			return i;
	if (v)
		ignored(name, v, "not known");
	return -1;
}

bool pair_split(const char *pair, size_t len, struct text *key, struct text *value)
{
	const char *eq = memchr(pair, '=', len);

	if (!eq)
		return false;
	*key = (struct text){ pair, (size_t)(eq - pair) };
	*value = (struct text){ eq + 1, len - key->len - 1 };
	text_trim(&key->p, &key->len);
	text_trim(&value->p, &value->len);
	return true;
}

static int hex_digit(char c)
{
	return isdigit((unsigned char)c)    ? c - '0'
	       : isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10
					    : -1;
}

size_t percent_decode(char *s, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		int hi = s[i] == '%' && i + 2 < len ? hex_digit(s[i + 1]) : -1;
		int lo = hi >= 0 ? hex_digit(s[i + 2]) : -1;

		if (lo >= 0) {
			s[n++] = (char)(hi << 4 | lo);
			i += 2;
		} else {
			s[n++] = s[i];
		}
	}
	return n;
}

void text_trim(const char **p, size_t *len)
{
	while (*len && isspace((unsigned char)**p))
		++*p, --*len;
	while (*len && isspace((unsigned char)(*p)[*len - 1]))
		--*len;
}
