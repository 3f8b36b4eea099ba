// SPDX-License-Identifier: Apache-2.0
/* What gospan keeps of a call's values, and gives back as attributes. */
#include "../../cmd/gospan/values.h"

#include <errno.h>
#include <stdlib.h>

#include "../../cmd/gospan/attrs.h"
#include "../../cmd/gospan/keep.h"
#include "memlimit.h"
#include "tap.h"

static struct jsonv_doc doc;
static struct values vs;
static struct counts counts;

/* Adds an event's "values", "truncated" and "unread" from one JSON object. */
static void keep(const char *json)
{
	struct event ev = { .span = NULL };
	struct errinfo e;

	if (jsonv_parse(&doc, json, strlen(json), &e)) {
		ok(0, "test input: %s", e.text);
		return;
	}
	ev.values = jsonv_member(jsonv_root(&doc), "values");
	ev.truncated = jsonv_member(jsonv_root(&doc), "truncated");
	ev.unread = jsonv_member(jsonv_root(&doc), "unread");
	is_int(keep_event(&vs, &ev, &counts), 0, "kept");
}

static void is_text(enum name name, const char *want, const char *what)
{
	struct slice t;
	struct attrs a;

	attrs_init(&a, &vs, &doc);
	t = attrs_get(&a, name);
	ok(t.len == strlen(want) && !memcmp(t.s ? t.s : "", want, t.len), "%s", what);
}

static void are_others(const char *want, const char *what)
{
	struct attrs a;
	struct jsonw w;

	attrs_init(&a, &vs, &doc);
	jsonw_init(&w, -1);
	attrs_write_others(&a, &w);
	jsonw_raw(&w, NULL, "", 1);
	w.buf[w.len - 1] = '\0';
	if (w.len >= 2)
		w.buf[w.len - 2] = '\0'; /* the comma in front of nothing */
	is(w.buf, want, what);
	jsonw_release(&w);
}

static void test_names(void)
{
	is_int(name_find("url.path", 8, NAME_COUNT), NAME_PATH, "a name");
	is_int(name_find("url.path", 8, NAME_PATH), NAME_PATH, "with the right hint");
	is_int(name_find("url.path", 8, NAME_QUERY), NAME_PATH, "with a wrong hint");
	is_int(name_find("go.tls", 6, NAME_RAW), NAME_GO_TLS, "raw material that is used");
	is_int(name_find("go.x", 4, NAME_COUNT), NAME_RAW, "raw material that is not");
	is_int(name_find("gotap.keep0", 11, NAME_OTHER), NAME_RAW, "goattach's own");
	is_int(name_find("go", 2, NAME_COUNT), NAME_OTHER, "not raw material");
	is_int(name_find("gopher.x", 8, NAME_COUNT), NAME_OTHER, "nor this");
	is_int(name_find("", 0, NAME_COUNT), NAME_OTHER, "an empty name");
	for (enum name n = 0; n < NAME_RAW; n++)
		if (name_find(name_text(n), strlen(name_text(n)), NAME_COUNT) != n)
			ok(0, "%s is found", name_text(n));
}

static void test_overriding(void)
{
	int64_t n;
	struct attrs a;

	keep("{\"values\":{\"url.path\":\"/a\",\"my.x\":1,\"my.y\":\"2\",\"n\\u0061me\":true}}");
	is_text(NAME_PATH, "/a", "a value");
	are_others("\"my.x\":1,\"my.y\":\"2\",\"name\":true", "others in order, keys unescaped");
	keep("{\"values\":{\"my.x\":3,\"url.path\":\"/b\",\"http.response.status_code\":\"204\"}}");
	is_text(NAME_PATH, "/b", "a later value wins");
	are_others("\"my.y\":\"2\",\"name\":true,\"my.x\":3", "among the others too");
	attrs_init(&a, &vs, &doc);
	ok(attrs_i64(&a, NAME_STATUS_CODE, &n) && n == 204, "a number as a string");
	ok(!attrs_i64(&a, NAME_PATH, &n) && !attrs_i64(&a, NAME_QUERY, &n), "no number");
	values_clear(&vs);
	are_others("", "nothing after clearing");
}

