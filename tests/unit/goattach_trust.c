// SPDX-License-Identifier: Apache-2.0
/* --trust: words, addresses and networks. */
#include "../../cmd/goattach/trust.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tap.h"

/* The networks of @text as hexadecimal digits and bits, or the message. */
static const char *parse(const char *text)
{
	static char out[4096];
	static struct errinfo e;
	struct trust t;
	size_t n = 0;

	if (trust_parse(&t, text, &e))
		return e.text;
	n += (size_t)snprintf(out, sizeof(out), "%s%s", t.all ? "all " : "",
			      t.unix_sockets ? "unix " : "");
	for (uint32_t i = 0; i < t.n && n < sizeof(out) - 64; i++) {
		for (int j = 0; j < 16; j++)
			n += (size_t)snprintf(out + n, sizeof(out) - n, "%02x",
					      t.networks[i].addr[j]);
		n += (size_t)snprintf(out + n, sizeof(out) - n, "/%u ", t.networks[i].bits);
	}
	return out;
}

static void good(void)
{
	is(parse("all"), "all ", "all");
	is(parse("none"), "", "none");
	is(parse("10.1.2.3"), "00000000000000000000ffff0a010203/128 ", "an address");
	is(parse("10.0.0.0/8,0.0.0.0/0"),
	   "00000000000000000000ffff0a000000/104 00000000000000000000ffff00000000/96 ", "networks");
	is(parse("fd00::/8,::1"),
	   "fd000000000000000000000000000000/8 00000000000000000000000000000001/128 ", "IPv6");
	is(parse("::/0,255.255.255.255/32"),
	   "00000000000000000000000000000000/0 00000000000000000000ffffffffffff/128 ", "extremes");
	ok(strstr(parse("local"), "unix 00000000000000000000ffff7f000000/104 "
				  "00000000000000000000000000000001/128 ") != NULL,
	   "local is loopback and more");
	ok(strstr(parse("local,10.1.2.3"), "0a010203/128 ") != NULL, "local and an address");
}

static void bad(void)
{
	static const char *const words[] = { "",
					     ",",
					     "all,none",
					     "none,10.0.0.1",
					     "10.0.0",
					     "10.0.0.1,",
					     "10.0.0.0/33",
					     "10.0.0.0/-1",
					     "10.0.0.0/",
					     "10.0.0.0/8x",
					     "::/129",
					     "host",
					     "10.0.0.0/ 8",
					     "[::1]",
					     "Local",
					     "10.0.0.0/99999999999" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct errinfo e = { 0 };
		struct trust t;

		ok(trust_parse(&t, words[i], &e) == -EINVAL && e.text[0], "'%s' is refused",
		   words[i]);
	}
}

static void many(void)
{
	char text[(TRUST_MAX + 1) * 16];
	struct errinfo e = { 0 };
	struct trust t;
	size_t n = 0;

	for (int i = 0; i < TRUST_MAX; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s10.0.0.%d", i ? "," : "", i);
	ok(!trust_parse(&t, text, &e) && t.n == TRUST_MAX, "as many networks as there may be");
	snprintf(text + n, sizeof(text) - n, ",10.0.1.0");
	ok(trust_parse(&t, text, &e) == -E2BIG, "one more");
}

int main(void)
{
	good();
	bad();
	many();
	return done();
}
