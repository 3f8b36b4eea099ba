// SPDX-License-Identifier: Apache-2.0
#include "resolve.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "goversion.h"

/*
 * Where a panic's progress stands: src/runtime/panic.go. Until 1.21 it is that of the
 * deferred call that runs.
 */
static void find_panic(const struct scene *s, struct probe *pr)
{
	static const char *const panic[] = { "_panic" }, *const defer[] = { "_defer" },
				 *const sp[] = { "sp" };
	bool since_1_22 = binary_go_at_least(s->b, "1.22");
	struct errinfo e;

	pr->has_panic = !compile_offset(s, "runtime.g", panic, 1, &pr->panic, &e) &&
			!compile_offset(s, "runtime.g", since_1_22 ? panic : defer, 1,
					&pr->panic_via, &e) &&
			!compile_offset(s, since_1_22 ? "runtime._panic" : "runtime._defer", sp, 1,
					&pr->panic_sp, &e);
}

/* Where a goroutine says what it waits for, and counts how often it has stopped running. */
static void find_waits(struct scene *s, struct probe *pr)
{
	static const char *const status[] = { "atomicstatus" }, *const reason[] = { "waitreason" },
				 *const seq[] = { "trackingSeq" };
	struct goversion go;
	struct errinfo e;

	/* An atomic.Uint32 since Go 1.20, whose value is behind what takes no room. */
	pr->has_waits = !compile_offset(s, "runtime.g", status, 1, &pr->status, &e) &&
			!compile_offset(s, "runtime.g", reason, 1, &pr->wait_reason, &e) &&
			!compile_offset(s, "runtime.g", seq, 1, &pr->switches, &e) &&
			!goversion_parse(gobin_buildinfo(s->b->bin)->go, &go);
	pr->go_minor = pr->has_waits ? go.n[1] : 0;
}

bool finish_probe(const struct binary *b, struct plan *plan, struct probe *pr)
{
	static const char *const goid[] = { "goid" }, *const hi[] = { "stack", "hi" };
	struct scene s = { .b = b, .plan = plan, .probe = pr };
	struct errinfo e = { .text = "" };
	struct skip *k;

	probe_set_id(pr, gobin_id(b->bin));
	pr->inlined = inlining_find(b->inlining, pr->symbol).n;
	if (!compile_offset(&s, "runtime.g", goid, 1, &pr->goid, &e) &&
	    !compile_offset(&s, "runtime.g", hi, 2, &pr->stack_hi, &e)) {
		if (!pr->role)
			find_waits(&s, pr);
		/* Servers' calls are at the bottom of their goroutines. */
		if (!pr->role && strcmp(pr->kind, "server") != 0)
			find_panic(&s, pr);
		return true;
	}
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

bool planned_has(const struct planned *p, const char *name)
{
	for (size_t i = 0; i < p->set->n; i++)
		if (!strcmp(p->set->recipe[i]->name, name))
			return p->gave[i];
	return false;
}

/* Plans a recipe, once; if it gives a probe those that it uses are planned too. */
static void plan_with_uses(const struct binary *b, const struct request *rq, const char *name,
			   struct planned *done, struct plan *plan)
{
	const struct recipe_set *set = rq->recipes;

	for (size_t i = 0; i < set->n; i++) {
		const struct recipe *r = set->recipe[i];
		size_t before = plan->n_probes;

		if (strcmp(r->name, name) || done->tried[i] || set->off[i])
			continue;
		done->tried[i] = true;
		resolve_recipe(b, r, rq->mode, done, plan);
		done->gave[i] = plan->n_probes > before;
		for (size_t j = 0; done->gave[i] && j < r->n_uses; j++)
			plan_with_uses(b, rq, r->uses[j], done, plan);
	}
}

static bool part_depends(const struct recipe_part *p)
{
	for (size_t i = 0; i < p->n_captures; i++)
		if (p->captures[i].with)
			return true;
	return false;
}

/* Whether a recipe has captures that are of use only where another one gives probes. */
static bool depends(const struct recipe *r)
{
	for (size_t i = 0; i < r->n_spans; i++) {
		const struct recipe_span *s = &r->spans[i];

		if (part_depends(&s->common))
			return true;
		for (size_t j = 0; j < s->n_tries; j++)
			if (part_depends(&s->tries[j]))
				return true;
	}
	return false;
}

/* All that are not on demand; those that depend on others last. */
static void plan_recipes(const struct binary *b, const struct request *rq, bool dependent,
			 struct planned *done, struct plan *plan)
{
	const struct recipe_set *set = rq->recipes;

	for (size_t i = 0; i < set->n; i++)
		if (!set->recipe[i]->on_demand && depends(set->recipe[i]) == dependent)
			plan_with_uses(b, rq, set->recipe[i]->name, done, plan);
}

int resolve(const struct binary *b, const struct request *rq, struct plan *plan)
{
	const struct recipe_set *set = rq->recipes;
	struct planned done = { .set = set };

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
	done.tried = calloc(2 * set->n + 1, sizeof(*done.tried));
	if (!done.tried)
		return -ENOMEM;
	done.gave = done.tried + set->n;
	plan_recipes(b, rq, false, &done, plan);
	if (resolve_funcs(b, rq, plan)) {
		plan_with_uses(b, rq, "runtime", &done, plan);
		plan_with_uses(b, rq, "lineage", &done, plan);
	}
	plan_recipes(b, rq, true, &done, plan);
	free(done.tried);
	return plan->err;
}
