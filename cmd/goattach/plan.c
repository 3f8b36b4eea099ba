// SPDX-License-Identifier: Apache-2.0
#include "plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void plan_init(struct plan *p)
{
	memset(p, 0, sizeof(*p));
}

static void binary_free(struct binary *b)
{
	for (size_t i = 0; i < b->n; i++)
		probe_free(b->probes[i]);
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
	for (uint32_t i = 0; i < p->n_classes; i++)
		free(p->classes[i]);
	free(p->classes);
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
	char **more;

	for (uint32_t i = 0; i < p->n_classes; i++)
		if (!strcmp(p->classes[i], span))
			return i + 1;
	more = realloc(p->classes, (p->n_classes + 1) * sizeof(*more));
	if (!more)
		return 0;
	p->classes = more;
	more[p->n_classes] = strdup(span);
	if (!more[p->n_classes])
		return 0;
	return ++p->n_classes;
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
	int ret = -ENOMEM;

	for (size_t i = 0; b && i < b->n; i++)
		if (!strcmp(b->probes[i]->id, probe->id)) {
			ret = -EEXIST;
			goto out;
		}
	if (!b)
		b = binary_new(p, probe->binary);
	if (!b)
		goto out;
	probe->binary_number = b->number;
	probe->span_class = class_of(p, probe->span);
	if (!probe->span_class)
		goto out;
	ret = append(b, probe);
	if (!ret)
		p->n_probes++;
out:
	if (ret)
		probe_free(probe);
	return ret;
}
