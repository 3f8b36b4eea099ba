// SPDX-License-Identifier: Apache-2.0
#include "goargs.h"

#include <errno.h>
#include <stdlib.h>

#include "dwarf_func.h"
#include "gotypes_internal.h"

/* DWARF's numbers of the integer argument registers: System V ABI for amd64, figure 3.36. */
static const uint8_t amd64_int[] = { 0, 3, 2, 5, 4, 8, 9, 10, 11 };
#define AMD64_XMM0 17
#define AMD64_FP   15
/* DWARF for the Arm 64-bit architecture, 4.1. */
#define ARM64_V0   64
#define ARM64_REGS 16

/* The number of a register among those of ABIInternal, as goabi.h counts; false: none. */
static bool abi_reg(enum gobin_arch arch, uint64_t dwarf, struct goabi_piece *p)
{
	uint64_t fp = arch == GOBIN_AMD64 ? AMD64_XMM0 : ARM64_V0;
	uint64_t n_fp = arch == GOBIN_AMD64 ? AMD64_FP : ARM64_REGS;

	p->fp = dwarf >= fp && dwarf - fp < n_fp;
	p->reg = (uint8_t)(dwarf - fp);
	if (p->fp)
		return true;
	p->reg = (uint8_t)dwarf;
	if (arch == GOBIN_ARM64)
		return dwarf < ARM64_REGS;
	for (size_t i = 0; i < sizeof(amd64_int); i++)
		if (amd64_int[i] == dwarf) {
			p->reg = (uint8_t)i;
			return true;
		}
	return false;
}

static bool all_on_stack(const struct dwarf_param *d)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->piece[i].where != DWARF_ON_STACK)
			return false;
	return d->n > 0;
}

/*
 * On amd64 the CFA is where the arguments begin; on arm64 it is SP at the entry. Of a
 * string or slice the location may be that of the one word that is used: any place in
 * it will do where the list of parameters is @whole.
 */
static bool same_stack(enum gobin_arch arch, const struct dwarf_param *d, uint32_t stack,
		       uint64_t size, bool whole)
{
	int64_t at = (int64_t)stack + (arch == GOBIN_ARM64 ? goabi_stack_at_entry(arch) : 0);
	int64_t got = d->n ? d->piece[0].stack : 0;

	return all_on_stack(d) && (got == at || (whole && got > at && got - at < (int64_t)size));
}

static bool same_reg(enum gobin_arch arch, const struct dwarf_piece *d, const struct goabi_piece *p)
{
	struct goabi_piece got;

	return d->where == DWARF_IN_REG && abi_reg(arch, d->reg, &got) && got.reg == p->reg &&
	       got.fp == p->fp;
}

/* A piece for each register, in order; those that are not used may be nowhere. */
static bool same_regs(enum gobin_arch arch, const struct dwarf_param *d,
		      const struct goabi_slot *slot)
{
	bool any = false;

	if (d->n != slot->n)
		return false;
	for (size_t i = 0; i < d->n; i++) {
		if (d->piece[i].where == DWARF_NOWHERE)
			continue;
		if (!same_reg(arch, &d->piece[i], &slot->piece[i]))
			return false;
		any = true;
	}
	return any;
}

/* Up to Go 1.20 registers are said several times over: then all must be there, in order. */
static bool same_regs_repeated(enum gobin_arch arch, const struct dwarf_param *d,
			       const struct goabi_slot *slot)
{
	size_t at = 0;

	for (size_t i = 0; i < d->n; i++) {
		if (at && same_reg(arch, &d->piece[i], &slot->piece[at - 1]))
			continue;
		if (at == slot->n || !same_reg(arch, &d->piece[i], &slot->piece[at]))
			return false;
		at++;
	}
	return at > 0 && at == slot->n;
}

/*
 * Whether the compiler says of a parameter that it is where the rules have it. (Its
 * locations alone are not to be trusted at a first instruction: an assigned parameter
 * may be said to be where it will be later. One that is not used, or in a build
 * without optimisation, is said to be in the stack slot that it would be spilled to:
 * that is believed where the list of parameters is @whole.)
 */
