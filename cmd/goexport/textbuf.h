/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text that grows: a page for Prometheus, a trace for the terminal. The owner
 * initialises the struct with zeros and frees buf. A failure of memory sticks;
 * what is built until then is not to be used.
 */
#ifndef GOEXPORT_TEXTBUF_H
#define GOEXPORT_TEXTBUF_H

#include <stdbool.h>
#include <stddef.h>

struct textbuf {
	char *buf;
	size_t len, cap;
	bool failed;
};

/* What textbuf_reserve() does when there is no room. */
bool textbuf_grow(struct textbuf *t, size_t n);

/* Room for @n bytes at buf + len; false once it has failed. */
static inline bool textbuf_reserve(struct textbuf *t, size_t n)
{
	return (t->cap - t->len >= n && !t->failed) || textbuf_grow(t, n);
}

void textbuf_put(struct textbuf *t, const char *s, size_t len);
void textbuf_puts(struct textbuf *t, const char *s);
/* Short text only: past 511 bytes it counts as a failure. */
void textbuf_printf(struct textbuf *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
