// SPDX-License-Identifier: Apache-2.0
#include "base64.h"

#include <string.h>

size_t base64_decode(const char *text, unsigned char *out, size_t size)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned bits = 0, have = 0;
	size_t n = 0;
	const char *at;

	for (; *text && n < size && (at = strchr(digits, *text)); text++) {
		bits = bits << 6 | (unsigned)(at - digits);
		have += 6;
		if (have < 8)
			continue;
		have -= 8;
		out[n++] = (unsigned char)(bits >> have);
	}
	return n;
}
