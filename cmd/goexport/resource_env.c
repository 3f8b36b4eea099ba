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
	struct text key, value;
	size_t n;
	char *s;

	if (!pair_split(pair, len, &key, &value) || !key.len || memchr(value.p, '=', value.len))
		return NULL;
	s = malloc(len + 1);
	if (!s)
		return NULL;
	memcpy(s, key.p, key.len);
	n = percent_decode(s, key.len);
	if (memchr(s, '=', n)) { /* would end it: left as it is */
		memcpy(s, key.p, key.len);
		n = key.len;
	}
	s[n] = '=';
	memcpy(s + n + 1, value.p, value.len);
	len = n + 1 + percent_decode(s + n + 1, value.len);
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
