// SPDX-License-Identifier: Apache-2.0
#include "scratch.h"

#include <stdlib.h>
#include <string.h>

bool scratch_put(struct scratch *s, const char *text, size_t len)
{
	size_t cap = s->cap ? s->cap : 1024;
	char *bigger;

	while (cap - s->len < len)
		cap *= 2;
	if (cap != s->cap) {
		bigger = realloc(s->text, cap);
		if (!bigger)
			return false;
		s->text = bigger;
		s->cap = cap;
	}
	memcpy(s->text + s->len, text, len);
	s->len += len;
	return true;
}

void scratch_release(struct scratch *s)
{
	free(s->text);
	memset(s, 0, sizeof(*s));
}
