// SPDX-License-Identifier: Apache-2.0
/* Event lines: every form of value, odd records, and what is left out. */
#include "../../cmd/goattach/event.h"

#include <stdlib.h>

#include "tap.h"

static struct jsonw w;
static struct {
	struct gotap_event ev;
	uint8_t data[256];
} rec;

static struct capture captures[] = {
	{ .name = (char *)"text", .form = FORM_TEXT },
	{ .name = (char *)"int", .form = FORM_INT, .size = 2 },
	{ .name = (char *)"uint", .form = FORM_UINT, .size = 4 },
	{ .name = (char *)"bool", .form = FORM_BOOL, .size = 1 },
	{ .name = (char *)"float", .form = FORM_FLOAT, .size = 8 },
	{ .name = (char *)"pointer", .form = FORM_POINTER, .size = 8 },
	{ .name = (char *)"float32", .form = FORM_FLOAT, .size = 4 },
};
static struct program program = { .n = 7, .captures = { 0, 1, 2, 3, 4, 5, 6 } };
static struct probe probe = { .captures = captures, .n_captures = 7 };

static const char *line(size_t size)
{
	w.len = w.mark = 0;
	static const struct event_from from = { .pid = 42, .bias = 0x1000 };

	event_write(&w, &rec.ev, size, &from, &probe, &probe, &program);
	w.buf[w.len ? w.len - 1 : 0] = '\0';
	return w.buf;
}

static void put(const void *p, size_t n)
{
	memcpy(rec.data + rec.ev.used, p, n);
	rec.ev.used = (uint16_t)((rec.ev.used + n + 7) & ~7U);
}

static void number(uint64_t n)
{
	put(&n, sizeof(n));
}

static void start(enum gotap_event_kind kind)
{
	memset(&rec, 0, sizeof(rec));
	rec.ev.t = 7;
	rec.ev.goid = 118;
	rec.ev.tid = 43;
	rec.ev.depth = 1136;
	rec.ev.event = (uint8_t)kind;
	memset(rec.ev.trace_id, 0xab, 16);
	memset(rec.ev.span_id, 0xcd, 8);
}

#define HEAD                                                                                       \
	"{\"type\":\"event\",\"v\":1,\"t\":\"7\",\"pid\":42,\"tid\":43,\"goid\":\"118\","          \
	"\"depth\":1136,\"probe\":\"P\","
#define IDS "\"trace_id\":\"abababababababababababababababab\",\"span_id\":\"cdcdcdcdcdcdcdcd\""

