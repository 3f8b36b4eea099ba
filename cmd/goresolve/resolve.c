// SPDX-License-Identifier: Apache-2.0
#include "resolve.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"

bool finish_probe(const struct binary *b, struct plan *plan, struct probe *pr)
{
	static const char *const goid[] = { "goid" }, *const hi[] = { "stack", "hi" };
	struct scene s = { .b = b, .plan = plan, .probe = pr };
	struct errinfo e = { .text = "" };
	struct skip *k;

	probe_set_id(pr, gobin_id(b->bin));
	pr->inlined = inlining_find(b->inlining, pr->symbol).n;
	if (!compile_offset(&s, "runtime.g", goid, 1, &pr->goid, &e) &&
	    !compile_offset(&s, "runtime.g", hi, 2, &pr->stack_hi, &e))
		return true;
	k = plan_add_skip(plan);
	if (k) {
		k->recipe = pr->recipe;
		k->span = pr->span;
		k->symbol = pr->symbol;
		k->reason = "offset-unknown";
		snprintf(k->field, sizeof(k->field), "%s", e.text);
	}
	plan_drop_probe(plan);
	return false;
}

void skip_inlined(struct skip *k, const struct inlined_name *n)
{
	char where[256];

	k->reason = "inlined";
	k->inlined = *n;
	inlining_text(n, where, sizeof(where));
	snprintf(k->detail, sizeof(k->detail), "has no code of its own, it is in %s", where);
}

const char *code_reason(int err)
{
	switch (err) {
	case -EILSEQ:
		return "undecodable";
	case -ENOENT:
		return "no-return";
	case -EXDEV:
		return "tail-jump";
	case -ENODATA:
		return "empty";
	case -EOPNOTSUPP:
		return "attach-refused";
	case -EFBIG:
		return "limit";
	default:
		return "version-unsupported";
	}
}

/* Plans a recipe and those that it uses, each once. */
static void plan_with_uses(const struct binary *b, const struct request *rq, const char *name,
			   bool *done, struct plan *plan)
{
	const struct recipe_set *set = rq->recipes;

	for (size_t i = 0; i < set->n; i++) {
		const struct recipe *r = set->recipe[i];

		if (strcmp(r->name, name) || done[i] || set->off[i])
			continue;
		done[i] = true;
		resolve_recipe(b, r, rq->mode, plan);
		for (size_t j = 0; j < r->n_uses; j++)
			plan_with_uses(b, rq, r->uses[j], done, plan);
	}
}

int resolve(const struct binary *b, const struct request *rq, struct plan *plan)
{
	const struct recipe_set *set = rq->recipes;
	bool *done;

	if (!binary_go_at_least(b, "1.17")) {
		struct skip *k = plan_add_skip(plan);

		if (k) {
			k->reason = "version-unsupported";
			snprintf(k->detail, sizeof(k->detail),
				 "%s passes arguments in another way (1.17 and later are known)",
				 gobin_buildinfo(b->bin)->go);
		}
		return plan->err;
	}
	done = calloc(set->n + 1, sizeof(*done));
	if (!done)
		return -ENOMEM;
	for (size_t i = 0; i < set->n; i++)
		if (!set->recipe[i]->on_demand)
			plan_with_uses(b, rq, set->recipe[i]->name, done, plan);
	if (resolve_funcs(b, rq, plan))
		plan_with_uses(b, rq, "runtime", done, plan);
	free(done);
	return plan->err;
}
