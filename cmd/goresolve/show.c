// SPDX-License-Identifier: Apache-2.0
#include "show.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "utf8.h"

/* C0 and C1 controls, and characters that turn the direction of the text or hide in it. */
static bool is_trick(const char *s, size_t n)
{
	const unsigned char *u = (const unsigned char *)s;

	if (n == 1)
		return u[0] < 0x20 || u[0] == 0x7f;
	if (n == 2)
		return u[0] == 0xc2 && u[1] < 0xa0;
	if (n != 3)
		return false;
	/* U+200B to U+200F, U+2028 to U+202E, U+2060 to U+2069, U+FEFF */
	if (u[0] == 0xe2 && u[1] == 0x80)
		return (u[2] >= 0x8b && u[2] <= 0x8f) || (u[2] >= 0xa8 && u[2] <= 0xae);
	if (u[0] == 0xe2 && u[1] == 0x81)
		return u[2] >= 0xa0 && u[2] <= 0xa9;
	return !memcmp(s, "\xef\xbb\xbf", 3);
}

void show_text(const char *s)
{
	size_t len = strlen(s), n;

	for (; len; s += n, len -= n) {
		n = utf8_char(s, len);
		if (!n || is_trick(s, n))
			putchar('?');
		else
			fwrite(s, 1, n, stdout);
		n = n ? n : 1;
	}
}