static void test_types(void)
{
	struct attrs a;

	keep("{\"values\":{\"a\":null,\"b\":[1],\"c\":{\"d\":1},\"go.tls\":true,\"go.hijacked\":0}}");
	are_others("", "null, arrays and objects are no attributes");
	is_int((long long)counts.lost[LOST_VALUE_TYPE], 2, "arrays and objects are counted");
	attrs_init(&a, &vs, &doc);
	ok(attrs_true(&a, NAME_GO_TLS), "true is true");
	ok(!attrs_true(&a, NAME_GO_HIJACKED) && !attrs_true(&a, NAME_PATH),
	   "0 is not, nor is nothing");
	values_clear(&vs);
	keep("{\"values\":{\"go.tls\":\"x\",\"go.hijacked\":-1}}");
	attrs_init(&a, &vs, &doc);
	ok(attrs_true(&a, NAME_GO_TLS) && attrs_true(&a, NAME_GO_HIJACKED), "text and -1 are true");
	values_clear(&vs);
	keep("{\"values\":{\"go.tls\":\"\",\"go.hijacked\":false}}");
	attrs_init(&a, &vs, &doc);
	ok(!attrs_true(&a, NAME_GO_TLS) && !attrs_true(&a, NAME_GO_HIJACKED),
	   "no text and false are not");
	values_clear(&vs);
}

static void test_cut(void)
{
	static const char *const t[][2] = {
		{ "/\xc3\xa9", "/\xc3\xa9" },
		{ "/\xc3", "/" },
		{ "/\xe2\x82", "/" },
		{ "/\xe2", "/" },
		{ "/\xf0\x9f\x98", "/" },
		{ "/\xf0\x9f\x98\x80", "/\xf0\x9f\x98\x80" },
		{ "/a\xef\xbf\xbd\xef\xbf\xbd", "/a" },
		{ "\xef\xbf\xbd", "" },
		{ "\x80\x80\x80\x80", "\x80\x80\x80\x80" },
		{ "abc", "abc" },
		{ "", "" },
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		char json[200];

		snprintf(json, sizeof(json),
			 "{\"values\":{\"url.path\":\"%s\"},\"truncated\":[\"url.path\"]}",
			 t[i][0]);
		keep(json);
		is_text(NAME_PATH, t[i][1], "cut at a character");
		values_clear(&vs);
	}
	keep("{\"values\":{\"url.path\":\"/\xc3\"},\"truncated\":[\"my.a\",7]}");
	is_text(NAME_PATH, "/\xc3", "left alone if it was not cut");
	keep("{\"values\":{\"my.a\":\"\xc3\",\"my.b\":\"\xc3\"},\"truncated\":[\"my.a\"]}");
	are_others("\"my.a\":\"\",\"my.b\":\"\\ufffd\"", "the same for other names");
	values_clear(&vs);
	keep("{\"values\":{\"url.path\":\"/\xc3\"},\"truncated\":[\"url.path\"]}");
	keep("{\"values\":{\"url.path\":\"/\xc3\"}}");
	is_text(NAME_PATH, "/\xc3", "cut goes by event");
	keep("{\"truncated\":[\"url.path\"]}");
	is_text(NAME_PATH, "/\xc3", "and not to values before it");
	values_clear(&vs);
}

static void test_limits(void)
{
	struct jsonv v = { .text = "1", .len = 1, .next = 1, .type = JSONV_NUMBER };
	struct jsonv big = { .len = 1 << 20, .next = 1, .type = JSONV_STRING };
	char *text = malloc(big.len);
	int ret = 0;

	for (int i = 0; i < VALUES_MAX; i++)
		ret |= values_add(&vs, ROLE_ATTRIBUTE, NAME_PATH, NULL, &v);
	is_int(ret, 0, "as many values as allowed");
	is_int(values_add(&vs, ROLE_ATTRIBUTE, NAME_PATH, NULL, &v), -E2BIG, "one more");
	memset(text, 'x', big.len);
	big.text = text;
	values_clear(&vs);
	is_int(values_add(&vs, ROLE_ATTRIBUTE, NAME_PATH, NULL, &big), 0, "a large text");
	ok(vs.text_cap >= big.len, "has its memory");
	values_clear(&vs);
	ok(!vs.text_cap && !vs.cap, "which is given back");
	values_add(&vs, ROLE_ATTRIBUTE, NAME_PATH, NULL, &v);
	values_clear(&vs);
	ok(vs.text_cap && vs.cap && !vs.n && !vs.text_len, "a little is kept");
	if (memlimit_set(0)) {
		for (ret = 0; !ret && vs.n < VALUES_MAX;)
			ret = values_add(&vs, ROLE_ATTRIBUTE, NAME_PATH, NULL, &big);
		memlimit_lift();
		is_int(ret, -ENOMEM, "no memory");
	}
	values_release(&vs);
	free(text);
}

int main(void)
{
	test_names();
	test_overriding();
	test_types();
	test_cut();
	test_limits();
	jsonv_release(&doc);
	return done();
}
