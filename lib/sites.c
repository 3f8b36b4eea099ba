// SPDX-License-Identifier: Apache-2.0
#include "sites.h"

#include <capstone/capstone.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "goname.h"
#include "sites_internal.h"

/* Instructions of a prologue in front of the stack check, and of the block that
 * calls morestack (it spills every argument register first). */
#define CHECK_MAX     12
#define MORESTACK_MAX 48
#define ALL_REGS      UINT_MAX /* every argument register must stay */
/* Far more than any function has; what a hostile file may cost. */
#define MAX_INSNS   (2u << 20)
#define LOOP_BUDGET (16u << 20) /* instructions looked at for where loops begin */
#define ORIGIN_MAX  64		/* from a jump back to what loaded its register */

const struct sites_arch *sites_arch(enum gobin_arch arch)
{
	switch (arch) {
	case GOBIN_AMD64:
		return &sites_amd64;
	case GOBIN_ARM64:
		return &sites_arm64;
	default:
		return NULL;
	}
}

static int push_insn(struct code *c, void *room, const uint8_t *p, size_t left, uint64_t addr)
{
	struct insn *insns = c->insns;
	int ret;

	if (c->n >= MAX_INSNS)
		return -EFBIG;
	if (c->n == c->cap) {
		c->cap = c->cap ? 2 * c->cap : 64;
		insns = realloc(c->insns, c->cap * sizeof(*insns));
		if (!insns)
			return -ENOMEM;
		c->insns = insns;
	}
	memset(&insns[c->n], 0, sizeof(*insns));
	insns[c->n].addr = addr;
	ret = c->arch->decode(c->cs, room, p, left, addr, &insns[c->n]);
	c->n += !ret;
	return ret;
}

static void trim_padding(struct code *c)
{
	while (c->n > 1 && c->insns[c->n - 1].cls == INSN_PAD)
		c->n--;
	if (c->n)
		c->end = c->insns[c->n - 1].addr + c->insns[c->n - 1].len;
}

static int no_insn(const struct code *c, uint64_t addr, struct errinfo *e)
{
	size_t off = addr - c->addr;

	return errinfo_set(e, -EILSEQ, "no instruction at 0x%llx (bytes %02x%s)",
			   (unsigned long long)addr, c->text[off], addr + 1 < c->end ? " …" : "");
}

static int decode(struct code *c, size_t len, struct errinfo *e)
{
	cs_insn *in = cs_malloc(c->cs);
	size_t off = 0;
	int ret = in ? 0 : -ENOMEM;

	while (!ret && off < len) {
		ret = push_insn(c, in, c->text + off, len - off, c->addr + off);
		if (!ret)
			off += c->insns[c->n - 1].len;
	}
	if (in)
		cs_free(in, 1);
	if (ret == -EFBIG)
		return errinfo_set(e, ret, "more than %u instructions", MAX_INSNS);
	return ret == -EILSEQ ? no_insn(c, c->addr + off, e) : ret;
}

/* The instruction at @addr: its index, or -1. */
long code_find(const struct code *c, uint64_t addr)
{
	size_t lo = 0, hi = c->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (c->insns[mid].addr < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < c->n && c->insns[lo].addr == addr ? (long)lo : -1;
}

static bool inside(const struct code *c, uint64_t addr)
{
	return addr >= c->addr && addr < c->end;
}

static void mark_data(struct insn *in)
{
	in->cls = INSN_DATA;
	in->target = 0;
	in->emulated = false;
}

/* What a literal load reads is no instruction, though it may look like one. */
static void mark_literals(struct code *c)
{
	for (size_t i = 0; c->arch->literal && i < c->n; i++) {
		const struct insn *in = &c->insns[i];
		unsigned int len = 0;
		uint64_t at = 0;
		long j;

		if (in->cls == INSN_OTHER)
			at = c->arch->literal(c->text + (in->addr - c->addr), in->addr, &len);
		for (; at && len; at += 4, len -= 4) {
			j = code_find(c, at);
			if (j < 0)
				break;
			mark_data(&c->insns[j]);
		}
	}
}

/* Notes at each instruction whether a branch or jump of the function goes there. */
static void mark_reached(struct code *c)
{
	for (size_t i = 0; i < c->n; i++)
		c->insns[i].reached = false;
	for (size_t i = 0; i < c->n; i++) {
		long j = -1;

		if (c->insns[i].cls == INSN_JUMP || c->insns[i].cls == INSN_BRANCH)
			j = code_find(c, c->insns[i].target);
		if (j >= 0)
			c->insns[j].reached = true;
	}
}

static bool goes_on(const struct insn *in)
{
	return in->cls != INSN_JUMP && in->cls != INSN_JUMP_IND && in->cls != INSN_JUMP_OUT &&
	       in->cls != INSN_JUMP_TAB && in->cls != INSN_RET && in->cls != INSN_DATA;
}

/*
 * Up to Go 1.22 the assembler leaves literals behind that nothing reads any more
 * (cmd/internal/obj/arm64/asm7.go, flushpool). They stand where nothing comes by: behind
 * a jump, and no target of one. @i is one that is no instruction.
 */
static bool mark_pool(struct code *c, size_t i)
{
	size_t first = i, end = i + 1;

	while (first && goes_on(&c->insns[first - 1]) && !c->insns[first].reached)
		first--;
	if (!first || c->insns[first].reached)
		return false;
	while (end < c->n && !c->insns[end].reached)
		end++;
	for (size_t j = first; j < end; j++)
		mark_data(&c->insns[j]);
	return true;
}

static void mark_pools(struct code *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->insns[i].cls == INSN_BAD && !mark_pool(c, i))
			return; /* an error anyway */
}

