// SPDX-License-Identifier: Apache-2.0
#include "procs.h"

#include <stdlib.h>
#include <unistd.h>

static struct proc **slot_of(struct procs *p, int pid)
{
	return &p->slot[(unsigned)pid % PROCS_SLOTS];
}

struct proc *procs_find(const struct procs *p, int pid)
{
	for (struct proc *one = p->slot[(unsigned)pid % PROCS_SLOTS]; one; one = one->next)
		if (one->pid == pid)
			return one;
	return NULL;
}

struct proc *procs_add(struct procs *p, int pid)
{
	struct proc **slot = slot_of(p, pid), *one = calloc(1, sizeof(*one));

	if (!one)
		return NULL;
	one->pid = pid;
	one->pidfd = -1;
	one->due = NEVER;
	one->next = *slot;
	*slot = one;
	p->n++;
	return one;
}

void procs_remove(struct procs *p, struct proc *one)
{
	struct proc **at = slot_of(p, one->pid);

	while (*at && *at != one)
		at = &(*at)->next;
	if (!*at)
		return;
	*at = one->next;
	p->n--;
	if (one->pidfd >= 0)
		close(one->pidfd);
	free(one);
}

void procs_release(struct procs *p)
{
	for (size_t i = 0; i < PROCS_SLOTS; i++) {
		for (struct proc *one = p->slot[i], *next; one; one = next) {
			next = one->next;
			procs_remove(p, one);
		}
	}
}

int procs_each(struct procs *p, int (*fn)(struct proc *one, void *arg), void *arg)
{
	int ret = 0;

	for (size_t i = 0; i < PROCS_SLOTS; i++) {
		for (struct proc *one = p->slot[i], *next; one && !ret; one = next) {
			next = one->next;
			ret = fn(one, arg);
		}
	}
	return ret;
}
