// SPDX-License-Identifier: Apache-2.0
#include "otlp_env.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "diag.h"

/* The variable for traces, else the one for all signals; an empty one is unset. */
static const char *variable(const char *traces, const char *all, const char **name)
{
	const char *v = getenv(traces);

	*name = traces;
	if (v && *v)
		return v;
	*name = all;
	v = getenv(all);
	return v && *v ? v : NULL;
}

bool otlp_env_endpoint(struct options *o)
{
	const char *name, *url = variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
					  "OTEL_EXPORTER_OTLP_ENDPOINT", &name);

	if (!url)
		return false;
	o->sinks[o->n_sinks++] = (struct sink_choice){
		.kind = SINK_OTLP,
		.target = url,
		.exact = !strcmp(name, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"),
	};
	return true;
}

int64_t otlp_env_timeout(int64_t otherwise)
{
	const char *name, *v = variable("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT",
					"OTEL_EXPORTER_OTLP_TIMEOUT", &name);
	char *end;
	long n;

	if (!v)
		return otherwise;
	errno = 0;
	n = strtol(v, &end, 10);
	if (errno || *end || end == v || n <= 0) {
		diag(DIAG_WARNING, "%s: '%s' is no number of milliseconds; ignored", name, v);
		return otherwise;
	}
	return n;
}

static int hex_digit(char c)
{
	return isdigit((unsigned char)c)    ? c - '0'
	       : isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10
					    : -1;
}

static size_t percent_decode(char *s, size_t len)
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

static void trim(const char **p, size_t *len)
{
	while (*len && isspace((unsigned char)**p))
		++*p, --*len;
	while (*len && isspace((unsigned char)(*p)[*len - 1]))
		--*len;
}

/* RFC 9110, 5.6.2 */
static bool is_token(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!p[i] || (!isalnum((unsigned char)p[i]) && !strchr("!#$%&'*+-.^_`|~", p[i])))
			return false;
	return len > 0;
}

char *otlp_header_line(const char *pair, size_t len, bool decode)
{
	const char *eq = memchr(pair, '=', len), *key = pair, *value;
	size_t key_len, value_len;
	char *line;

	if (!eq)
		return NULL;
	key_len = (size_t)(eq - pair);
	value = eq + 1;
	value_len = len - key_len - 1;
	trim(&key, &key_len);
	trim(&value, &value_len);
	line = is_token(key, key_len) ? malloc(key_len + value_len + 3) : NULL;
	if (!line)
		return NULL;
	memcpy(line, key, key_len);
	memcpy(line + key_len, ": ", 2);
	memcpy(line + key_len + 2, value, value_len);
	if (decode)
		value_len = percent_decode(line + key_len + 2, value_len);
	line[key_len + 2 + value_len] = '\0';
	for (size_t i = 0; i < key_len + 2 + value_len; i++)
		if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f) { /* would end the header */
			free(line);
			return NULL;
		}
	return line;
}

static bool have_header(const struct options *o, const char *line)
{
	size_t name = strcspn(line, ":") + 1;

	for (size_t i = 0; i < o->n_headers; i++)
		if (!strncasecmp(o->headers[i], line, name))
			return true;
	return false;
}

void otlp_env_headers(struct options *o)
{
	const char *name, *v = variable("OTEL_EXPORTER_OTLP_TRACES_HEADERS",
					"OTEL_EXPORTER_OTLP_HEADERS", &name);

	while (v && *v) {
		size_t len = strcspn(v, ",");
		char *line = otlp_header_line(v, len, true);

		if (!line && len)
			diag(DIAG_WARNING, "%s: a part is not key=value; ignored", name);
		if (line && o->n_headers < OPTIONS_MAX_LIST && !have_header(o, line)) {
			o->headers[o->n_headers++] = line;
			o->owned[o->n_owned++] = line;
		} else {
			free(line);
		}
		v += len + (v[len] == ',');
	}
}
