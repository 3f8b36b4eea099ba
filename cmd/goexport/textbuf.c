// SPDX-License-Identifier: Apache-2.0
#include "textbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool textbuf_grow(struct textbuf *t, size_t n)
{
	size_t cap = t->cap ? t->cap : 256;
	char *buf;

	if (t->failed)
		return false;
	if (t->buf && t->cap - t->len >= n)
		return true;
	while (cap - t->len < n)
		cap *= 2;
	buf = realloc(t->buf, cap);
	if (!buf) {
		t->failed = true;
		return false;
	}
	t->buf = buf;
	t->cap = cap;
	return true;
}

void textbuf_put(struct textbuf *t, const char *s, size_t len)
{
	if (!len || !textbuf_reserve(t, len))
		return;
	memcpy(t->buf + t->len, s, len);
	t->len += len;
}

void textbuf_puts(struct textbuf *t, const char *s)
{
	textbuf_put(t, s, strlen(s));
}

void textbuf_printf(struct textbuf *t, const char *fmt, ...)
{
	char buf[512];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(buf))
		t->failed = true;
	else
		textbuf_put(t, buf, (size_t)n);
}