static void values(void)
{
	double d = 1.5, nan = 0.0 / 0.0;
	float f = 0.25F;
	uint32_t bits;
	uint64_t raw;

	start(GOTAP_BEGIN);
	rec.ev.flags = 1;
	rec.ev.parent_from = GOTAP_PARENT_REMOTE;
	memset(rec.ev.parent_id, 0xef, 8);
	rec.ev.present = 0x7f;
	put("\x05\x00g\"\xff\nt", 7);
	number(0xffff);
	number(0xffffffffffffffff);
	number(0x100);
	memcpy(&raw, &d, sizeof(raw));
	number(raw);
	number(0xc000010000);
	memcpy(&bits, &f, sizeof(bits));
	number(bits);
	is(line(sizeof(rec)),
	   HEAD
	   "\"event\":\"begin\"," IDS
	   ",\"parent_id\":\"efefefefefefefef\",\"parent_from\":\"remote\",\"flags\":1,"
	   "\"values\":{\"text\":\"g\\\"\\ufffd\\nt\",\"int\":-1,\"uint\":4294967295,\"bool\":false,"
	   "\"float\":1.5,\"pointer\":\"0xc000010000\",\"float32\":0.25}}",
	   "all forms");

	start(GOTAP_END);
	rec.ev.present = 1 << 4;
	memcpy(&raw, &nan, sizeof(raw));
	number(raw);
	is(line(sizeof(rec)), HEAD "\"event\":\"end\"," IDS ",\"values\":{}}", "a NaN is left out");

	start(GOTAP_END);
	rec.ev.present = 1 << 1;
	number(5);
	rec.ev.unread = 1 << 0;
	rec.ev.truncated = 1 << 5;
	is(line(sizeof(rec)),
	   HEAD "\"event\":\"end\"," IDS
		",\"values\":{\"int\":5},\"unread\":[\"text\"],\"truncated\":[\"pointer\"]}",
	   "what could not be read, and what was cut");

	start(GOTAP_UNWIND);
	rec.ev.unwind = GOTAP_UNWIND_GOEXIT;
	rec.ev.present = 0xffff;
	is(line(sizeof(rec.ev)), HEAD "\"event\":\"unwind\"," IDS ",\"unwind\":\"goexit\"}",
	   "an unwind has no values");
	start(GOTAP_UNWIND);
	rec.ev.present = 2;
	number(5);
	is(line(sizeof(rec.ev) + rec.ev.used),
	   HEAD "\"event\":\"unwind\"," IDS ",\"unwind\":\"panic\",\"values\":{\"int\":5}}",
	   "but for those that the recovery gave");

	start(GOTAP_BEGIN);
	rec.ev.parent_from = GOTAP_PARENT_LINK;
	memset(rec.ev.parent_id, 0xef, 8);
	rec.ev.present = 2;
	number(5);
	memset(rec.data + rec.ev.used, 0x12, GOTAP_TRACE_ID);
	is(line(sizeof(rec.ev) + rec.ev.used + GOTAP_TRACE_ID),
	   HEAD "\"event\":\"begin\"," IDS
		",\"parent_from\":\"none\",\"flags\":0,\"sampled\":false,"
		"\"links\":[{\"trace_id\":\"12121212121212121212121212121212\","
		"\"span_id\":\"efefefefefefefef\"}],\"values\":{\"int\":5}}",
	   "a link is no parent");
	is(line(sizeof(rec.ev) + rec.ev.used + 8),
	   HEAD "\"event\":\"begin\"," IDS
		",\"parent_from\":\"none\",\"flags\":0,\"sampled\":false,"
		"\"values\":{\"int\":5}}",
	   "a link that is cut short is none");

	start(GOTAP_POINT);
	memset(rec.ev.span_id, 0, 8);
	is(line(sizeof(rec.ev)), HEAD "\"event\":\"point\"}", "a point outside of any call");
}

static void constants(void)
{
	static struct capture two[] = {
		{ .name = (char *)"system", .form = FORM_CONST_TEXT, .constant = (char *)"a\"b" },
		{ .name = (char *)"n", .form = FORM_CONST, .constant = (char *)"17" },
		{ .name = (char *)"int", .form = FORM_INT, .size = 8 },
	};
	struct program pr = { .n = 3, .captures = { 0, 1, 2 } }, saved_program = program;
	struct probe saved = probe;

	for (size_t i = 0; i < 3; i++)
		two[i].name_len = strlen(two[i].name);
	probe.captures = two;
	probe.n_captures = 3;
	program = pr;
	start(GOTAP_END);
	is(line(sizeof(rec.ev)),
	   HEAD "\"event\":\"end\"," IDS ",\"values\":{\"system\":\"a\\\"b\",\"n\":17}}",
	   "constants come without anything that was read");
	rec.ev.present = 1 << 2;
	number(5);
	is(line(sizeof(rec)),
	   HEAD "\"event\":\"end\"," IDS ",\"values\":{\"system\":\"a\\\"b\",\"n\":17,\"int\":5}}",
	   "and with it");
	probe = saved;
	program = saved_program;
}

/* Two captures of one name are one time; a word alone is none. */
static void times(void)
{
	static struct capture two[] = {
		{ .name = (char *)"at", .name_len = 2, .form = FORM_TIME_WALL, .size = 8 },
		{ .name = (char *)"at", .name_len = 2, .form = FORM_TIME_EXT, .size = 8 },
		{ .name = (char *)"type", .name_len = 4, .form = FORM_TYPE, .size = 8 },
	};
	struct program pr = { .n = 3, .captures = { 0, 1, 2 } }, saved_program = program;
	struct probe saved = probe;

	probe.captures = two;
	probe.n_captures = 3;
	program = pr;
	start(GOTAP_END);
	rec.ev.present = 3;
	number(0);
	number(0xe7791f700);
	is(line(sizeof(rec)),
	   HEAD "\"event\":\"end\"," IDS ",\"values\":{\"at\":\"1970-01-01T00:00:00Z\"}}",
	   "a time");
	start(GOTAP_END);
	rec.ev.present = 2 | 4;
	number(0xe7791f700);
	number(0x5000);
	is(line(sizeof(rec)), HEAD "\"event\":\"end\"," IDS ",\"values\":{}}",
	   "half of one is left out, and a type without a name");
	probe = saved;
	program = saved_program;
}

