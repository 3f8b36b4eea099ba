// SPDX-License-Identifier: Apache-2.0
/* lib/jsonv: what is accepted, what is refused and why, and what values come out. */
#include "jsonv.h"

#include <errno.h>
#include <stdlib.h>

#include "memlimit.h"
#include "tap.h"

static struct jsonv_doc doc;
static struct errinfo error;

static int parse(const char *text)
{
	return jsonv_parse(&doc, text, strlen(text), &error);
}

/* @text for a test's name: on one line. */
static const char *shown(const char *text)
{
	static char buf[64];

	snprintf(buf, sizeof(buf), "%s", text);
	for (char *p = buf; *p; p++)
		if ((unsigned char)*p < ' ')
			*p = '.';
	return buf;
}

static void accepts(const char *text)
{
	ok(parse(text) == 0 && jsonv_root(&doc), "accepted: %s", shown(text));
}

static void refuses(const char *text, const char *why)
{
	int ret = parse(text);

	if (!ok(ret == -EINVAL && strstr(error.text, why) && !jsonv_root(&doc), "refused: %s",
		shown(text)))
		printf("# %d %s\n", ret, error.text);
}

static void test_grammar(void)
{
	static const char *const good[] = {
		"0",
		"-0",
		"12",
		"-1.5e+10",
		"1E5",
		"0.1",
		"true",
		"false",
		"null",
		"\"\"",
		"\"a\"",
		"[]",
		"{}",
		"[1]",
		"[1,2,[3]]",
		" \t\r\n{ \"a\" : 1 , \"b\" : [ ] } ",
		"\"\\u00e9\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
		"\"\xff\xfe bytes\"",
	};
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "", "byte 1: a value expected" },
		{ "  ", "byte 3: a value expected" },
		{ "{", "a key in quotes expected" },
		{ "{\"a\"", "':' expected" },
		{ "{\"a\":", "a value expected" },
		{ "{\"a\":1", "',' or '}' expected" },
		{ "{\"a\":1,", "a key in quotes expected" },
		{ "{\"a\":1,}", "a key in quotes expected" },
		{ "{a:1}", "a key in quotes expected" },
		{ "{1:1}", "a key in quotes expected" },
		{ "{\"a\" 1}", "':' expected" },
		{ "[", "a value expected" },
		{ "[1", "',' or ']' expected" },
		{ "[1,]", "not a value" },
		{ "[1 2]", "',' or ']' expected" },
		{ "[1}", "',' or ']' expected" },
		{ "]", "not a value" },
		{ "1 2", "text after the value" },
		{ "{}x", "text after the value" },
		{ "01", "text after the value" },
		{ "-", "not a value" },
		{ "+1", "not a value" },
		{ ".5", "not a value" },
		{ "1.", "digits expected" },
		{ "1.e5", "digits expected" },
		{ "1e", "digits expected" },
		{ "1e+", "digits expected" },
		{ "tru", "not a value" },
		{ "nulll", "text after the value" },
		{ "NaN", "not a value" },
		{ "'a'", "not a value" },
		{ "\"", "unfinished string" },
		{ "\"a", "unfinished string" },
		{ "\"a\\", "unfinished string" },
		{ "\"a\\\"", "unfinished string" },
		{ "\"\\x\"", "unknown escape" },
		{ "\"\\u12\"", "four hexadecimal digits" },
		{ "\"\\u12g4\"", "four hexadecimal digits" },
		{ "\"\\u", "four hexadecimal digits" },
		{ "\"a\nb\"", "control byte" },
		{ "\"a\x01\"", "byte 3: control byte" },
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		accepts(good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refuses(bad[i].text, bad[i].why);
	is_int(jsonv_parse(&doc, "\"\0\"", 3, &error), -EINVAL,
	       "NUL in a string is a control byte");
	is_int(jsonv_parse(&doc, "\"\\\0\"", 4, &error), -EINVAL, "NUL is no escape");
	is_int(jsonv_parse(&doc, "1\0", 2, &error), -EINVAL, "NUL after the value");
	is_int(jsonv_parse(&doc, "{", 1, NULL), -EINVAL, "no errinfo is needed");
}

