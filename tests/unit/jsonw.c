// SPDX-License-Identifier: Apache-2.0
/* lib/jsonw: the bytes that come out, and what happens when they cannot. */
#include "jsonw.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "jsonv.h"
#include "memlimit.h"
#include "tap.h"

/* What one string comes out as, without the quotes. */
static const char *written(const char *s, size_t len)
{
	static char buf[512];
	struct jsonw w;

	jsonw_init(&w, -1);
	jsonw_str(&w, NULL, s, len);
	snprintf(buf, sizeof(buf), "%.*s", (int)w.len - 2, w.buf + 1);
	jsonw_release(&w);
	return buf;
}

static void test_strings(void)
{
	struct jsonv_doc doc = { 0 };
	struct jsonw w;
	char every[256];
	const char *s;
	size_t len;

	is(written("plain", 5), "plain", "plain text");
	is(written("", 0), "", "no text");
	is(written(NULL, 0), "", "not even a pointer to it");
	is(written("\"\\/\b\f\n\r\t", 8), "\\\"\\\\/\\b\\f\\n\\r\\t", "named escapes");
	is(written("\x01\x1f\x7f", 3), "\\u0001\\u001f\\u007f", "control characters");
	is(written("a\0b", 3), "a\\u0000b", "NUL");
	is(written("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9),
	   "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "UTF-8 stays");
	is(written("\xff"
		   "a\xc0\xaf",
		   4),
	   "\\ufffda\\ufffd\\ufffd", "each bad byte is U+FFFD");
	is(written("\xe2\x82", 2), "\\ufffd\\ufffd", "an unfinished character");
	is(written("\xed\xa0\x80", 3), "\\ufffd\\ufffd\\ufffd", "a surrogate in UTF-8");
	is(written("ab\"\xff", 4), "ab\\\"\\ufffd", "plain, escape, bad byte");

	for (int i = 0; i < 256; i++)
		every[i] = (char)i;
	jsonw_init(&w, -1);
	jsonw_str(&w, NULL, every, sizeof(every));
	ok(!jsonv_parse(&doc, w.buf, w.len, NULL) && !jsonv_str(&doc, jsonv_root(&doc), &s, &len) &&
		   len == 128 + 128 * 3 && !memcmp(s, every, 128),
	   "every byte, and back");
	jsonw_release(&w);
	jsonv_release(&doc);
}

static void test_record(void)
{
	struct jsonw w;

	jsonw_init(&w, -1);
	jsonw_record(&w, "event");
	jsonw_cstr(&w, "s", "x");
	jsonw_str(&w, "n", "a\nb", 3);
	jsonw_int(&w, "min", INT64_MIN);
	jsonw_int(&w, "zero", 0);
	jsonw_uint(&w, "max", UINT64_MAX);
	jsonw_u64(&w, "big", UINT64_MAX);
	jsonw_addr(&w, "addr", 0xdeadbeef);
	jsonw_hex(&w, "id", (const uint8_t *)"\x00\x1f\xab", 3);
	jsonw_bool(&w, "t", true);
	jsonw_bool(&w, "f", false);
	jsonw_null(&w, "null");
	jsonw_raw(&w, "raw", "{\"a\":1}", 7);
	jsonw_obj(&w, "o");
	jsonw_end_obj(&w);
	jsonw_arr(&w, "a");
	jsonw_int(&w, NULL, 1);
	jsonw_obj(&w, NULL);
	jsonw_str_key(&w, "k\"", 2, "v", 1);
	jsonw_key(&w, "arr", 3);
	jsonw_arr(&w, NULL);
	jsonw_end_arr(&w);
	jsonw_end_obj(&w);
	jsonw_cstr(&w, NULL, "e");
	jsonw_end_arr(&w);
	jsonw_end_record(&w);
	jsonw_line(&w, "{\"raw\" : 1}", 11);
	jsonw_str(&w, NULL, "", 0);
	w.buf[w.len - 2] = '\0';
	is(w.buf,
	   "{\"type\":\"event\",\"v\":1,\"s\":\"x\",\"n\":\"a\\nb\",\"min\":-9223372036854775808,"
	   "\"zero\":0,\"max\":18446744073709551615,\"big\":\"18446744073709551615\","
	   "\"addr\":\"0xdeadbeef\",\"id\":\"001fab\",\"t\":true,\"f\":false,\"null\":null,"
	   "\"raw\":{\"a\":1},\"o\":{},\"a\":[1,{\"k\\\"\":\"v\",\"arr\":[]},\"e\"]}\n"
	   "{\"raw\" : 1}\n",
	   "a record with everything in it, and a line after it");
	is_int(w.err, 0, "no failure");
	jsonw_release(&w);
}

static void is_double(double d, const char *want)
{
	struct jsonw w;

	jsonw_init(&w, -1);
	jsonw_double(&w, NULL, d);
	jsonw_raw(&w, NULL, "", 1);
	w.buf[w.len - 2] = '\0'; /* over the comma */
	is(w.buf, want, "a double");
	jsonw_release(&w);
}

static void test_doubles(void)
{
	is_double(0.1, "0.1");
	is_double(1.5, "1.5");
	is_double(-3, "-3");
	is_double(1e22, "1e+22");
	is_double(0.1 + 0.2, "0.30000000000000004");
	is_double(5e-324, "4.94065645841247e-324");
	is_double(NAN, "null");
	is_double(INFINITY, "null");
}

static void test_abandon(void)
{
	struct jsonw w;

	jsonw_init(&w, -1);
	jsonw_line(&w, "{}", 2);
	jsonw_record(&w, "span");
	jsonw_obj(&w, "attributes");
	jsonw_abandon(&w);
	ok(w.len == 3 && !memcmp(w.buf, "{}\n", 3), "what was begun is gone, what was ended stays");
	jsonw_record(&w, "x");
	jsonw_end_record(&w);
	w.buf[w.len - 1] = '\0';
	is(w.buf + 3, "{\"type\":\"x\",\"v\":1}", "the next record has no comma too many");
	jsonw_release(&w);
}

static void test_flush(void)
{
	char text[70000], got[sizeof(text) + 64];
	struct jsonw w;
	int fd[2];

	if (pipe(fd) || fcntl(fd[1], F_SETPIPE_SZ, 1 << 20) < 0)
		return;
	memset(text, 'x', sizeof(text));
	jsonw_init(&w, fd[1]);
	jsonw_record(&w, "a");
	is_int(jsonw_flush(&w), 0, "flushing an unfinished record");
	ok(w.len > 0, "writes nothing of it");
	jsonw_end_record(&w);
	is_int((long long)w.len, 19, "a small record waits");
	jsonw_record(&w, "b");
	is_int(jsonw_flush(&w), 0, "flushing with one finished and one unfinished record");
	is_int(read(fd[0], got, sizeof(got)), 19, "writes the finished one");
	jsonw_str(&w, "text", text, sizeof(text));
	jsonw_end_record(&w);
	is_int((long long)w.len, 0, "a large one goes out by itself");
	is_int(read(fd[0], got, sizeof(got)), (long long)sizeof(text) + 29, "all of it");
	jsonw_line(&w, text, sizeof(text));
	is_int((long long)w.len, 0, "and so does a large line");
	jsonw_release(&w);
	close(fd[0]);
	close(fd[1]);
}

static void fails(int fd, int want, const char *name)
{
	struct jsonw w;
	int ret;

	jsonw_init(&w, fd);
	jsonw_line(&w, "{}", 2);
	ret = jsonw_flush(&w);
	is_int(ret, want, name);
	jsonw_line(&w, "{}", 2);
	jsonw_record(&w, "x");
	jsonw_end_record(&w);
	ok(jsonw_flush(&w) == want && w.len == 3, "%s: it sticks, and nothing is added", name);
	jsonw_release(&w);
}

static void test_failures(void)
{
	int full = open("/dev/full", O_WRONLY), fd[2];

	signal(SIGPIPE, SIG_IGN);
	fails(full, -ENOSPC, "a full disk");
	close(full);
	fails(full, -EBADF, "a closed descriptor");
	if (pipe(fd))
		return;
	close(fd[0]);
	fails(fd[1], -EPIPE, "a reader that went away");
	close(fd[1]);
}

static void *drain(void *arg)
{
	size_t *total = ((void **)arg)[1];
	int fd = *(int *)((void **)arg)[0];
	char buf[4096];
	ssize_t n;

	usleep(20000);
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		*total += (size_t)n;
	return NULL;
}

/* Another program may have made the shared pipe non-blocking. */
static void test_nonblocking(void)
{
	size_t total = 0, sent = 0;
	struct jsonw w;
	pthread_t reader;
	int fd[2];
	void *arg[2] = { &fd[0], &total };

	if (pipe(fd))
		return;
	fcntl(fd[1], F_SETFL, O_NONBLOCK);
	pthread_create(&reader, NULL, drain, arg);
	jsonw_init(&w, fd[1]);
	for (int i = 0; i < 1000; i++, sent += 1001) {
		char line[1000];

		memset(line, 'x', sizeof(line));
		jsonw_line(&w, line, sizeof(line));
	}
	is_int(jsonw_flush(&w), 0, "a full non-blocking pipe is waited for");
	close(fd[1]);
	pthread_join(reader, NULL);
	is_int((long long)total, (long long)sent, "and everything arrives");
	jsonw_release(&w);
	close(fd[0]);
}

static void test_without_memory(void)
{
	struct jsonw w;
	char *text = malloc(1 << 20);

	memset(text, 'x', 1 << 20);
	jsonw_init(&w, -1);
	if (memlimit_set(64 << 20)) {
		for (int i = 0; i < 200; i++)
			jsonw_line(&w, text, 1 << 20);
		memlimit_lift();
		is_int(w.err, -ENOMEM, "no memory");
		is_int(jsonw_flush(&w), -ENOMEM, "comes back from flush");
		ok(w.len % ((1 << 20) + 1) == 0 && w.len > 0, "whole lines are held");
	}
	jsonw_release(&w);
	free(text);
}

int main(void)
{
	test_strings();
	test_record();
	test_doubles();
	test_abandon();
	test_flush();
	test_failures();
	test_nonblocking();
	test_without_memory();
	return done();
}
