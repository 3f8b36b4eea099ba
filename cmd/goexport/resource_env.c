// SPDX-License-Identifier: Apache-2.0
#include "resource_env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "env.h"
#include "utf8.h"

/* "key=value" of @len bytes, percent-decoded, in new memory; NULL if it is none. */
static char *decode(const char *pair, size_t len)
{
	const char *eq = memchr(pair, '=', len), *key = pair, *value;
	size_t key_len, value_len;
	char *s;

	if (!eq)
		return NULL;
	key_len = (size_t)(eq - pair);
	value = eq + 1;
	value_len = len - key_len - 1;
	text_trim(&key, &key_len);
	text_trim(&value, &value_len);
	s = key_len && !memchr(value, '=', value_len) ? malloc(len + 1) : NULL;
	if (!s)
		return NULL;
	memcpy(s, key, key_len);
	s[key_len] = '=';
	memcpy(s + key_len + 1, value, value_len);
	value_len = percent_decode(s + key_len + 1, value_len);
	len = key_len + 1 + value_len;
	s[len] = '\0';
	if (memchr(s, '\0', len) || utf8_valid(s, len) != len) {
		free(s);
		return NULL;
	}
	return s;
}

static bool add(struct options *o, char *pair)
{
	struct text_list *l = &o->env_resource;

	if (!pair || l->n == OPTIONS_MAX_LIST || !options_own(o, pair)) {
		free(pair);
		return false;
	}
	l->text[l->n++] = pair;
	return true;
}

static void read_attributes(struct options *o)
{
	const char *v = env_text("OTEL_RESOURCE_ATTRIBUTES");

	while (v && *v) {
		size_t len = strcspn(v, ",");

		if (strspn(v, " \t") < len && !add(o, decode(v, len))) {
			diag(DIAG_WARNING,
			     "OTEL_RESOURCE_ATTRIBUTES: not key=value,key=value; ignored");
			o->env_resource.n = 0;
			return;
		}
		v += len + (v[len] == ',');
	}
}

void resource_env_read(struct options *o)
{
	const char *name = env_text("OTEL_SERVICE_NAME");
	char *pair;

	read_attributes(o);
	if (name && asprintf(&pair, "service.name=%s", name) >= 0 && !add(o, pair))
		diag(DIAG_WARNING, "OTEL_SERVICE_NAME: ignored");
}