/* Every beginning of a valid text is refused and no byte past it is read. */
static void test_truncation(void)
{
	static const char text[] = "{\"a\":[1.5e3,true,\"x\\u00e9\\n\"],\"b\":{\"c\":null}}";
	int accepted = 0;

	for (size_t n = 0; n < sizeof(text) - 1; n++) {
		char *copy = malloc(n ? n : 1); /* exactly so long: the sanitizer sees an overrun */

		memcpy(copy, text, n);
		accepted += jsonv_parse(&doc, copy, n, &error) == 0;
		free(copy);
	}
	is_int(accepted, 0, "no beginning of a text is taken for the whole");
	accepts(text);
}

static char *nested(int depth, char open, char close)
{
	char *s = malloc((size_t)depth * 2 + 1);

	memset(s, open, (size_t)depth);
	memset(s + depth, close, (size_t)depth);
	s[2 * depth] = '\0';
	return s;
}

static void test_limits(void)
{
	char *s = nested(JSONV_MAX_DEPTH, '[', ']');
	size_t n = (size_t)JSONV_MAX_TOKENS * 2 + 16;

	is_int(parse(s), 0, "nested as deep as allowed");
	free(s);
	s = nested(JSONV_MAX_DEPTH + 1, '[', ']');
	is_int(parse(s), -E2BIG, "nested one deeper");
	ok(strstr(error.text, "nested deeper than 32") != NULL, "says so");
	free(s);
	s = nested(1 << 20, '[', ']');
	is_int(parse(s), -E2BIG, "a million deep is no deeper recursion");
	free(s);
	s = malloc(n);
	memset(s, '1', n);
	for (size_t i = 0; i < n; i += 2)
		s[i] = i ? ',' : '[';
	s[(size_t)JSONV_MAX_TOKENS * 2 - 2] = ']';
	is_int(jsonv_parse(&doc, s, (size_t)JSONV_MAX_TOKENS * 2 - 1, &error), 0,
	       "as many values as allowed");
	s[(size_t)JSONV_MAX_TOKENS * 2 - 2] = ',';
	s[(size_t)JSONV_MAX_TOKENS * 2] = ']';
	is_int(jsonv_parse(&doc, s, (size_t)JSONV_MAX_TOKENS * 2 + 1, &error), -E2BIG, "one more");
	ok(!jsonv_root(&doc), "no root after a failure");
	free(s);
	is_int(jsonv_parse(&doc, "1", (size_t)1 << 33, &error), -E2BIG, "a length past 32 bits");
}

static void test_members(void)
{
	const struct jsonv *root, *v;
	uint64_t n;

	parse("{\"a\":{\"x\":[1,2,{\"y\":3}]},\"b\":2,\"b\":4,\"\\u0063\":5,\"\":6}");
	root = jsonv_root(&doc);
	is_int(root->count, 5, "members are counted");
	ok(!jsonv_u64(jsonv_member(root, "b"), &n) && n == 2,
	   "found past a nested value; first wins");
	ok(!jsonv_member(root, "x") && !jsonv_member(root, "y"), "inner keys are not found");
	ok(!jsonv_member(root, "c"), "an escaped key is not found");
	ok(!jsonv_u64(jsonv_member(root, ""), &n) && n == 6, "an empty key is a key");
	ok(!jsonv_member(NULL, "a") && !jsonv_member(jsonv_member(root, "b"), "a"),
	   "no members in nothing or in a number");
	v = jsonv_member(jsonv_member(root, "a"), "x");
	is_int(v->count, 3, "elements are counted");
	v = jsonv_after(jsonv_after(jsonv_first(v)));
	ok(!jsonv_u64(jsonv_member(v, "y"), &n) && n == 3, "walked to the third element");
	parse("[[],{}]");
	ok(!jsonv_first(jsonv_first(jsonv_root(&doc))), "an empty array has no first");
	v = jsonv_root(&doc);
	ok(v->text[0] == '[' && v->len == 7, "a container's text is all of it");
}

static void is_text(const char *json, const char *want, size_t want_len)
{
	const char *s = NULL;
	size_t len = 0;
	int ret = parse(json);

	if (!ret)
		ret = jsonv_str(&doc, jsonv_root(&doc), &s, &len);
	ok(!ret && len == want_len && !memcmp(s, want, len), "text of %s", json);
}

