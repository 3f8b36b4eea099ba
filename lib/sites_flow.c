// SPDX-License-Identifier: Apache-2.0
/* What depends on the ways through a function: decisions by a result, frames, returns. */
#include <capstone/capstone.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sites_internal.h"

/* Whether branch @i goes by integer result register @reg: see struct sites_arch. */
static int zero_branch(const struct code *c, size_t i, unsigned int reg)
{
	size_t test = i;
	cs_insn *branch = code_decode(c, i), *before = NULL;
	int ret = -1;

	while (test && c->insns[test - 1].cls == INSN_NOP)
		test--;
	if (test)
		before = code_decode(c, test - 1);
	if (branch && before && (c->insns[i].cls == INSN_BRANCH))
		ret = c->arch->zero_branch(c->cs, before, branch, reg);
	if (before)
		cs_free(before, 1);
	if (branch)
		cs_free(branch, 1);
	return ret;
}

/*
 * The branch behind the call at @call that goes by @reg: an index, or 0 if there is none. What
 * comes to it from elsewhere has its results in the same registers, or it would not go by them.
 */
static size_t decision(const struct code *c, size_t call, unsigned int reg, unsigned int keep)
{
	for (size_t i = call + 1; i < c->n && i - call < AFTER_CALL_MAX; i++) {
		if (c->insns[i].cls == INSN_BRANCH)
			return c->insns[i].emulated && zero_branch(c, i, reg) >= 0 ? i : 0;
		if (c->insns[i].cls != INSN_NOP && !code_is_harmless(c, i, keep))
			return 0;
	}
	return 0;
}

int code_decisions(const struct code *c, const char *callee, const struct site_when *when,
		   unsigned int keep, struct site *out, size_t max)
{
	int n = 0;

	for (size_t i = 0; i + 1 < c->n; i++) {
		size_t at = 0;

		if (c->insns[i].cls == INSN_CALL && code_is_named(c, c->insns[i].target, callee))
			at = decision(c, i, when->reg, keep);
		if (!at)
			continue;
		if ((size_t)n < max) {
			code_fill_site(c, at, SITE_AFTER, &out[n]);
			out[n].when = *when;
		}
		n++;
	}
	return n;
}

int code_frame(const struct code *c)
{
	int sum = 0;

	for (size_t i = 0; i < c->n; i++) {
		cs_insn *in;
		int drop;

		if (i >= c->entry && c->insns[i].cls != INSN_OTHER && c->insns[i].cls != INSN_NOP)
			return sum;
		in = code_decode(c, i);
		drop = in ? c->arch->sp_drop(c->cs, in) : -1;
		if (in)
			cs_free(in, 1);
		if (drop < 0)
			return -ENOTSUP;
		sum += drop;
	}
	return -ENOTSUP;
}

/* --- returns ----------------------------------------------------------------- */

struct flow {
	const struct code *c;
	size_t *todo, n_todo;
	bool *seen;
};

static void reach(struct flow *f, long i)
{
	if (i < 0 || (size_t)i >= f->c->n || f->seen[i])
		return;
	f->seen[i] = true;
	f->todo[f->n_todo++] = (size_t)i;
}

static bool goes_on(const struct insn *in)
{
	return in->cls == INSN_OTHER || in->cls == INSN_CALL || in->cls == INSN_CALL_IND ||
	       in->cls == INSN_BRANCH || in->cls == INSN_NOP;
}

/*
 * Marks what is reached from instruction @from on, without the way that branch @closed
 * takes (with @taken) or leaves. -ENOTSUP where it is not known where a jump leads.
 */
static int walk(struct flow *f, size_t from, size_t closed, bool taken)
{
	const struct code *c = f->c;

	memset(f->seen, 0, c->n * sizeof(*f->seen));
	reach(f, (long)from);
	while (f->n_todo) {
		size_t i = f->todo[--f->n_todo];
		const struct insn *in = &c->insns[i];

		if (in->cls == INSN_JUMP_TAB || in->cls == INSN_JUMP_IND)
			return -ENOTSUP;
		if ((in->cls == INSN_JUMP || in->cls == INSN_BRANCH) && !(i == closed && taken))
			reach(f, code_find(c, in->target));
		if (goes_on(in) && !(i == closed && !taken))
			reach(f, (long)i + 1);
	}
	return 0;
}

/* Marks in @f what is reached by every way but that on which @s counts. */
static int walk_without(struct flow *f, const struct site *s)
{
	long at = code_find(f->c, s->addr);
	int zero = at < 0 ? -1 : zero_branch(f->c, (size_t)at, s->when.reg);

	if (zero < 0)
		return -ENOTSUP;
	return walk(f, 0, (size_t)at, (zero == 1) == (s->when.how == WHEN_ZERO));
}

/* Marks in @f what is reached by the way on which @s counts. */
static int walk_behind(struct flow *f, const struct site *s)
{
	const struct code *c = f->c;
	long at = code_find(c, s->addr);
	int zero = at < 0 ? -1 : zero_branch(c, (size_t)at, s->when.reg);
	bool taken = (zero == 1) == (s->when.how == WHEN_ZERO);
	long next = zero < 0 ? -1 : taken ? code_find(c, c->insns[at].target) : at + 1;

	return next < 0 || (size_t)next >= c->n ? -ENOTSUP : walk(f, (size_t)next, c->n, false);
}

int code_exits_beside(const struct code *c, const struct site *s, struct site *exits, int n)
{
	struct flow f = { .c = c };
	bool *other = calloc(c->n, sizeof(*other));
	int ret = -ENOMEM, kept = 0;

	f.todo = calloc(c->n, sizeof(*f.todo));
	f.seen = calloc(c->n, sizeof(*f.seen));
	if (!other || !f.todo || !f.seen)
		goto out;
	ret = walk_without(&f, s);
	if (ret)
		goto out;
	memcpy(other, f.seen, c->n * sizeof(*other));
	ret = walk_behind(&f, s);
	for (int i = 0; !ret && i < n; i++) {
		long at = code_find(c, exits[i].addr);

		if (f.seen[at] && other[at])
			ret = -EXDEV; /* it would end what has ended */
		else if (!f.seen[at])
			exits[kept++] = exits[i];
	}
out:
	free(f.seen);
	free(f.todo);
	free(other);
	return ret ? ret : kept;
}
