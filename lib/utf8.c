// SPDX-License-Identifier: Apache-2.0
#include "utf8.h"

#include <stdint.h>
#include <string.h>

static int is_tail(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

size_t utf8_char(const char *s, size_t len)
{
	const unsigned char *u = (const unsigned char *)s;

	if (!len)
		return 0;
	if (u[0] < 0x80)
		return 1;
	if (u[0] >= 0xc2 && u[0] <= 0xdf)
		return len > 1 && is_tail(u[1]) ? 2 : 0;
	if (u[0] >= 0xe0 && u[0] <= 0xef) {
		if (len < 3 || !is_tail(u[1]) || !is_tail(u[2]))
			return 0;
		if ((u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xed && u[1] > 0x9f))
			return 0; /* overlong, or a surrogate */
		return 3;
	}
	if (u[0] >= 0xf0 && u[0] <= 0xf4) {
		if (len < 4 || !is_tail(u[1]) || !is_tail(u[2]) || !is_tail(u[3]))
			return 0;
		if ((u[0] == 0xf0 && u[1] < 0x90) || (u[0] == 0xf4 && u[1] > 0x8f))
			return 0; /* overlong, or past U+10FFFF */
		return 4;
	}
	return 0;
}

/* Bytes of ASCII at the start of @s, in steps of eight: most text is nothing else. */
static size_t ascii(const char *s, size_t len)
{
	size_t i = 0;
	uint64_t word;

	for (; len - i >= sizeof(word); i += sizeof(word)) {
		memcpy(&word, s + i, sizeof(word));
		if (word & 0x8080808080808080u)
			break;
	}
	return i;
}

size_t utf8_valid(const char *s, size_t len)
{
	size_t i = ascii(s, len), n;

	while (i < len && (n = utf8_char(s + i, len - i)))
		i += n;
	return i;
}
