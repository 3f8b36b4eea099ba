// SPDX-License-Identifier: Apache-2.0
/* Returns that need no probe, because a cheaper end comes before them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attempt.h"

static bool is_early_end(const struct found *f)
{
	return f->from->event == EVENT_END && f->site.when.how != WHEN_ALWAYS;
}

/* A return of the function that @end is in. */
static bool is_exit(const struct found *f, const struct found *end)
{
	return f->func == end->func && f->from->event == EVENT_END &&
	       (f->site.at == SITE_RET || f->site.at == SITE_TAIL);
}

static int no_memory(struct attempt *a)
{
	a->plan->err = -ENOMEM;
	return -ENOMEM;
}

/* Takes out of the attempt the exits that are not among the @n at @keep. */
static void drop_others(struct attempt *a, const struct found *end, const struct site *keep, int n)
{
	const struct found of = *end;
	size_t kept = 0;

	for (size_t i = 0; i < a->n_found; i++) {
		bool wanted = !is_exit(&a->found[i], &of);

		for (int j = 0; j < n && !wanted; j++)
			wanted = keep[j].addr == a->found[i].site.addr;
		if (wanted)
			a->found[kept++] = a->found[i];
	}
	a->n_found = kept;
}

static int leave_out(struct attempt *a, const struct found *end)
{
	struct site *exits = calloc(a->n_found, sizeof(*exits));
	struct code *c = NULL;
	int n = 0, ret = -ENOMEM;

	if (!exits)
		return no_memory(a);
	for (size_t i = 0; i < a->n_found; i++)
		if (is_exit(&a->found[i], end))
			exits[n++] = a->found[i].site;
	ret = binary_code(a->b, end->func, &c, &a->e);
	if (!ret)
		ret = code_exits_beside(c, &end->site, exits, n);
	if (ret >= 0)
		drop_others(a, end, exits, ret);
	code_free(c);
	free(exits);
	if (ret == -ENOMEM)
		return no_memory(a);
	if (ret < 0)
		errinfo_set(&a->e, ret, "returns behind %s cannot be told from others",
			    end->from->func);
	return ret < 0 ? attempt_fail(a, end->func->name, "not-found") : 0;
}

int attempt_leave_out_exits(struct attempt *a)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < a->n_found; i++)
		if (is_early_end(&a->found[i])) {
			const struct found end = a->found[i];

			ret = leave_out(a, &end);
		}
	return ret;
}
