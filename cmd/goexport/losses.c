// SPDX-License-Identifier: Apache-2.0
#include "losses.h"

#include <stdio.h>

#include "diag.h"

static void copy(char *to, size_t size, struct text t)
{
	snprintf(to, size, "%.*s", (int)(t.len < size ? t.len : size), t.len ? t.p : "?");
}

static struct loss *find(struct losses *l, const struct loss *like)
{
	for (unsigned i = 0; i < l->n; i++)
		if (!strcmp(l->loss[i].where, like->where) &&
		    !strcmp(l->loss[i].reason, like->reason))
			return &l->loss[i];
	return NULL;
}

struct loss loss_of(struct text where, struct text reason, uint64_t count)
{
	struct loss l = { .count = count, .first = count };

	copy(l.where, sizeof(l.where), where);
	copy(l.reason, sizeof(l.reason), reason);
	return l;
}

bool losses_add(struct losses *l, const struct loss *loss)
{
	struct loss *at = find(l, loss);

	if (at) {
		at->count += loss->count;
		return false;
	}
	if (l->n == LOSSES_MAX) {
		l->others += loss->count;
		return false;
	}
	l->loss[l->n++] = *loss;
	return true;
}

void losses_report(const struct losses *l)
{
	for (unsigned i = 0; i < l->n; i++)
		if (l->loss[i].count > l->loss[i].first)
			diag(DIAG_WARNING, "lost upstream in all: %llu at %s: %s",
			     (unsigned long long)l->loss[i].count, l->loss[i].where,
			     l->loss[i].reason);
	if (l->others)
		diag(DIAG_WARNING, "lost upstream in all: %llu at other places",
		     (unsigned long long)l->others);
}
