// SPDX-License-Identifier: Apache-2.0
#include "keptspan.h"

#include <stdlib.h>

#include "resource.h"

/* Where the parts of a copy go: what needs alignment first, text behind it. */
struct packer {
	struct attr_value *values;
	char *text;
};

static void measure_value(const struct attr_value *v, size_t *values, size_t *text)
{
	if (v->type == ATTR_STRING)
		*text += v->str.len;
	if (v->type != ATTR_ARRAY)
		return;
	*values += v->array.n;
	for (size_t i = 0; i < v->array.n; i++)
		measure_value(&v->array.v[i], values, text);
}

static void pack_text(struct packer *p, struct text *t)
{
	/* The analyzer does not follow the memcpy() that copied it. */
	// NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Branch)
	if (t->len)
		memcpy(p->text, t->p, t->len);
	t->p = p->text;
	p->text += t->len;
}

static void pack_value(struct packer *p, struct attr_value *v)
{
	struct attr_value *to = p->values;

	if (v->type == ATTR_STRING)
		pack_text(p, &v->str);
	if (v->type != ATTR_ARRAY)
		return;
	p->values += v->array.n;
	if (v->array.n)
		memcpy(to, v->array.v, v->array.n * sizeof(*to));
	v->array.v = to;
	for (size_t i = 0; i < v->array.n; i++)
		pack_value(p, &to[i]);
}

static void pack(struct packer *p, struct spanrec *sp)
{
	pack_text(p, &sp->trace_state);
	pack_text(p, &sp->name);
	pack_text(p, &sp->scope);
	pack_text(p, &sp->status_message);
	pack_text(p, &sp->parent_from);
	for (size_t i = 0; i < sp->n_attrs; i++) {
		pack_text(p, &sp->attrs[i].key);
		pack_value(p, &sp->attrs[i].value);
	}
}

struct kept_span *kept_span_new(const struct spanrec *sp)
{
	size_t values = 0, text = sp->trace_state.len + sp->name.len + sp->scope.len +
				  sp->status_message.len + sp->parent_from.len;
	struct kept_span *k;
	struct packer p;
	size_t size;

	for (size_t i = 0; i < sp->n_attrs; i++) {
		text += sp->attrs[i].key.len;
		measure_value(&sp->attrs[i].value, &values, &text);
	}
	size = sizeof(*k) + sp->n_attrs * sizeof(*sp->attrs) + values * sizeof(*p.values) +
	       sp->n_links * sizeof(*sp->links) + text;
	k = malloc(size);
	if (!k)
		return NULL;
	k->next = NULL;
	k->size = size;
	k->sp = *sp;
	k->sp.attrs = (struct attr *)(k + 1);
	if (sp->n_attrs)
		memcpy(k->sp.attrs, sp->attrs, sp->n_attrs * sizeof(*sp->attrs));
	p.values = (struct attr_value *)(k->sp.attrs + sp->n_attrs);
	k->sp.links = (struct span_link *)(p.values + values);
	if (sp->n_links)
		memcpy(k->sp.links, sp->links, sp->n_links * sizeof(*sp->links));
	p.text = (char *)(k->sp.links + sp->n_links);
	pack(&p, &k->sp);
	k->sp.resource = resource_hold((struct resource *)(uintptr_t)sp->resource);
	return k;
}

void kept_span_free(struct kept_span *k)
{
	if (!k)
		return;
	resource_drop((struct resource *)(uintptr_t)k->sp.resource);
	free(k);
}

void kept_span_free_list(struct kept_span *k)
{
	while (k) {
		struct kept_span *next = k->next;

		kept_span_free(k);
		k = next;
	}
}
