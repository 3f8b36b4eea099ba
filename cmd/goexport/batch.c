// SPDX-License-Identifier: Apache-2.0
#include "batch.h"

#include <errno.h>
#include <stdlib.h>

#include "resource.h"

/* What an emptied batch may keep; a rare giant gives its memory back. */
#define KEEP_BYTES (1u << 20)

struct batch *batch_new(void)
{
	return calloc(1, sizeof(struct batch));
}

void batch_free(struct batch *b)
{
	if (!b)
		return;
	free(b->groups);
	free(b->spans);
	free(b->data);
	free(b);
}

void batch_reset(struct batch *b)
{
	b->n_groups = b->n_spans = b->len = 0;
	b->next = NULL;
	if (b->cap > KEEP_BYTES) {
		free(b->data);
		b->data = NULL;
		b->cap = 0;
	}
}

/* Room for one more element of @size in *@array. */
static int grow(void *array, size_t n, size_t *cap, size_t size)
{
	void **p = array, *q;
	size_t want = *cap ? *cap * 2 : 16;

	if (n < *cap)
		return 0;
	q = reallocarray(*p, want, size);
	if (!q)
		return -ENOMEM;
	*p = q;
	*cap = want;
	return 0;
}

/* Copies @len bytes in; their offset in *@off. */
static int put(struct batch *b, const void *p, size_t len, size_t *off)
{
	size_t want = b->cap ? b->cap : 4096;

	while (want - b->len < len)
		want *= 2;
	if (want > b->cap) {
		unsigned char *data = realloc(b->data, want);

		if (!data)
			return -ENOMEM;
		b->data = data;
		b->cap = want;
	}
	if (len)
		memcpy(b->data + b->len, p, len);
	*off = b->len;
	b->len += len;
	return 0;
}

static int group_find(const struct batch *b, uint64_t resource, struct text scope)
{
	for (size_t i = b->n_groups; i-- > 0;) { /* the newest is the likeliest */
		const struct batch_group *g = &b->groups[i];
		struct text name = { (const char *)b->data + g->scope, g->scope_len };

		if (g->resource == resource && text_equal(name, scope))
			return (int)i;
	}
	return -1;
}

static int group_add(struct batch *b, const struct encoder *enc, const struct spanrec *sp)
{
	struct batch_group g = { .resource = sp->resource->serial, .scope_len = sp->scope.len };
	const void *head = enc->resource(enc->ctx, sp->resource, &g.head_len);

	if (!head || grow(&b->groups, b->n_groups, &b->cap_groups, sizeof(g)) ||
	    put(b, head, g.head_len, &g.head) || put(b, sp->scope.p, g.scope_len, &g.scope))
		return -ENOMEM;
	b->groups[b->n_groups] = g;
	return (int)b->n_groups++;
}

int batch_put(struct batch *b, const struct encoder *enc, const struct spanrec *sp)
{
	int group = group_find(b, sp->resource->serial, sp->scope);
	struct batch_span s = { 0 };
	const void *bytes;

	if (group < 0)
		group = group_add(b, enc, sp);
	if (group < 0)
		return group;
	s.group = (uint32_t)group;
	bytes = enc->span(enc->ctx, sp, &s.len);
	if (!bytes || grow(&b->spans, b->n_spans, &b->cap_spans, sizeof(s)) ||
	    put(b, bytes, s.len, &s.off))
		return -ENOMEM;
	b->spans[b->n_spans++] = s;
	b->groups[group].spans++;
	return 0;
}

bool batch_group_first(const struct batch *b, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (b->groups[j].resource == b->groups[i].resource)
			return false;
	return true;
}
