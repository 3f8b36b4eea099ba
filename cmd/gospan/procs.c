// SPDX-License-Identifier: Apache-2.0
#include "procs.h"

#include <stdlib.h>

struct proc *procs_find(const struct procs *ps, uint32_t pid)
{
	struct table_node *node = table_find(&ps->table, hash_u64(0, pid));

	/* The hash of a pid alone is a bijection: equal hashes are equal pids. */
	return node ? table_entry(node, struct proc, node) : NULL;
}

struct proc *procs_get(struct procs *ps, uint32_t pid)
{
	struct proc *p = procs_find(ps, pid);

	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->pid = pid;
	list_init(&p->calls);
	if (table_add(&ps->table, &p->node, hash_u64(0, pid))) {
		free(p);
		return NULL;
	}
	return p;
}

void procs_put(struct procs *ps, struct proc *p)
{
	if (p->start_known || !list_empty(&p->calls))
		return;
	table_remove(&ps->table, &p->node);
	free(p);
}

void procs_release(struct procs *ps)
{
	for (size_t i = 0; ps->table.bucket && i <= ps->table.mask; i++) {
		struct table_node *node = ps->table.bucket[i], *next;

		for (; node; node = next) {
			next = node->next;
			free(table_entry(node, struct proc, node));
		}
	}
	table_release(&ps->table);
}
