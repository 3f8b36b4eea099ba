// SPDX-License-Identifier: Apache-2.0
#include "httptext.h"

#include <string.h>

static const struct slice nothing;

/* A decimal port from 1 to 65535, else 0. */
static int port_number(const char *s, size_t len)
{
	int port = 0;

	if (!len || len > 5)
		return 0;
	for (size_t i = 0; i < len; i++) {
		if (s[i] < '0' || s[i] > '9')
			return 0;
		port = port * 10 + (s[i] - '0');
	}
	return port <= 65535 ? port : 0;
}

struct hostport hostport_split(const char *s, size_t len)
{
	struct hostport hp = { .host = { s, len } };
	const char *end, *colon, *bracket;

	if (!len)
		return (struct hostport){ .port = 0 };
	end = s + len;
	if (s[0] == '[') {
		bracket = memchr(s, ']', len);
		if (!bracket)
			return hp;
		hp.host = (struct slice){ s + 1, (size_t)(bracket - s - 1) };
		if (bracket + 1 < end && bracket[1] == ':')
			hp.port = port_number(bracket + 2, (size_t)(end - bracket - 2));
		return hp;
	}
	colon = memrchr(s, ':', len);
	if (!colon || memchr(s, ':', (size_t)(colon - s)))
		return hp; /* no port, or a bare IPv6 address */
	hp.host.len = (size_t)(colon - s);
	hp.port = port_number(colon + 1, (size_t)(end - colon - 1));
	return hp;
}

struct slice route_path(const char *s, size_t len)
{
	const char *slash = memchr(s, '/', len);

	if (!slash)
		return nothing;
	return (struct slice){ slash, len - (size_t)(slash - s) };
}

struct slice protocol_version(const char *s, size_t len)
{
	struct slice v = { s + 5, len - 5 };

	if (len < 6 || memcmp(s, "HTTP/", 5) || v.s[0] < '0' || v.s[0] > '9')
		return nothing;
	/* HTTP/2 and later have no minor version on the wire; Go writes HTTP/2.0. */
	if (v.len == 3 && v.s[0] >= '2' && !memcmp(v.s + 1, ".0", 2))
		v.len = 1;
	return v;
}

/* The key of one list member: lower case, digits and _-*\/@, at most 256. */
static bool tracestate_key(const char *s, size_t len)
{
	if (!len || len > 256 || !((s[0] >= 'a' && s[0] <= 'z') || (s[0] >= '0' && s[0] <= '9')))
		return false;
	for (size_t i = 0; i < len; i++) {
		char c = s[i];

		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
		      (c && strchr("_-*/@", c))))
			return false;
	}
	return true;
}

static bool tracestate_member(const char *s, size_t len)
{
	const char *eq = memchr(s, '=', len);
	size_t value_len;

	if (!eq || !tracestate_key(s, (size_t)(eq - s)))
		return false;
	value_len = len - (size_t)(eq + 1 - s);
	if (!value_len || value_len > 256)
		return false;
	for (const char *p = eq + 1; p < s + len; p++)
		if (*p < 0x20 || *p > 0x7e || *p == '=')
			return false;
	return true;
}

bool tracestate_valid(const char *s, size_t len)
{
	const char *end = s + len, *comma;
	int members = 0;

	for (;; s = comma + 1) {
		const char *to;

		comma = memchr(s, ',', (size_t)(end - s));
		to = comma ? comma : end;
		while (s < to && (*s == ' ' || *s == '\t'))
			s++;
		while (s < to && (to[-1] == ' ' || to[-1] == '\t'))
			to--;
		/* Members may be empty; they count for nothing. */
		if (s < to && (!tracestate_member(s, (size_t)(to - s)) || ++members > 32))
			return false;
		if (!comma)
			return members > 0;
	}
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Whether a query's key, percent-encoded or not, is one whose value is secret. */
static bool secret_key(const char *s, size_t len)
{
	static const char *const secret[] = {
		"X-Amz-Signature",  "X-Amz-Credential", "X-Amz-Security-Token",
		"AWSAccessKeyId",   "Signature",	"sig",
		"X-Goog-Signature",
	};
	char key[24];
	size_t n = 0;

	for (size_t i = 0; i < len; n++) {
		if (n == sizeof(key) - 1)
			return false;
		if (s[i] == '%' && len - i > 2 && hex_value(s[i + 1]) >= 0 &&
		    hex_value(s[i + 2]) >= 0) {
			key[n] = (char)(hex_value(s[i + 1]) << 4 | hex_value(s[i + 2]));
			i += 3;
		} else {
			key[n] = s[i++];
		}
	}
	key[n] = '\0';
	for (size_t i = 0; i < sizeof(secret) / sizeof(secret[0]); i++)
		if (strlen(secret[i]) == n && !memcmp(secret[i], key, n))
			return true;
	return false;
}

void query_redact(const char *s, size_t len, void (*put)(void *arg, const char *s, size_t len),
		  void *arg)
{
	const char *end = s + len, *from = s, *next;

	for (; s < end; s = next) {
		const char *amp = memchr(s, '&', (size_t)(end - s)), *eq;

		next = amp ? amp + 1 : end;
		eq = memchr(s, '=', (size_t)(next - s));
		if (!eq || !secret_key(s, (size_t)(eq - s)))
			continue;
		put(arg, from, (size_t)(eq + 1 - from));
		put(arg, "REDACTED", 8);
		from = amp ? amp : end;
	}
	if (from < end)
		put(arg, from, (size_t)(end - from));
}
