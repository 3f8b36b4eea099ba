// SPDX-License-Identifier: Apache-2.0
#include "termtext.h"

#include <langinfo.h>
#include <limits.h>
#include <string.h>
#include <wchar.h>

#include "utf8.h"

bool termtext_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

static wchar_t decode(const char *s, size_t n)
{
	const unsigned char *u = (const unsigned char *)s;

	switch (n) {
	case 1:
		return u[0];
	case 2:
		return (wchar_t)((u[0] & 0x1f) << 6 | (u[1] & 0x3f));
	case 3:
		return (wchar_t)((u[0] & 0x0f) << 12 | (u[1] & 0x3f) << 6 | (u[2] & 0x3f));
	default:
		return (wchar_t)((u[0] & 0x07) << 18 | (u[1] & 0x3f) << 12 | (u[2] & 0x3f) << 6 |
				 (u[3] & 0x3f));
	}
}

/* Characters that turn the direction of the text around them, or hide in it. */
static bool is_trick(wchar_t c)
{
	return (c >= 0x200b && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x2069) || c == 0xfeff;
}

struct piece {
	const char *p; /* what comes out */
	size_t len, took;
	int width;
};

/* The character at the start of @t, or the '?' that stands for it. */
static struct piece next_piece(struct text t, bool utf8)
{
	size_t n = utf8_char(t.p, t.len);
	struct piece mask = { "?", 1, n ? n : 1, 1 };
	wchar_t c;
	int width;

	if (!n || (n > 1 && !utf8))
		return mask;
	c = decode(t.p, n);
	width = c < 0x20 || (c >= 0x7f && c < 0xa0) || is_trick(c) ? -1 : wcwidth(c);
	if (width < 0)
		return mask;
	return (struct piece){ t.p, n, n, width };
}

int termtext_width(struct text t, int max)
{
	bool utf8 = termtext_utf8();
	int width = 0;

	while (t.len && width <= max) {
		struct piece pc = next_piece(t, utf8);

		width += pc.width;
		t.p += pc.took;
		t.len -= pc.took;
	}
	return width < max ? width : max;
}

int termtext_put(struct textbuf *b, struct text t, int max)
{
	bool utf8 = termtext_utf8();
	bool cut = max < INT_MAX && termtext_width(t, max + 1) > max;
	const char *dots = utf8 ? "\xe2\x80\xa6" : ".";
	int width = 0, room = cut ? max - 1 : max;

	if (max <= 0)
		return 0;
	while (t.len) {
		struct piece pc = next_piece(t, utf8);

		if (width + pc.width > room)
			break;
		textbuf_put(b, pc.p, pc.len);
		width += pc.width;
		t.p += pc.took;
		t.len -= pc.took;
	}
	if (cut) {
		textbuf_puts(b, dots);
		width++;
	}
	return width;
}

void termtext_pad(struct textbuf *b, int n)
{
	while (n-- > 0)
		textbuf_put(b, " ", 1);
}
