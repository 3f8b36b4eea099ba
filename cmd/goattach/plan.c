// SPDX-License-Identifier: Apache-2.0
#include "plan.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

void plan_init(struct plan *p)
{
	memset(p, 0, sizeof(*p));
}

/* A span's name and its number, from 1. */
struct span_class {
	uint32_t number;
	char name[];
};

static int compare_ids(const void *a, const void *b)
{
	return strcmp(((const struct probe *)a)->id, ((const struct probe *)b)->id);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct span_class *)a)->name, ((const struct span_class *)b)->name);
}

/* The probes of a tree are freed elsewhere. */
static void keep(void *probe)
{
	(void)probe;
}

static void binary_free(struct binary *b)
{
	for (size_t i = 0; i < b->n; i++)
		probe_free(b->probes[i]);
	tdestroy(b->ids, keep);
	free(b->probes);
	free(b->id);
	free(b);
}

void plan_release(struct plan *p)
{
	for (size_t i = 0; i < sizeof(p->table) / sizeof(p->table[0]); i++) {
		while (p->table[i]) {
			struct binary *b = p->table[i];

			p->table[i] = b->next;
			binary_free(b);
		}
	}
	tdestroy(p->classes, free);
	plan_init(p);
}

/* FNV-1a */
static size_t hash(const char *s)
{
	uint32_t h = 2166136261u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return (h ^ h >> 8) & 255;
}

struct binary *plan_binary(const struct plan *p, const char *id)
{
	for (struct binary *b = p->table[hash(id)]; b; b = b->next)
		if (!strcmp(b->id, id))
			return b;
	return NULL;
}

static struct binary *binary_new(struct plan *p, const char *id)
{
	struct binary *b = calloc(1, sizeof(*b)), **slot = &p->table[hash(id)];

	if (!b)
		return NULL;
	b->id = strdup(id);
	if (!b->id) {
		free(b);
		return NULL;
	}
	b->number = ++p->n_binaries;
	b->next = *slot;
	*slot = b;
	return b;
}

/* The number of a span's name, from 1; 0 without memory. */
static uint32_t class_of(struct plan *p, const char *span)
{
	size_t len = strlen(span) + 1;
	struct span_class *c = malloc(sizeof(*c) + len), **at;

	if (!c)
		return 0;
	memcpy(c->name, span, len);
	at = tsearch(c, &p->classes, compare_names);
	if (!at || *at != c)
		free(c);
	else
		c->number = ++p->n_classes;
	return at ? (*at)->number : 0;
}

static int append(struct binary *b, struct probe *probe)
{
	if (b->n == b->cap) {
		size_t cap = b->cap ? 2 * b->cap : 8;
		struct probe **more = realloc(b->probes, cap * sizeof(struct probe *));

		if (!more)
			return -ENOMEM;
		b->probes = more;
		b->cap = cap;
	}
	b->probes[b->n++] = probe;
	return 0;
}

int plan_add(struct plan *p, struct probe *probe)
{
	struct binary *b = plan_binary(p, probe->binary);
	struct probe **at;
	int ret = -ENOMEM;

	if (!b)
		b = binary_new(p, probe->binary);
	at = b ? tsearch(probe, &b->ids, compare_ids) : NULL;
	if (!at)
		goto out;
	if (*at != probe) {
		probe_free(probe);
		return -EEXIST;
	}
	probe->binary_number = b->number;
	probe->span_class = class_of(p, probe->span);
	ret = probe->span_class ? append(b, probe) : -ENOMEM;
	if (ret)
		tdelete(probe, &b->ids, compare_ids);
	else
		p->n_probes++;
out:
	if (ret)
		probe_free(probe);
	return ret;
}
