// SPDX-License-Identifier: Apache-2.0
/* The types of contexts that a recipe names: where each holds the one it was made of. */
#include "resolve.h"

struct gathering {
	struct plan *plan;
	struct probe *pr;
};

static int gather(void *arg, const struct gotype_embedding *e)
{
	const struct gathering *g = arg;
	struct plan_context *c = probe_add_context(g->plan, g->pr);

	if (!c)
		return g->plan->err;
	c->descriptor = e->descriptor;
	c->has_via = e->has_via;
	c->via = e->via;
	c->offset = e->offset;
	return 0;
}

void plan_contexts(const struct binary *b, const struct recipe *r, struct plan *plan,
		   struct probe *pr)
{
	struct gathering g = { plan, pr };

	for (size_t i = 0; i < r->n_contexts; i++) {
		const struct recipe_context *c = &r->contexts[i];

		if (c->field)
			gotypes_each_holder(b->types, c->type, c->field, gather, &g);
		else
			gotypes_each_embedding(b->types, c->type, gather, &g);
	}
}
