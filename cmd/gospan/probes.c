// SPDX-License-Identifier: Apache-2.0
#include "probes.h"

#include <errno.h>
#include <stdlib.h>

#include "event.h"
#include "record.h"

static void forget(struct probe *p)
{
	free(p->kind);
	free(p->scope);
	free(p->name);
	free(p->symbol);
}

static struct probe *find(const struct probes *ps, uint64_t id)
{
	struct table_node *node = table_find(&ps->table, id);

	return node ? table_entry(node, struct probe, node) : NULL;
}

const struct probe *probes_find(const struct probes *ps, uint64_t id)
{
	return id ? find(ps, id) : NULL;
}

int probes_learn(struct probes *ps, struct jsonv_doc *doc, const struct jsonv *root)
{
	const struct jsonv *id = jsonv_member(root, K_PROBE);
	struct probe *p;
	uint64_t hash;

	if (!id || id->type != JSONV_STRING)
		return -EINVAL;
	hash = event_name_hash(id);
	p = find(ps, hash);
	if (p) {
		forget(p);
	} else {
		if (ps->table.count >= PROBES_MAX)
			return -E2BIG;
		p = calloc(1, sizeof(*p));
		if (!p || table_add(&ps->table, &p->node, hash)) {
			free(p);
			return -ENOMEM;
		}
	}
	p->kind = jsonv_strdup(doc, jsonv_member(root, K_KIND));
	p->scope = jsonv_strdup(doc, jsonv_member(root, K_SCOPE));
	p->name = jsonv_strdup(doc, jsonv_member(root, K_NAME));
	p->symbol = jsonv_strdup(doc, jsonv_member(root, K_SYMBOL));
	return 0;
}

void probes_release(struct probes *ps)
{
	for (size_t i = 0; ps->table.bucket && i <= ps->table.mask; i++) {
		struct table_node *node = ps->table.bucket[i], *next;

		for (; node; node = next) {
			next = node->next;
			forget(table_entry(node, struct probe, node));
			free(table_entry(node, struct probe, node));
		}
	}
	table_release(&ps->table);
}