/*
 * What is neither an instruction nor read as data could be anything. Nor are these
 * the instructions that run if one jumps into the middle of another: then some of
 * what was decoded is data.
 */
static int check_sense(const struct code *c, struct errinfo *e)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct insn *in = &c->insns[i];

		if (in->cls == INSN_BAD)
			return no_insn(c, in->addr, e);
		if ((in->cls == INSN_JUMP || in->cls == INSN_BRANCH) && inside(c, in->target) &&
		    code_find(c, in->target) < 0)
			return errinfo_set(e, -EILSEQ,
					   "0x%llx jumps into the middle of an instruction",
					   (unsigned long long)in->addr);
	}
	return 0;
}

bool code_is_named(const struct code *c, uint64_t addr, const char *name)
{
	const char *got = c->name ? c->name(c->ctx, addr) : NULL;
	size_t n = name ? strlen(name) : 0;

	if (!name)
		return true;
	return got &&
	       (goname_equal(name, got) || (!strncmp(got, name, n) && !strcmp(got + n, ".abi0")));
}

static bool is_morestack(const struct code *c, uint64_t addr)
{
	const char *got = c->name ? c->name(c->ctx, addr) : NULL;

	return got && !strncmp(got, "runtime.morestack", strlen("runtime.morestack"));
}

/* Whether the block at @addr spills registers and then calls morestack. */
static bool leads_to_morestack(const struct code *c, uint64_t addr)
{
	long at = code_find(c, addr);

	for (size_t i = (size_t)at, left = MORESTACK_MAX; at >= 0 && i < c->n && left;
	     i++, left--) {
		if (c->insns[i].cls == INSN_CALL)
			return is_morestack(c, c->insns[i].target);
		if (c->insns[i].cls != INSN_OTHER && c->insns[i].cls != INSN_NOP)
			return false;
	}
	return false;
}

/*
 * The stack check is whatever ends in branches to a block that calls morestack:
 * that holds for small, big and huge frames, for g in a register or loaded from
 * thread-local storage, and on every architecture.
 */
static void find_entry(struct code *c)
{
	for (size_t i = 0; i < c->n && i < CHECK_MAX; i++) {
		const struct insn *in = &c->insns[i];

		if (in->cls == INSN_BRANCH && leads_to_morestack(c, in->target)) {
			c->entry = i + 1;
			c->has_check = true;
		} else if (in->cls != INSN_OTHER && in->cls != INSN_NOP) {
			break;
		}
	}
	while (c->entry + 1 < c->n && c->insns[c->entry].cls == INSN_NOP)
		c->entry++;
}

/* Decodes instruction @i once more; the caller frees. */
struct cs_insn *code_decode(const struct code *c, size_t i)
{
	const struct insn *in = &c->insns[i];
	const uint8_t *p = c->text + (in->addr - c->addr);
	uint64_t addr = in->addr;
	size_t len = in->len;
	cs_insn *cs = cs_malloc(c->cs);

	if (cs && !cs_disasm_iter(c->cs, &p, &len, &addr, cs)) {
		cs_free(cs, 1);
		return NULL;
	}
	return cs;
}

/* Whether something branches to instruction @i that is not between it and @last. */
static bool is_reached_from_outside(const struct code *c, size_t i, size_t last, size_t *budget)
{
	if (!c->insns[i].reached)
		return false;
	if (*budget < c->n)
		return true;
	*budget -= c->n;
	for (size_t j = 0; j < c->n; j++) {
		const struct insn *in = &c->insns[j];

		if ((in->cls == INSN_JUMP || in->cls == INSN_BRANCH) &&
		    in->target == c->insns[i].addr && (j < i || j > last))
			return true;
	}
	return false;
}

