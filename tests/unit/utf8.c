// SPDX-License-Identifier: Apache-2.0
/* lib/utf8: what is a character and what is not, by RFC 3629. */
#include "utf8.h"

#include "tap.h"

/* By the definition, not by ranges: decode, then look whether it had to be so long. */
static size_t reference(const unsigned char *u, size_t len)
{
	static const unsigned least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned c;
	size_t n;

	if (!len)
		return 0;
	if (u[0] < 0x80)
		return 1;
	n = u[0] >> 5 == 6 ? 2 : u[0] >> 4 == 14 ? 3 : u[0] >> 3 == 30 ? 4 : 0;
	if (!n || n > len)
		return 0;
	c = u[0] & (0xff >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if (u[i] >> 6 != 2)
			return 0;
		c = c << 6 | (u[i] & 0x3f);
	}
	return c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0 : n;
}

/* Every first and second byte, with third and fourth bytes at the edges. */
static int differences(void)
{
	static const unsigned char edge[] = { 0x00, 0x41, 0x7f, 0x80, 0x8f, 0xbf, 0xc0, 0xff };
	int wrong = 0;

	for (unsigned i = 0; i < 65536 * 64; i++) {
		unsigned char u[4] = { (unsigned char)(i >> 8), (unsigned char)i, edge[i >> 16 & 7],
				       edge[i >> 19 & 7] };

		for (size_t len = 0; len <= 4; len++)
			wrong += utf8_char((char *)u, len) != reference(u, len);
	}
	return wrong;
}

int main(void)
{
	int misplaced = 0;

	is_int(differences(), 0, "utf8_char agrees with the definition");
	is_int((long long)utf8_valid("", 0), 0, "nothing is valid");
	is_int((long long)utf8_valid("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 10), 10,
	       "one to four bytes");
	is_int((long long)utf8_valid("ab\xff"
				     "cd",
				     5),
	       2, "up to the first bad byte");
	is_int((long long)utf8_valid("a\xe2\x82", 3), 1, "an unfinished character is not valid");
	is_int((long long)utf8_valid("a\0b", 3), 3, "NUL is a character");
	for (size_t at = 0; at < 20; at++) { /* it looks at eight bytes at a time */
		char text[] = "0123456789abcdefghij";

		text[at] = '\x80';
		misplaced += utf8_valid(text, 20) != at;
	}
	is_int(misplaced, 0, "a bad byte is found wherever it is");
	return done();
}