/* Nothing of this comes from our own kernel side, but nothing of it may do harm. */
static void odd(void)
{
	start(GOTAP_END);
	rec.ev.present = 0xffff;
	rec.ev.used = 0xffff;
	is(line(sizeof(rec.ev)), HEAD "\"event\":\"end\"," IDS ",\"values\":{}}",
	   "values past the record's end");
	start(GOTAP_END);
	rec.ev.present = 1;
	rec.ev.used = 8;
	rec.data[0] = 0xff;
	is(line(sizeof(rec.ev) + 8), HEAD "\"event\":\"end\"," IDS ",\"values\":{}}",
	   "a text longer than the record");
	start(GOTAP_UNWIND);
	rec.ev.unwind = 200;
	is(line(sizeof(rec.ev)), HEAD "\"event\":\"unwind\"," IDS "}", "an unknown reason");
}

/* One attribute as the kernel side copies it. */
static void attribute(unsigned int type, const char *key, const void *value, size_t len)
{
	uint64_t head = type | strlen(key) << GOTAP_ATTRIBUTE_KEY_SHIFT |
			(uint64_t)len << GOTAP_ATTRIBUTE_LEN_SHIFT;

	number(head);
	put(key, strlen(key));
	put(value, len);
}

static void attributes(void)
{
	static struct capture one = { .name = (char *)"a", .name_len = 1, .form = FORM_ATTRS };
	static struct program all = { .n = 1, .captures = { 0 } };
	static struct probe p = { .captures = &one, .n_captures = 1 };
	static const struct event_from from = { .pid = 42 };
	uint64_t yes = 1, less = (uint64_t)-5, list = 0;
	double half = 0.5, no_number = 0.0 / 0.0;
	uint16_t len;

	memcpy(p.head, probe.head, sizeof(p.head));
	start(GOTAP_POINT);
	rec.ev.present = 1;
	number(0);
	attribute(GOTAP_ATTRIBUTE_BOOL, "b", &yes, 8);
	attribute(GOTAP_ATTRIBUTE_INT, "twelve-bytes", &less, 8);
	attribute(GOTAP_ATTRIBUTE_FLOAT, "f", &half, 8);
	attribute(GOTAP_ATTRIBUTE_FLOAT, "nan", &no_number, 8);
	attribute(GOTAP_ATTRIBUTE_STRING, "s\"", "text", 4);
	attribute(7, "list", &list, 0);
	attribute(GOTAP_ATTRIBUTE_STRING, "empty", "", 0);
	len = (uint16_t)(rec.ev.used - 2);
	memcpy(rec.data, &len, sizeof(len));
	for (size_t cut = 0; cut <= rec.ev.used; cut++) {
		size_t size = sizeof(rec.ev) + cut;

		w.len = w.mark = 0;
		event_write(&w, &rec.ev, size, &from, &p, &p, &all);
		w.buf[w.len - 1] = '\0';
		if (cut == rec.ev.used)
			ok(strstr(w.buf,
				  "\"values\":{\"a\":{\"b\":true,\"twelve-bytes\":-5,\"f\":0.5,"
				  "\"s\\\"\":\"text\",\"empty\":\"\"}}") != NULL,
			   "attributes of every type: %s", w.buf);
	}
	rec.data[8 + 2] = 0xff; /* a value that is longer than what is there */
	rec.data[8 + 3] = 0xff;
	w.len = w.mark = 0;
	event_write(&w, &rec.ev, sizeof(rec.ev) + rec.ev.used, &from, &p, &p, &all);
	w.buf[w.len - 1] = '\0';
	ok(strstr(w.buf, "\"values\":{\"a\":{}}") != NULL, "and of none that makes no sense");
}

int main(void)
{
	static const char *const heads[] = { "\"P\",\"event\":\"begin\"", "\"P\",\"event\":\"end\"",
					     "\"P\",\"event\":\"unwind\"",
					     "\"P\",\"event\":\"point\"" };

	for (int i = 0; i < 4; i++) {
		probe.head[i].text = (char *)heads[i];
		probe.head[i].len = strlen(heads[i]);
	}
	for (size_t i = 0; i < sizeof(captures) / sizeof(captures[0]); i++)
		captures[i].name_len = strlen(captures[i].name);
	jsonw_init(&w, -1);
	values();
	constants();
	times();
	odd();
	attributes();
	jsonw_release(&w);
	return done();
}
