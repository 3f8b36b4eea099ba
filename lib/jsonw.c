// SPDX-License-Identifier: Apache-2.0
#include "jsonw.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "utf8.h"

void jsonw_init(struct jsonw *w, int fd)
{
	memset(w, 0, sizeof(*w));
	w->fd = fd;
}

void jsonw_release(struct jsonw *w)
{
	free(w->buf);
	memset(w, 0, sizeof(*w));
	w->fd = -1;
}

static bool grow(struct jsonw *w, size_t n)
{
	size_t cap = w->cap ? w->cap : 2 * JSONW_FLUSH;
	char *buf;

	while (cap - w->len < n)
		cap *= 2;
	buf = realloc(w->buf, cap);
	if (!buf) {
		w->err = -ENOMEM;
		return false;
	}
	w->buf = buf;
	w->cap = cap;
	return true;
}

/* Makes room for @n more bytes; false once the writer has failed. */
static inline bool reserve(struct jsonw *w, size_t n)
{
	return !w->err && (w->cap - w->len >= n || grow(w, n));
}

static void put(struct jsonw *w, const char *s, size_t n)
{
	if (!reserve(w, n))
		return;
	memcpy(w->buf + w->len, s, n);
	w->len += n;
}

static const char hex[] = "0123456789abcdef";

