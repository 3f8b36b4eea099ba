// SPDX-License-Identifier: Apache-2.0
#include "jsonl.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_SIZE 65536

void jsonl_init(struct jsonl *r, int fd)
{
	memset(r, 0, sizeof(*r));
	r->fd = fd;
}

void jsonl_release(struct jsonl *r)
{
	free(r->buf);
	memset(r, 0, sizeof(*r));
	r->fd = -1;
}

/* Moves what is held to the front and makes room for one more read. */
static int make_room(struct jsonl *r)
{
	size_t cap = r->cap ? r->cap : 2 * READ_SIZE;
	char *buf;

	if (r->start) {
		memmove(r->buf, r->buf + r->start, r->end - r->start);
		r->end -= r->start;
		r->start = 0;
	}
	while (cap - r->end < READ_SIZE)
		cap *= 2;
	if (cap == r->cap)
		return 0;
	buf = realloc(r->buf, cap);
	if (!buf)
		return -ENOMEM;
	r->buf = buf;
	r->cap = cap;
	return 0;
}

/* 1 when bytes came or the input ended, 0 when the time limit passed. */
static int fill(struct jsonl *r, int timeout_ms)
{
	struct pollfd p = { .fd = r->fd, .events = POLLIN };
	ssize_t n;
	int ret;

	/* What gave less than was asked for has, as a rule, no more: no need to ask. */
	ret = r->drained && timeout_ms ? 0 : poll(&p, 1, 0);
	r->drained = false;
	if (ret == 0) {
		if (r->before_block)
			r->before_block(r->arg);
		ret = timeout_ms ? poll(&p, 1, timeout_ms) : 0;
	}
	if (ret < 0)
		return errno == EINTR ? 0 : -errno;
	if (ret == 0)
		return 0;
	ret = make_room(r);
	if (ret)
		return ret;
	n = read(r->fd, r->buf + r->end, r->cap - r->end);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -errno;
	if (n == 0)
		r->eof = true;
	r->drained = (size_t)n < r->cap - r->end;
	r->end += (size_t)n;
	return 1;
}

/* Gives out the @n bytes at the start; @sep is 1 if an LF follows them. */
static int take(struct jsonl *r, size_t n, size_t sep, const char **text, size_t *len)
{
	bool skipped = r->skipping;

	*text = r->buf + r->start;
	*len = n;
	r->start += n + sep;
	r->scanned = 0;
	r->skipping = false;
	r->line++;
	return skipped || n > JSONL_MAX_LINE ? JSONL_TOO_LONG : JSONL_LINE;
}

int jsonl_next(struct jsonl *r, int timeout_ms, const char **text, size_t *len)
{
	for (;;) {
		size_t held = r->end - r->start;
		char *lf = NULL;
		int ret;

		if (held > r->scanned)
			lf = memchr(r->buf + r->start + r->scanned, '\n', held - r->scanned);
		if (lf)
			return take(r, (size_t)(lf - (r->buf + r->start)), 1, text, len);
		if (r->eof) {
			if (!held && !r->skipping)
				return JSONL_EOF;
			return take(r, held, 0, text, len);
		}
		r->scanned = held;
		if (held > JSONL_MAX_LINE) {
			r->skipping = true;
			r->start = r->end = r->scanned = 0;
		}
		ret = fill(r, timeout_ms);
		if (ret <= 0)
			return ret ? ret : JSONL_AGAIN;
	}
}
