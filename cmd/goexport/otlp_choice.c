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
	const char *eq = memchr(pair, '=', len), *key = pair, *value;
	size_t key_len, value_len;
	char *line;

	if (!eq)
		return NULL;
	key_len = (size_t)(eq - pair);
	value = eq + 1;
	value_len = len - key_len - 1;
	text_trim(&key, &key_len);
	text_trim(&value, &value_len);
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