/*
 * What the register of a jump was loaded from, looked for backwards as long as there
 * is one way only to come here. What a function was entered with is one address.
 */
static enum reg_origin jump_origin(const struct code *c, size_t jump, size_t *budget)
{
	int reg = c->arch->jump_reg(c->text + (c->insns[jump].addr - c->addr));
	size_t i = jump;
	bool added = false;

	for (size_t left = ORIGIN_MAX; reg >= 0 && i && left; left--) {
		enum reg_origin origin = REG_UNKNOWN;
		const struct insn *in;
		cs_insn *cs;
		int from = -1;

		if (is_reached_from_outside(c, i, jump, budget))
			return REG_UNKNOWN;
		in = &c->insns[--i];
		if (in->cls != INSN_OTHER && in->cls != INSN_NOP && in->cls != INSN_BRANCH)
			return REG_UNKNOWN;
		cs = code_decode(c, i);
		if (cs) {
			origin = c->arch->origin(c->cs, cs, reg, &from);
			cs_free(cs, 1);
		}
		added = added || origin == REG_ADDED;
		if (origin == REG_COPIED || origin == REG_ADDED)
			reg = from;
		else if (origin == REG_LOADED && added)
			return REG_UNKNOWN; /* somewhere behind what it leads to */
		else if (origin != REG_KEPT)
			return origin;
	}
	return reg >= 0 && !i && !added ? REG_LOADED : REG_UNKNOWN;
}

/* An element of a table is a place in the function, any other address is outside. */
static void find_register_jumps(struct code *c)
{
	size_t budget = LOOP_BUDGET;

	for (size_t i = 0; i < c->n; i++) {
		enum reg_origin origin;

		if (c->insns[i].cls != INSN_JUMP_IND)
			continue;
		origin = jump_origin(c, i, &budget);
		if (origin == REG_TABLE)
			c->insns[i].cls = INSN_JUMP_TAB;
		else if (origin == REG_LOADED || origin == REG_ADDRESS)
			c->insns[i].cls = INSN_JUMP_OUT;
	}
}

int code_new(enum gobin_arch arch, const uint8_t *text, uint64_t addr, size_t len,
	     uint32_t deferreturn, sites_name_fn name, const void *ctx, struct code **out,
	     struct errinfo *e)
{
	struct code *c;
	int ret;

	if (!sites_arch(arch))
		return errinfo_set(e, -ENOTSUP, "no disassembly for this architecture");
	if (len < sites_arch(arch)->min_len)
		return errinfo_set(e, -ENODATA, "no room for an instruction");
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->arch = sites_arch(arch);
	c->text = text;
	c->addr = addr;
	c->end = addr + len;
	c->deferreturn = deferreturn;
	c->name = name;
	c->ctx = ctx;
	ret = c->arch->open(&c->cs);
	if (!ret)
		ret = decode(c, len, e);
	if (!ret && !c->n)
		ret = errinfo_set(e, -EILSEQ, "no instructions");
	if (!ret) {
		mark_literals(c);
		mark_reached(c);
		mark_pools(c);
		mark_reached(c);
		trim_padding(c);
		ret = check_sense(c, e);
	}
	if (ret) {
		code_free(c);
		return ret;
	}
	find_entry(c);
	find_register_jumps(c);
	*out = c;
	return 0;
}

void code_free(struct code *c)
{
	csh h;

	if (!c)
		return;
	h = c->cs;
	if (h)
		cs_close(&h);
	free(c->insns);
	free(c);
}

size_t code_insns(const struct code *c, const struct insn **out)
{
	*out = c->insns;
	return c->n;
}

void code_text(const struct code *c, size_t i, char *buf, size_t len)
{
	cs_insn *cs = code_decode(c, i);

	if (cs)
		snprintf(buf, len, "%s%s%s", cs->mnemonic, cs->op_str[0] ? " " : "", cs->op_str);
	else
		snprintf(buf, len, "?");
	if (cs)
		cs_free(cs, 1);
}