static size_t escape(char *to, unsigned char c)
{
	static const char named[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
	const char *at = memchr(named, c, sizeof(named) - 1);

	to[0] = '\\';
	if (at) {
		to[1] = letters[at - named];
		return 2;
	}
	memcpy(to + 1, "u00", 3);
	to[4] = hex[c >> 4];
	to[5] = hex[c & 15];
	return 6;
}

/* The bytes at the start of @s that stand in a JSON string as they are. */
static size_t plain_bytes(const char *s, size_t len)
{
	static const bool plain[256] = {
		[0x20 ... 0x21] = true,
		[0x23 ... 0x5b] = true,
		[0x5d ... 0x7e] = true,
	};
	size_t n = 0;

	while (n < len && plain[(unsigned char)s[n]])
		n++;
	return n;
}

/* One byte or character that is not plain; steps over it. */
static char *put_special(char *to, const char **s, const char *end)
{
	size_t n = utf8_char(*s, (size_t)(end - *s));

	if (n == 1) {
		to += escape(to, (unsigned char)**s);
	} else if (n) {
		memcpy(to, *s, n);
		to += n;
	} else {
		memcpy(to, "\\ufffd", 6);
		to += 6;
		n = 1;
	}
	*s += n;
	return to;
}

static void put_string(struct jsonw *w, const char *s, size_t len)
{
	const char *end;
	char *to;

	if (!reserve(w, len * 6 + 2))
		return;
	if (!len)
		s = ""; /* NULL has no end to point to */
	end = s + len;
	to = w->buf + w->len;
	*to++ = '"';
	while (s < end) {
		size_t n = plain_bytes(s, (size_t)(end - s));

		memcpy(to, s, n);
		to += n;
		s += n;
		if (s < end)
			to = put_special(to, &s, end);
	}
	*to++ = '"';
	w->len = (size_t)(to - w->buf);
}

/* The comma and the key in front of an item. */
static void lead(struct jsonw *w, const char *key)
{
	size_t n = key ? strlen(key) : 0;
	char *to;

	if (!reserve(w, n + 4))
		return;
	to = w->buf + w->len;
	if (w->comma)
		*to++ = ',';
	w->comma = true;
	if (key) {
		*to++ = '"';
		memcpy(to, key, n);
		to += n;
		*to++ = '"';
		*to++ = ':';
	}
	w->len = (size_t)(to - w->buf);
}

void jsonw_record(struct jsonw *w, const char *type)
{
	w->mark = w->len;
	put(w, "{\"type\":\"", 9);
	put(w, type, strlen(type));
	put(w, "\",\"v\":1", 7);
	w->comma = true;
}

void jsonw_end_record(struct jsonw *w)
{
	put(w, "}\n", 2);
	w->mark = w->len;
	w->comma = false;
	if (w->len >= JSONW_FLUSH && w->fd >= 0)
		jsonw_flush(w);
}

void jsonw_abandon(struct jsonw *w)
{
	w->len = w->mark;
	w->comma = false;
}

void jsonw_line(struct jsonw *w, const char *text, size_t len)
{
	w->mark = w->len;
	if (!reserve(w, len + 1))
		return;
	put(w, text, len);
	put(w, "\n", 1);
	w->mark = w->len;
	if (w->len >= JSONW_FLUSH && w->fd >= 0)
		jsonw_flush(w);
}

void jsonw_obj(struct jsonw *w, const char *key)
{
	lead(w, key);
	put(w, "{", 1);
	w->comma = false;
}

void jsonw_end_obj(struct jsonw *w)
{
	put(w, "}", 1);
	w->comma = true;
}

void jsonw_arr(struct jsonw *w, const char *key)
{
	lead(w, key);
	put(w, "[", 1);
	w->comma = false;
}

void jsonw_end_arr(struct jsonw *w)
{
	put(w, "]", 1);
	w->comma = true;
}

void jsonw_str(struct jsonw *w, const char *key, const char *s, size_t len)
{
	lead(w, key);
	put_string(w, s, len);
}

void jsonw_cstr(struct jsonw *w, const char *key, const char *s)
{
	jsonw_str(w, key, s, strlen(s));
}

void jsonw_key(struct jsonw *w, const char *key, size_t key_len)
{
	lead(w, NULL);
	put_string(w, key, key_len);
	put(w, ":", 1);
	w->comma = false;
}

void jsonw_str_key(struct jsonw *w, const char *key, size_t key_len, const char *s, size_t len)
{
	jsonw_key(w, key, key_len);
	jsonw_str(w, NULL, s, len);
}

static void put_decimal(struct jsonw *w, uint64_t n)
{
	char text[20];
	size_t first = sizeof(text);

	do {
		text[--first] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	put(w, text + first, sizeof(text) - first);
}

void jsonw_uint(struct jsonw *w, const char *key, uint64_t n)
{
	lead(w, key);
	put_decimal(w, n);
}

void jsonw_int(struct jsonw *w, const char *key, int64_t n)
{
	lead(w, key);
	if (n < 0)
		put(w, "-", 1);
	put_decimal(w, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
}

void jsonw_double(struct jsonw *w, const char *key, double d)
{
	char buf[40];
	int n = 0;

	if (!isfinite(d)) {
		jsonw_null(w, key);
		return;
	}
	/* As few digits as give the same number back. */
	for (int digits_kept = 15; digits_kept <= 17; digits_kept++) {
		n = snprintf(buf, sizeof(buf), "%.*g", digits_kept, d);
		if (strtod(buf, NULL) == d)
			break;
	}
	lead(w, key);
	put(w, buf, (size_t)n);
}

void jsonw_bool(struct jsonw *w, const char *key, bool b)
{
	lead(w, key);
	put(w, b ? "true" : "false", b ? 4 : 5);
}

void jsonw_null(struct jsonw *w, const char *key)
{
	lead(w, key);
	put(w, "null", 4);
}

void jsonw_u64(struct jsonw *w, const char *key, uint64_t n)
{
	lead(w, key);
	put(w, "\"", 1);
	put_decimal(w, n);
	put(w, "\"", 1);
}

void jsonw_addr(struct jsonw *w, const char *key, uint64_t n)
{
	char buf[32];

	lead(w, key);
	put(w, buf, (size_t)snprintf(buf, sizeof(buf), "\"0x%" PRIx64 "\"", n));
}

void jsonw_hex(struct jsonw *w, const char *key, const uint8_t *p, size_t n)
{
	lead(w, key);
	if (!reserve(w, 2 * n + 2))
		return;
	w->buf[w->len++] = '"';
	for (size_t i = 0; i < n; i++) {
		w->buf[w->len++] = hex[p[i] >> 4];
		w->buf[w->len++] = hex[p[i] & 15];
	}
	w->buf[w->len++] = '"';
}

void jsonw_raw(struct jsonw *w, const char *key, const char *json, size_t len)
{
	lead(w, key);
	put(w, json, len);
}

/* A descriptor that somebody made non-blocking is waited for. */
static bool may_retry(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	if (errno == EAGAIN)
		return poll(&p, 1, -1) >= 0 || errno == EINTR;
	return errno == EINTR;
}

int jsonw_flush(struct jsonw *w)
{
	size_t done = 0;

	while (!w->err && w->fd >= 0 && done < w->mark) {
		ssize_t n = write(w->fd, w->buf + done, w->mark - done);

		if (n >= 0)
			done += (size_t)n;
		else if (!may_retry(w->fd))
			w->err = -errno;
	}
	if (done) {
		memmove(w->buf, w->buf + done, w->len - done);
		w->len -= done;
		w->mark -= done;
	}
	return w->err;
}
