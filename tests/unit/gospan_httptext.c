// SPDX-License-Identifier: Apache-2.0
/* gospan's readers of addresses, routes, queries, protocols and tracestate. */
#include "../../cmd/gospan/httptext.h"

#include <stdlib.h>

#include "tap.h"

static void is_slice(struct slice got, const char *want, const char *what, const char *of)
{
	int good = want ? got.s && got.len == strlen(want) && !memcmp(got.s, want, got.len)
			: !got.len;

	if (!ok(good, "%s of '%s'", what, of))
		printf("# got: %.*s\n", (int)got.len, got.s ? got.s : "");
}

static void test_hostport(void)
{
	static const struct {
		const char *text, *host;
		int port;
	} t[] = {
		{ "", NULL, 0 },
		{ "example.com", "example.com", 0 },
		{ "example.com:80", "example.com", 80 },
		{ "example.com:1", "example.com", 1 },
		{ "example.com:65535", "example.com", 65535 },
		{ "example.com:65536", "example.com", 0 },
		{ "example.com:0", "example.com", 0 },
		{ "example.com:", "example.com", 0 },
		{ "example.com:8o", "example.com", 0 },
		{ "example.com:-1", "example.com", 0 },
		{ "example.com:000080", "example.com", 0 },
		{ ":80", NULL, 80 },
		{ ":", NULL, 0 },
		{ "127.0.0.1:5123", "127.0.0.1", 5123 },
		{ "[::1]:443", "::1", 443 },
		{ "[::1]", "::1", 0 },
		{ "[::1]x", "::1", 0 },
		{ "[::1]:", "::1", 0 },
		{ "[]:1", NULL, 1 },
		{ "[fe80::1%eth0]:9", "fe80::1%eth0", 9 },
		{ "[::1", "[::1", 0 },
		{ "::1", "::1", 0 },
		{ "2001:db8::1", "2001:db8::1", 0 },
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct hostport hp = hostport_split(t[i].text, strlen(t[i].text));

		is_slice(hp.host, t[i].host, "host", t[i].text);
		ok(hp.port == t[i].port, "port of '%s'", t[i].text);
	}
	ok(!hostport_split(NULL, 0).host.len, "nothing has no host");
}

static void test_route(void)
{
	static const char *const t[][2] = {
		{ "/", "/" },
		{ "/items/{id}", "/items/{id}" },
		{ "GET /items/{id}", "/items/{id}" },
		{ "GET \t/x", "/x" },
		{ "example.com/", "/" },
		{ "POST example.com/a/{b...}", "/a/{b...}" },
		{ "/{$}", "/{$}" },
		{ "GET /a b", "/a b" },
		{ "", NULL },
		{ "GET", NULL },
		{ "example.com", NULL },
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		is_slice(route_path(t[i][0], strlen(t[i][0])), t[i][1], "path", t[i][0]);
}

static void test_protocol(void)
{
	static const char *const t[][2] = {
		{ "HTTP/1.1", "1.1" }, { "HTTP/1.0", "1.0" }, { "HTTP/2.0", "2" },
		{ "HTTP/3.0", "3" },   { "HTTP/2", "2" },     { "HTTP/2.1", "2.1" },
		{ "HTTP/", NULL },     { "HTTP", NULL },      { "", NULL },
		{ "http/1.1", NULL },  { "SPDY/3", NULL },    { "HTTP/x", NULL },
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		is_slice(protocol_version(t[i][0], strlen(t[i][0])), t[i][1], "version", t[i][0]);
}

static char *members(int n)
{
	char *s = malloc((size_t)n * 8 + 1), *p = s;

	for (int i = 0; i < n; i++)
		p += sprintf(p, "%sk%d=v", i ? "," : "", i);
	return s;
}

/* A tracestate with one member whose key and value are so long. */
static bool valid_lengths(size_t key, size_t value)
{
	char s[600];

	memset(s, 'a', key);
	s[key] = '=';
	memset(s + key + 1, 'b', value);
	return tracestate_valid(s, key + 1 + value);
}

static void test_tracestate(void)
{
	static const char *const good[] = { "a=1",	 "a=1,b=2", " a=1 ,\tb=2 ", "0=x",
					    "a_-*/@b=x", "a=b c",   "a=1,,b=2",	    ",a=1" };
	static const char *const bad[] = { "",		 " ",	 ",",	  "a",	   "=1",
					   "a=",	 "A=1",	 "a b=1", "a=1=2", "a=\x01",
					   "a=\xc3\xa9", "-a=1", "a=1,b" };
	char *s;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		ok(tracestate_valid(good[i], strlen(good[i])), "tracestate '%s'", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(!tracestate_valid(bad[i], strlen(bad[i])), "no tracestate, number %zu", i);
	s = members(32);
	ok(tracestate_valid(s, strlen(s)), "32 members");
	free(s);
	s = members(33);
	ok(!tracestate_valid(s, strlen(s)), "33 members are too many");
	free(s);
	ok(valid_lengths(256, 256), "a long key and value");
	ok(!valid_lengths(257, 1) && !valid_lengths(1, 257), "one byte too many");
	ok(!tracestate_valid("a\0b=1", 5), "NUL in a key");
}

static char redacted[256];

static void collect(void *arg, const char *s, size_t len)
{
	(void)arg;
	strncat(redacted, s, len);
}

static void test_redaction(void)
{
	static const char *const t[][2] = {
		{ "a=1&b=2", "a=1&b=2" },
		{ "sig=abc", "sig=REDACTED" },
		{ "sig=", "sig=REDACTED" },
		{ "sig", "sig" },
		{ "=sig", "=sig" },
		{ "&", "&" },
		{ "&&sig=a&&b", "&&sig=REDACTED&&b" },
		{ "sig=a&sig=b", "sig=REDACTED&sig=REDACTED" },
		{ "x=sig=abc", "x=sig=abc" },
		{ "Sig=a&SIG=b", "Sig=a&SIG=b" },
		{ "%73ig=a&s%49g=b", "%73ig=REDACTED&s%49g=b" },
		{ "sig%=a&sig%7=b&%zzsig=c", "sig%=a&sig%7=b&%zzsig=c" },
		{ "X-Amz-Security-Token=t&X-Amz-Security-TokenX=t",
		  "X-Amz-Security-Token=REDACTED&X-Amz-Security-TokenX=t" },
		{ "sig%00=a", "sig%00=a" },
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		redacted[0] = '\0';
		query_redact(t[i][0], strlen(t[i][0]), collect, NULL);
		is(redacted, t[i][1], t[i][0]);
	}
}

int main(void)
{
	test_hostport();
	test_route();
	test_protocol();
	test_tracestate();
	test_redaction();
	return done();
}