static bool confirmed(enum gobin_arch arch, const struct dwarf_param *d,
		      const struct goabi_slot *slot, uint64_t size, bool whole)
{
	if (slot->on_stack)
		return same_stack(arch, d, slot->stack, size, whole);
	if (whole && all_on_stack(d))
		return true;
	return same_regs(arch, d, slot) || same_regs_repeated(arch, d, slot);
}

/*
 * A result in registers has no location at its RETs: there the rules alone tell. One on the
 * stack comes behind the parameters there. The compiler notes its place (from Go 1.26 or so
 * on); before, the rules will do if all @params are told and placed.
 */
static bool result_confirmed(enum gobin_arch arch, const struct dwarf_param *d,
			     const struct goarg *a, bool params)
{
	if (!a->slot.on_stack || (params && !d->n))
		return true;
	return d->fixed && d->n == 1 && same_stack(arch, d, a->slot.stack, a->type->size, false);
}

/* Of a function: where DWARF does not tell a word that is among the parameters. */
enum { NO_DICT = -2, DICT_UNKNOWN = -1 };

/*
 * Places all; what comes after a type that is not known is not available. In front
 * of parameter @dict (if not negative) goes a word that DWARF does not have. Returns how
 * many are available.
 */
static size_t place(struct gotypes *ts, enum gobin_arch arch, const struct dwarf_param *params,
		    struct goarg *args, size_t n, int dict)
{
	static const struct goabi_param word = { .shape = GOABI_WORD };
	/* Up to Go 1.21 parameters named "_" are not told. */
	bool results = false, known = true, whole = gobin_go_minor(ts->b) >= 22;
	bool certain = whole && dict == NO_DICT;
	size_t available = 0;
	struct goabi abi;

	goabi_init(&abi, arch, ts);
	for (size_t i = 0; i < n; i++) {
		struct goabi_param p = { GOABI_TYPED, args[i].type };
		struct goarg *a = &args[i];

		if ((int)i == dict)
			goabi_next(&abi, &word, &a->slot, NULL);
		if (a->result && !results) {
			goabi_results(&abi);
			certain &= known;
			results = known = true;
		}
		a->placed = known && !goabi_next(&abi, &p, &a->slot, NULL);
		known = a->placed;
		if (!a->placed)
			a->available = false;
		else if (a->result)
			a->available = result_confirmed(arch, &params[i], a, certain);
		else
			a->available = confirmed(arch, &params[i], &a->slot, a->type->size, whole);
		available += a->available;
	}
	return available;
}

/* A dictionary comes first, or after the receiver: where more parameters are confirmed. */
static void place_shaped(struct gotypes *ts, enum gobin_arch arch, const struct dwarf_param *params,
			 struct goarg *args, size_t n)
{
	size_t most = 0, got;
	int best = DICT_UNKNOWN;

	for (int dict = DICT_UNKNOWN; dict < 2; dict++) {
		got = place(ts, arch, params, args, n, dict);
		if (got > most) {
			most = got;
			best = dict;
		}
	}
	place(ts, arch, params, args, n, best);
}

int goargs_load(struct gotypes *ts, enum gobin_arch arch, uint64_t entry, struct goarg **out,
		size_t *n)
{
	struct dwarf_param *params = NULL;
	bool shaped = false;
	int ret = 0;

	*out = NULL;
	*n = 0;
	if (!ts->dwarf)
		return -ENODATA;
	if (!ts->funcs)
		ret = dwarf_funcs_new(ts->b, godwarf_reader(ts->dwarf), &ts->funcs);
	if (!ret)
		ret = dwarf_func_params(ts->funcs, entry, &params, n, &shaped);
	if (ret)
		return ret;
	*out = calloc(*n + 1, sizeof(**out));
	for (size_t i = 0; *out && i < *n; i++) {
		struct goarg *a = &(*out)[i];
		const struct type_node *t = type_of_die(ts, params[i].type);

		a->name = params[i].name;
		a->type = t ? &t->pub : &ts->unknown.pub;
		a->result = params[i].result;
		a->located = params[i].n > 0;
	}
	if (*out)
		shaped ? place_shaped(ts, arch, params, *out, *n)
		       : (void)place(ts, arch, params, *out, *n, NO_DICT);
	free(params);
	return *out ? 0 : -ENOMEM;
}
