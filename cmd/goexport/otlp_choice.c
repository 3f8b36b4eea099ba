// SPDX-License-Identifier: Apache-2.0
#include "otlp_choice.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "env.h"

static bool have_header(const struct otlp_choice *c, const char *line)
{
	size_t name = strcspn(line, ":") + 1;

	for (size_t i = 0; i < c->n_headers; i++)
		if (!strncasecmp(c->headers[i], line, name))
			return true;
	return false;
}

void otlp_choice_under(struct otlp_choice *c, const struct otlp_choice *lower)
{
	struct otlp_choice upper = *c;

	if (!c->protocol)
		c->protocol = lower->protocol;
	if (!c->compression)
		c->compression = lower->compression;
	if (!c->timeout_ms)
		c->timeout_ms = lower->timeout_ms;
	if (!c->ca)
		c->ca = lower->ca;
	if (!c->cert)
		c->cert = lower->cert;
	if (!c->key)
		c->key = lower->key;
	c->insecure |= lower->insecure;
	for (size_t i = 0; i < lower->n_headers && c->n_headers < OTLP_MAX_HEADERS; i++)
		if (!have_header(&upper, lower->headers[i]))
			c->headers[c->n_headers++] = lower->headers[i];
}

enum otlp_protocol otlp_protocol_named(const char *name)
{
	if (!strcasecmp(name, "http/protobuf"))
		return OTLP_HTTP_PROTOBUF;
	if (!strcasecmp(name, "http/json"))
		return OTLP_HTTP_JSON;
	return strcasecmp(name, "grpc") ? OTLP_PROTOCOL_UNSET : OTLP_GRPC;
}

enum otlp_compression otlp_compression_named(const char *name)
{
	if (!strcasecmp(name, "gzip"))
		return OTLP_GZIP;
	return strcasecmp(name, "none") ? OTLP_COMPRESSION_UNSET : OTLP_UNCOMPRESSED;
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
	struct text key, value;
	char *line, *to;

	if (!pair_split(pair, len, &key, &value) || !is_token(key.p, key.len))
		return NULL;
	line = malloc(key.len + value.len + 3);
	if (!line)
		return NULL;
	memcpy(line, key.p, key.len);
	memcpy(line + key.len, ": ", 2);
	to = line + key.len + 2;
	memcpy(to, value.p, value.len);
	to += decode ? percent_decode(to, value.len) : value.len;
	*to = '\0';
	for (size_t i = 0; line + i < to; i++)
		if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f) { /* would end the header */
			free(line);
			return NULL;
		}
	return line;
}
