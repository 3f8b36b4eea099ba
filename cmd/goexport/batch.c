// SPDX-License-Identifier: Apache-2.0
#include "batch.h"

#include <errno.h>
#include <stdlib.h>

#include "resource.h"

/* What an emptied batch may keep; a rare giant gives its memory back. */
#define KEEP_BYTES (2u << 20)

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
	free(b->data.buf);
	free(b);
}

void batch_reset(struct batch *b)
{
	b->n_groups = b->n_spans = b->data.len = 0;
	b->data.failed = false;
	if (b->data.cap > KEEP_BYTES) {
		free(b->data.buf);
		b->data = (struct textbuf){ 0 };
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

static uint32_t group_find(const struct batch *b, uint64_t resource, struct text scope)
{
	for (size_t i = b->n_groups; i-- > 0;) { /* the newest is the likeliest */
		const struct batch_group *g = &b->groups[i];
		struct text name = { b->data.buf + g->scope, g->scope_len };

		if (g->resource == resource && text_equal(name, scope))
			return (uint32_t)i;
	}
	return BATCH_NONE;
}

/* Behind the other groups of its resource, the last of which is told of it. */
static void group_link(struct batch *b, uint32_t at)
{
	struct batch_group *g = &b->groups[at];

	g->leader = at;
	g->next = BATCH_NONE;
	for (size_t i = at; i-- > 0;)
		if (b->groups[i].resource == g->resource) {
			g->leader = b->groups[i].leader;
			b->groups[i].next = at;
			return;
		}
}

static uint32_t group_add(struct batch *b, const struct encoder *enc, const struct spanrec *sp)
{
	struct batch_group g = { .resource = sp->resource->serial,
				 .head = b->data.len,
				 .scope_len = sp->scope.len,
				 .first = BATCH_NONE };

	enc->resource(enc->ctx, sp->resource, &b->data);
	g.scope = b->data.len;
	g.head_len = g.scope - g.head;
	textbuf_put(&b->data, sp->scope.p, sp->scope.len);
	if (b->data.failed || grow(&b->groups, b->n_groups, &b->cap_groups, sizeof(g)))
		return BATCH_NONE;
	b->groups[b->n_groups] = g;
	group_link(b, (uint32_t)b->n_groups);
	return (uint32_t)b->n_groups++;
}

static void span_link(struct batch *b, struct batch_group *g, uint32_t at)
{
	if (g->first == BATCH_NONE)
		g->first = at;
	else
		b->spans[g->last].next = at;
	g->last = at;
}

static int span_add(struct batch *b, const struct encoder *enc, const struct spanrec *sp)
{
	struct batch_span s = { .next = BATCH_NONE };
	uint32_t group = group_find(b, sp->resource->serial, sp->scope);

	if (group == BATCH_NONE)
		group = group_add(b, enc, sp);
	if (group == BATCH_NONE || grow(&b->spans, b->n_spans, &b->cap_spans, sizeof(s)))
		return -ENOMEM;
	s.off = b->data.len;
	enc->span(enc->ctx, sp, &b->data);
	if (b->data.failed)
		return -ENOMEM;
	s.len = b->data.len - s.off;
	b->spans[b->n_spans] = s;
	span_link(b, &b->groups[group], (uint32_t)b->n_spans++);
	return 0;
}

int batch_put(struct batch *b, const struct encoder *enc, const struct spanrec *sp)
{
	size_t groups = b->n_groups, len = b->data.len;
	int ret = span_add(b, enc, sp);

	if (!ret)
		return 0;
	b->n_groups = groups;
	b->data.len = len;
	b->data.failed = false;
	for (size_t i = 0; i < groups; i++)
		if (b->groups[i].next != BATCH_NONE && b->groups[i].next >= groups)
			b->groups[i].next = BATCH_NONE;
	return ret;
}
