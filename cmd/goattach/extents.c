// SPDX-License-Identifier: Apache-2.0
#include "extents.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int extents_init(struct extents *x, uint32_t n)
{
	memset(x, 0, sizeof(*x));
	return extents_give(x, 0, n);
}

void extents_release(struct extents *x)
{
	free(x->free);
	memset(x, 0, sizeof(*x));
}

static void drop(struct extents *x, size_t i)
{
	x->count--;
	memmove(x->free + i, x->free + i + 1, (x->count - i) * sizeof(*x->free));
}

int extents_take(struct extents *x, uint32_t n, uint32_t *start)
{
	*start = 0;
	if (!n)
		return 0;
	for (size_t i = 0; i < x->count; i++) {
		struct extent *f = &x->free[i];

		if (f->n < n)
			continue;
		*start = f->start;
		f->start += n;
		f->n -= n;
		if (!f->n)
			drop(x, i);
		return 0;
	}
	return -ENOSPC;
}

static int insert(struct extents *x, size_t i, uint32_t start, uint32_t n)
{
	if (x->count == x->cap) {
		size_t cap = x->cap ? 2 * x->cap : 16;
		struct extent *more = realloc(x->free, cap * sizeof(*more));

		if (!more)
			return -ENOMEM;
		x->free = more;
		x->cap = cap;
	}
	memmove(x->free + i + 1, x->free + i, (x->count - i) * sizeof(*x->free));
	x->free[i] = (struct extent){ start, n };
	x->count++;
	return 0;
}

int extents_give(struct extents *x, uint32_t start, uint32_t n)
{
	size_t i = 0;
	struct extent *f = x->free;

	if (!n)
		return 0;
	while (i < x->count && f[i].start < start)
		i++;
	if (i && f[i - 1].start + f[i - 1].n == start) {
		f[i - 1].n += n;
		if (i < x->count && start + n == f[i].start) {
			f[i - 1].n += f[i].n;
			drop(x, i);
		}
		return 0;
	}
	if (i < x->count && start + n == f[i].start) {
		f[i].start = start;
		f[i].n += n;
		return 0;
	}
	return insert(x, i, start, n);
}