void code_fill_site(const struct code *c, size_t i, enum site_at at, struct site *s)
{
	const struct insn *in = &c->insns[i];

	memset(s, 0, sizeof(*s));
	s->at = at;
	s->addr = in->addr;
	s->len = in->len < sizeof(s->bytes) ? in->len : sizeof(s->bytes);
	memcpy(s->bytes, c->text + (in->addr - c->addr), s->len);
	s->emulated = in->emulated;
	s->refused = in->refused;
	s->target = in->target;
	if (at == SITE_CALL || at == SITE_AFTER)
		s->depth_adjust = c->arch->call_depth;
	code_text(c, i, s->text, sizeof(s->text));
}

bool code_is_harmless(const struct code *c, size_t i, unsigned int keep)
{
	cs_insn *cs = code_decode(c, i);
	bool yes = cs && c->arch->harmless(c->cs, cs, keep);

	if (cs)
		cs_free(cs, 1);
	return yes;
}

void code_entry(const struct code *c, bool first, struct site *out)
{
	size_t i = first ? 0 : c->entry;

	while (c->insns[i].refused && i + 1 < c->n && !c->insns[i + 1].reached &&
	       code_is_harmless(c, i, ALL_REGS))
		i++;
	code_fill_site(c, i, SITE_ENTRY, out);
	/* After growth of the stack a function starts over at its first instruction. */
	out->repeats = (i == 0 && c->has_check) || c->insns[i].reached;
}

bool code_has_check(const struct code *c)
{
	return c->has_check;
}

static bool is_deferreturn(const struct code *c, const struct insn *in)
{
	if (in->cls != INSN_CALL)
		return false;
	return (c->deferreturn && in->addr - c->addr == c->deferreturn) ||
	       code_is_named(c, in->target, "runtime.deferreturn");
}

/* Whether an instruction leaves the function: 1 yes, 0 no, -EXDEV cannot tell. */
static int leaves(const struct code *c, const struct insn *in, struct errinfo *e)
{
	unsigned long long addr = in->addr;

	switch (in->cls) {
	case INSN_RET:
	case INSN_JUMP_OUT:
		return 1;
	case INSN_JUMP:
		return !inside(c, in->target);
	case INSN_BRANCH:
		if (inside(c, in->target))
			return 0;
		return errinfo_set(e, -EXDEV, "conditional jump out of the function at 0x%llx",
				   addr);
	case INSN_JUMP_IND:
		return errinfo_set(e, -EXDEV, "computed jump at 0x%llx", addr);
	default:
		return 0;
	}
}

int code_exits(const struct code *c, struct site *out, size_t max, struct errinfo *e)
{
	bool recovered = false;
	int n = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct insn *in = &c->insns[i];
		int ret = leaves(c, in, e);

		if (ret < 0)
			return ret;
		if (is_deferreturn(c, in))
			recovered = true;
		if (ret) {
			if ((size_t)n < max) {
				code_fill_site(c, i, in->cls == INSN_RET ? SITE_RET : SITE_TAIL,
					       &out[n]);
				out[n].recovered = recovered;
			}
			n++;
		}
		if (ret || in->cls == INSN_JUMP)
			recovered = false;
	}
	return n ? n : errinfo_set(e, -ENOENT, "the function never returns");
}

int code_calls(const struct code *c, const char *callee, struct site *out, size_t max)
{
	int n = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct insn *in = &c->insns[i];

		if (in->cls != INSN_CALL || !code_is_named(c, in->target, callee))
			continue;
		if ((size_t)n < max)
			code_fill_site(c, i, SITE_CALL, &out[n]);
		n++;
	}
	return n;
}

/* The best site behind the call at @call: an index, or 0 if there is none. */
static size_t after_call(const struct code *c, size_t call, unsigned int keep)
{
	size_t next = call + 1;
	size_t i = next;

	while (next < c->n && c->insns[next].cls == INSN_NOP && !c->insns[next].reached)
		next++;
	if (next >= c->n || c->insns[next].reached)
		return 0;
	for (; i < c->n && i - call < AFTER_CALL_MAX; i++) {
		if (c->insns[i].reached)
			break;
		if (c->insns[i].emulated)
			return i;
		if (!code_is_harmless(c, i, keep))
			break;
	}
	return c->insns[next].refused ? 0 : next;
}

int code_after_calls(const struct code *c, const char *callee, unsigned int keep, struct site *out,
		     size_t max)
{
	int n = 0;

	for (size_t i = 0; i + 1 < c->n; i++) {
		const struct insn *in = &c->insns[i];
		size_t at;

		if (in->cls != INSN_CALL || !code_is_named(c, in->target, callee))
			continue;
		at = after_call(c, i, keep);
		if (!at)
			continue;
		if ((size_t)n < max)
			code_fill_site(c, at, SITE_AFTER, &out[n]);
		n++;
	}
	return n;
}
