// SPDX-License-Identifier: Apache-2.0
#include "cleantext.h"

#include <errno.h>

#include "utf8.h"

int text_clean(struct arena *a, const char *p, size_t len, struct text *out)
{
	size_t good = utf8_valid(p, len), n;
	char *s, *to;

	*out = (struct text){ p, len };
	if (good == len)
		return 0;
	s = arena_array(a, len, 3);
	if (!s)
		return -ENOMEM;
	memcpy(s, p, good);
	to = s + good;
	for (size_t i = good; i < len; i += n) {
		n = utf8_char(p + i, len - i);
		memcpy(to, n ? p + i : "\xef\xbf\xbd", n ? n : 3);
		to += n ? n : 3;
		n += !n;
	}
	*out = (struct text){ s, (size_t)(to - s) };
	return 0;
}