static void test_strings(void)
{
	const struct jsonv *v;
	const char *a, *b;
	size_t na, nb;
	char *copy;

	is_text("\"plain\"", "plain", 5);
	is_text("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 8);
	is_text("\"\\u0041\\u00e9\\u20AC\"", "A\xc3\xa9\xe2\x82\xac", 6);
	is_text("\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80", 4);
	is_text("\"\\ud83d\"", "\xef\xbf\xbd", 3);
	is_text("\"\\ude00x\"", "\xef\xbf\xbdx", 4);
	is_text("\"\\ud83d\\u0041\"",
		"\xef\xbf\xbd"
		"A",
		4);
	is_text("\"\\ud83d\\\\u0041\"", "\xef\xbf\xbd\\u0041", 9);
	is_text("\"\\ud83d\\ud83d\\ude00\"", "\xef\xbf\xbd\xf0\x9f\x98\x80", 7);
	is_text("\"\\u0000\"", "\0", 1);
	is_text("\"\xff\\n\"", "\xff\n", 2);

	parse("[\"a\\n\",\"b\\n\",\"x\\u0000y\",7]");
	v = jsonv_first(jsonv_root(&doc));
	ok(!jsonv_str(&doc, v, &a, &na) && !jsonv_str(&doc, v + 1, &b, &nb) && na == 2 && nb == 2 &&
		   !memcmp(a, "a\n", 2) && !memcmp(b, "b\n", 2),
	   "two unescaped texts live side by side");
	ok(!jsonv_strdup(&doc, v + 2), "no copy of a text with NUL in it");
	ok(!jsonv_strdup(&doc, v + 3) && !jsonv_strdup(&doc, NULL), "no copy of what is no string");
	copy = jsonv_strdup(&doc, v);
	is(copy, "a\n", "a copy");
	free(copy);
	is_int(jsonv_str(&doc, v + 3, &a, &na), -EINVAL, "a number is no text");
	is_int(jsonv_str(&doc, NULL, &a, &na), -EINVAL, "nothing is no text");
	parse("[\"ab\",\"a\\u0062\",1]");
	v = jsonv_first(jsonv_root(&doc));
	ok(jsonv_is(v, "ab") && !jsonv_is(v, "a") && !jsonv_is(v, "abc"), "jsonv_is");
	ok(!jsonv_is(v + 1, "ab") && !jsonv_is(v + 2, "1") && !jsonv_is(NULL, ""),
	   "jsonv_is is for strings without escapes");
}

/* Many long unescaped strings: the memory for them grows by pieces that stay. */
static void test_arena(void)
{
	enum { N = 40, LEN = 3000 };
	char *s = malloc(N * (LEN + 8) + 8), *p = s;
	const char *text[N];
	size_t len;
	int wrong = 0;
	const struct jsonv *v;

	*p++ = '[';
	for (int i = 0; i < N; i++) {
		p += sprintf(p, "%s\"\\n", i ? "," : "");
		memset(p, 'a' + i % 26, LEN);
		p += LEN;
		*p++ = '"';
	}
	*p++ = ']';
	for (int round = 0; round < 3; round++) {
		wrong += jsonv_parse(&doc, s, (size_t)(p - s), &error) != 0;
		v = jsonv_first(jsonv_root(&doc));
		for (int i = 0; i < N; i++, v = jsonv_after(v))
			wrong += jsonv_str(&doc, v, &text[i], &len) || len != LEN + 1;
		for (int i = 0; i < N; i++)
			wrong += text[i][0] != '\n' || text[i][LEN] != 'a' + i % 26;
	}
	is_int(wrong, 0, "unescaped texts stay until the next parse");
	free(s);
}

static void test_numbers(void)
{
	static const struct {
		const char *json;
		int ret;
		uint64_t u;
	} u64[] = {
		{ "0", 0, 0 },
		{ "42", 0, 42 },
		{ "18446744073709551615", 0, UINT64_MAX },
		{ "\"18446744073709551615\"", 0, UINT64_MAX },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "\"99999999999999999999999\"", -ERANGE, 0 },
		{ "\"0xff\"", 0, 255 },
		{ "\"0XFf\"", 0, 255 },
		{ "\"0xffffffffffffffff\"", 0, UINT64_MAX },
		{ "\"0x10000000000000000\"", -ERANGE, 0 },
		{ "\"0x\"", -EINVAL, 0 },
		{ "\"ff\"", -EINVAL, 0 },
		{ "\"\"", -EINVAL, 0 },
		{ "\" 1\"", -EINVAL, 0 },
		{ "\"1 \"", -EINVAL, 0 },
		{ "\"+1\"", -EINVAL, 0 },
		{ "\"\\u0031\"", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
		{ "1.0", -EINVAL, 0 },
		{ "1e3", -EINVAL, 0 },
		{ "true", -EINVAL, 0 },
		{ "[1]", -EINVAL, 0 },
	};
	static const struct {
		const char *json;
		int ret;
		int64_t i;
	} i64[] = {
		{ "-1", 0, -1 },
		{ "9223372036854775807", 0, INT64_MAX },
		{ "-9223372036854775808", 0, INT64_MIN },
		{ "\"-9223372036854775808\"", 0, INT64_MIN },
		{ "9223372036854775808", -ERANGE, 0 },
		{ "-9223372036854775809", -ERANGE, 0 },
		{ "\"-\"", -EINVAL, 0 },
		{ "\"--1\"", -EINVAL, 0 },
		{ "null", -EINVAL, 0 },
	};
	uint64_t u;
	int64_t i;

	for (size_t k = 0; k < sizeof(u64) / sizeof(u64[0]); k++) {
		parse(u64[k].json);
		u = 0;
		ok(jsonv_u64(jsonv_root(&doc), &u) == u64[k].ret && u == u64[k].u, "u64 of %s",
		   u64[k].json);
	}
	for (size_t k = 0; k < sizeof(i64) / sizeof(i64[0]); k++) {
		parse(i64[k].json);
		i = 0;
		ok(jsonv_i64(jsonv_root(&doc), &i) == i64[k].ret && i == i64[k].i, "i64 of %s",
		   i64[k].json);
	}
	ok(jsonv_u64(NULL, &u) == -EINVAL && jsonv_i64(NULL, &i) == -EINVAL,
	   "no number in nothing");
}

static void test_others(void)
{
	uint8_t id[4] = { 0 };
	double d = 0;
	bool b = false;

	parse("-1.25e2");
	ok(!jsonv_double(jsonv_root(&doc), &d) && d == -125.0, "a double");
	parse("1e999");
	is_int(jsonv_double(jsonv_root(&doc), &d), -EINVAL, "a number that is infinite");
	parse("1000000000000000000000000000000000000000000000000000000000000000");
	is_int(jsonv_double(jsonv_root(&doc), &d), -EINVAL, "a number of 64 digits");
	parse("\"1\"");
	is_int(jsonv_double(jsonv_root(&doc), &d), -EINVAL, "a string is no double");
	is_int(jsonv_double(NULL, &d), -EINVAL, "no double in nothing");

	parse("true");
	ok(!jsonv_bool(jsonv_root(&doc), &b) && b, "true");
	parse("false");
	ok(!jsonv_bool(jsonv_root(&doc), &b) && !b, "false");
	parse("null");
	ok(jsonv_bool(jsonv_root(&doc), &b) == -EINVAL && jsonv_bool(NULL, &b) == -EINVAL,
	   "neither");

	parse("\"00a1B2ff\"");
	ok(!jsonv_hex(jsonv_root(&doc), id, 4) && !memcmp(id, "\x00\xa1\xb2\xff", 4), "hex digits");
	is_int(jsonv_hex(jsonv_root(&doc), id, 3), -EINVAL, "too many of them");
	parse("\"00a1B2fg\"");
	is_int(jsonv_hex(jsonv_root(&doc), id, 4), -EINVAL, "no hex digit");
	parse("12345678");
	ok(jsonv_hex(jsonv_root(&doc), id, 4) == -EINVAL && jsonv_hex(NULL, id, 4) == -EINVAL,
	   "hex digits are a string");
}

static void test_without_memory(void)
{
	struct jsonv_doc small = { 0 };
	size_t n = (size_t)JSONV_MAX_TOKENS;
	char *s = malloc(2 * n);

	for (size_t i = 0; i < 2 * n; i++)
		s[i] = i % 2 ? '1' : i ? ',' : '[';
	s[2 * n - 2] = ']';
	if (memlimit_set(1 << 20)) {
		is_int(jsonv_parse(&small, s, 2 * n - 1, &error), -ENOMEM, "no memory for tokens");
		memlimit_lift();
		is_int(jsonv_parse(&small, s, 2 * n - 1, &error), 0, "usable after that");
	}
	jsonv_release(&small);
	free(s);
}

int main(void)
{
	ok(!jsonv_root(&doc), "no root before the first parse");
	test_grammar();
	test_truncation();
	test_limits();
	test_members();
	test_strings();
	test_arena();
	test_numbers();
	test_others();
	test_without_memory();
	jsonv_release(&doc);
	ok(!jsonv_root(&doc), "no root after release");
	return done();
}
