// SPDX-License-Identifier: Apache-2.0
/* Text on its way out of goexport: made valid, masked, cut to columns, escaped. */
#include "../../cmd/goexport/cleantext.h"
#include "../../cmd/goexport/number.h"
#include "../../cmd/goexport/otlp_env.h"
#include "../../cmd/goexport/promtext.h"
#include "../../cmd/goexport/termtext.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

#include "tap.h"

static void clean_is(const char *in, size_t len, const char *want)
{
	struct arena a = { 0 };
	struct text t;

	ok(!text_clean(&a, in, len, &t) && text_is(t, want), "clean: %s", want);
	arena_release(&a);
}

static void shown_is(const char *in, int max, const char *want, int width)
{
	struct textbuf b = { 0 };
	int used = termtext_put(&b, text_of(in), max);

	textbuf_put(&b, "", 1);
	is(b.buf, want, "shown");
	is_int(used, width, "and its width");
	free(b.buf);
}

static void label_is(const char *value, const char *want)
{
	struct textbuf b = { 0 };

	promtext_label(&b, false, "l", text_of(value));
	textbuf_put(&b, "", 1);
	is(b.buf, want, "label");
	free(b.buf);
}

static void attr_is(const char *key, struct attr_value v, const char *want)
{
	struct textbuf b = { 0 };
	struct attr at = { text_of(key), v };

	promtext_attr(&b, true, &at);
	textbuf_put(&b, "", 1);
	is(b.buf, want, "attribute");
	free(b.buf);
}

static void header_is(const char *pair, bool decode, const char *want)
{
	char *line = otlp_header_line(pair, strlen(pair), decode);

	is(line, want, want ? want : "no header");
	free(line);
}

static void number_is(double d, const char *want)
{
	char buf[NUMBER_MAX];

	number_double(buf, d);
	is(buf, want, want);
	ok(strtod(buf, NULL) == d, "and back");
}

static void check_numbers(void)
{
	unsigned seed = 3, wrong = 0;

	number_is(0, "0");
	number_is(-0.0, "-0");
	number_is(0.1, "0.1");
	number_is(-2.5, "-2.5");
	number_is(100, "100");
	number_is(1e-6, "0.000001");
	number_is(9.5e-7, "9.5e-7");
	number_is(123456789012345680000.0, "123456789012345680000");
	number_is(1e21, "1e+21");
	number_is(1.7976931348623157e308, "1.7976931348623157e+308");
	number_is(5e-324, "5e-324");
	number_is(-2.2250738585072014e-308, "-2.2250738585072014e-308");
	number_is(0.000000001, "1e-9");
	number_is(0.001234567, "0.001234567");
	number_is(0.1 + 0.2, "0.30000000000000004");
	number_is(999999.999999999, "999999.999999999");
	number_is(1000000.000000001, "1000000.000000001");
	number_is(999999999999999, "999999999999999");
	number_is(1e15, "1000000000000000");
	for (uint64_t ns = 1000; ns < 1000000000000000u; ns = ns * 3 + 7) {
		char buf[NUMBER_MAX], want[NUMBER_MAX];
		size_t len = (size_t)snprintf(want, sizeof(want), "%.9f", (double)ns / 1e9);

		while (want[len - 1] == '0')
			want[--len] = '\0';
		if (want[len - 1] == '.')
			want[--len] = '\0';
		wrong += number_double(buf, (double)ns / 1e9) != len || strcmp(buf, want) != 0;
	}
	is_int(wrong, 0, "times in seconds");
	for (int i = 0; i < 200000; i++) {
		uint64_t bits = (uint64_t)rand_r(&seed) << 42 ^ (uint64_t)rand_r(&seed) << 20 ^
				(uint64_t)rand_r(&seed);
		char buf[NUMBER_MAX];
		double d;

		memcpy(&d, &bits, sizeof(d));
		if (!isfinite(d))
			continue;
		wrong += number_double(buf, d) >= NUMBER_MAX || strtod(buf, NULL) != d;
	}
	is_int(wrong, 0, "any number comes back");
}

static void check_shown(void)
{
	shown_is("plain", 10, "plain", 5);
	shown_is("plain", 5, "plain", 5);
	shown_is("plain", 4, "pla\xe2\x80\xa6", 4);
	shown_is("plain", 0, "", 0);
	shown_is("\xe6\x9d\xb1\xe4\xba\xac", 4, "\xe6\x9d\xb1\xe4\xba\xac", 4);
	shown_is("\xe6\x9d\xb1\xe4\xba\xac", 3, "\xe6\x9d\xb1\xe2\x80\xa6", 3);
	shown_is("\xe6\x9d\xb1\xe4\xba\xac", 2, "\xe2\x80\xa6", 1);
	shown_is("e\xcc\x81", 5, "e\xcc\x81", 1); /* a combining accent takes no column */
	shown_is("a\033[2Jb\r\n\tc\x7f", 20, "a?[2Jb???c?", 11);
	shown_is("\xc2\x9b"
		 "31m",
		 20, "?31m", 4); /* CSI as one character */
	shown_is("\xe2\x80\xaexe", 20, "?xe", 3);
	shown_is("\xff\xfe", 20, "??", 2);
	setlocale(LC_CTYPE, "C");
	shown_is("\xe6\x9d\xb1", 20, "?", 1);
	shown_is("plain", 3, "pl.", 3);
	setlocale(LC_CTYPE, "C.UTF-8");
}

int main(void)
{
	struct attr_value yes = { .type = ATTR_BOOL, .b = true };
	struct attr_value n = { .type = ATTR_INT, .i = -7 };

	setlocale(LC_CTYPE, "C.UTF-8");
	clean_is("plain", 5, "plain");
	clean_is("", 0, "");
	clean_is("\xff"
		 "a\xe2\x82",
		 4,
		 "\xef\xbf\xbd"
		 "a\xef\xbf\xbd\xef\xbf\xbd");
	clean_is("\xed\xa0\x80", 3, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	check_shown();
	check_numbers();
	label_is("a\"b\\c\nd", "l=\"a\\\"b\\\\c\\nd\"");
	label_is("", "l=\"\"");
	attr_is("host.name", yes, ",host_name=\"true\"");
	attr_is("1st", n, ",key_1st=\"-7\"");
	attr_is("_x", n, ",key__x=\"-7\"");
	attr_is("\xc3\xa9", n, ",key___=\"-7\"");
	ok(promtext_same_name(text_of("a.b"), text_of("a_b")), "a.b and a_b are one name");
	ok(promtext_same_name(text_of("1a"), text_of("key_1a")), "1a and key_1a, too");
	ok(!promtext_same_name(text_of("a.b"), text_of("a.c")), "a.b and a.c are two");
	header_is("a=b", false, "a: b");
	header_is(" a = b c ", true, "a: b c");
	header_is("a=%20%41%", true, "a:  A%");
	header_is("a=%41", false, "a: %41");
	header_is("a=", false, "a: ");
	header_is("=b", false, NULL);
	header_is("a b=c", false, NULL);
	header_is("a", false, NULL);
	header_is("a=b\r\nc: d", false, NULL);
	header_is("a=%0d%0ac: d", true, NULL);
	return done();
}
