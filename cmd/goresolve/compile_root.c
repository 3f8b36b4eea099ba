// SPDX-License-Identifier: Apache-2.0
/* Where a path begins: parameters in registers or on the stack, g, kept values. */
#include <errno.h>
#include <string.h>

#include "compile_internal.h"

int compile_emit_op(struct compiler *c, struct op op)
{
	if (c->ops->n == PLAN_MAX_OPS)
		return errinfo_set(c->e, -E2BIG, "%s: more than %d operations", c->path->text,
				   PLAN_MAX_OPS);
	c->ops->op[c->ops->n++] = op;
	return 0;
}

int compile_emit_n(struct compiler *c, enum op_code code, uint64_t n)
{
	return compile_emit_op(c, (struct op){ .code = code, .n = n });
}

int compile_senseless(struct compiler *c, const char *why)
{
	return errinfo_set(c->e, -EINVAL, "%s: %s", c->path->text, why);
}

void value_set(struct value *v, enum place place, const struct gotype *t)
{
	v->place = place;
	v->off = 0;
	v->type = t;
	v->shape = t ? GOABI_TYPED : GOABI_WORD;
	v->what = NULL;
	v->is_type = false;
}

/* A parameter as the recipe declares it, with what the binary knows of its type. */
static int declared(const struct binary *b, const char *type, struct goabi_param *p, bool *empty)
{
	static const char *const words[] = { "word", "*", "map[", "chan ", "func(" };

	*empty = !strcmp(type, "any") || !strcmp(type, "interface{}");
	p->type = NULL;
	p->shape = GOABI_TWO_WORDS;
	if (!strcmp(type, "interface") || !strcmp(type, "error") || *empty)
		return 0;
	p->type = gotypes_find(b->types, type);
	p->shape = GOABI_TYPED;
	if (p->type && p->type->kind != GOTYPE_UNKNOWN)
		return 0;
	p->type = NULL;
	p->shape = GOABI_WORD;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strncmp(type, words[i], strlen(words[i])))
			return 0;
	p->shape = GOABI_SLICE;
	return strncmp(type, "[]", 2) ? -ENOENT : 0;
}

static int place_param(struct compiler *c, const struct goabi_slot *slot)
{
	enum gobin_arch arch = gobin_arch(c->s->b->bin);
	bool call = c->s->at == SITE_CALL || c->s->at == SITE_AFTER;

	c->v.slot = *slot;
	c->v.off = 0;
	c->v.place = slot->on_stack ? IN_MEM : IN_REGS;
	if (!slot->on_stack)
		return 0;
	return compile_emit_n(c, OP_SP,
			      slot->stack + (uint64_t)(call ? goabi_stack_at_call(arch)
							    : goabi_stack_at_entry(arch)));
}

/* Places parameters (or results) in order until @name; 0 found, 1 not among them. */
static int find_param(struct compiler *c, struct goabi *abi, const struct recipe_param *list,
		      size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		struct goabi_param p;
		struct goabi_slot slot;
		bool empty;

		if (declared(c->s->b, list[i].type, &p, &empty) || goabi_next(abi, &p, &slot, NULL))
			return errinfo_set(c->e, -ENOENT, "%s", list[i].type);
		if (!name || strcmp(name, list[i].name))
			continue;
		c->v.type = p.type;
		c->v.shape = p.shape;
		c->v.empty_iface = empty;
		c->v.what = list[i].type;
		return place_param(c, &slot);
	}
	return 1;
}

/* A parameter or result of which DWARF says where it is. */
static int root_arg(struct compiler *c, const struct goarg *a)
{
	c->v.type = a->type;
	c->v.shape = GOABI_TYPED;
	c->v.what = a->type->name;
	return place_param(c, &a->slot);
}

static int root_param(struct compiler *c)
{
	const struct recipe_func *f = c->s->func;
	bool results = c->s->at == SITE_RET || c->s->at == SITE_AFTER;
	struct goabi abi;
	int ret = 1;

	if (c->s->arg)
		return root_arg(c, c->s->arg);
	if (!f)
		return errinfo_set(c->e, -EINVAL,
				   "%s: no 'func' line declares the function's parameters",
				   c->path->text);
	goabi_init(&abi, gobin_arch(c->s->b->bin), c->s->b->types);
	if (results) {
		find_param(c, &abi, f->params, f->n_params, NULL);
		goabi_results(&abi);
		ret = find_param(c, &abi, f->results, f->n_results, c->path->param);
	} else {
		ret = find_param(c, &abi, f->params, f->n_params, c->path->param);
	}
	if (ret == 1)
		return errinfo_set(c->e, -EINVAL, "%s: %s has no %s '%s'", c->path->text, f->symbol,
				   results ? "result" : "parameter", c->path->param);
	return ret;
}

unsigned int compile_result_regs(const struct binary *b, const struct recipe_func *f)
{
	struct goabi abi;
	struct goabi_param p;
	struct goabi_slot slot;
	bool empty;

	goabi_init(&abi, gobin_arch(b->bin), b->types);
	for (size_t i = 0; i < f->n_results; i++)
		if (declared(b, f->results[i].type, &p, &empty) ||
		    goabi_next(&abi, &p, &slot, NULL))
			return abi.max_int;
	return abi.n_int;
}

int compile_result_reg(const struct binary *b, const struct recipe_func *f, const char *name,
		       struct site_when *when)
{
	struct goabi abi;
	struct goabi_param p;
	struct goabi_slot slot;
	bool empty;

	goabi_init(&abi, gobin_arch(b->bin), b->types);
	for (size_t i = 0; i < f->n_results; i++) {
		unsigned int reg = abi.n_int;

		if (declared(b, f->results[i].type, &p, &empty) ||
		    goabi_next(&abi, &p, &slot, NULL))
			return -ENOENT;
		if (strcmp(f->results[i].name, name) != 0)
			continue;
		when->reg = (uint8_t)reg;
		when->size = !strcmp(f->results[i].type, "bool") ? 1 : 8;
		return slot.on_stack || abi.n_int == reg ? -ENOENT : 0;
	}
	return -ENOENT;
}

int compile_root(struct compiler *c)
{
	value_set(&c->v, IN_WORD, NULL);
	switch (c->path->root) {
	case ROOT_PARAM:
		return root_param(c);
	case ROOT_KEPT:
		return compile_emit_n(c, OP_KEPT, c->path->kept);
	case ROOT_CONST:
		return compile_senseless(c, "a constant leads nowhere");
	case ROOT_CLOSURE:
		return compile_emit_op(c, (struct op){ .code = OP_CTX });
	default:
		c->v.type = gotypes_find(c->s->b->types, "*runtime.g");
		c->v.what = "*runtime.g";
		return compile_emit_op(c, (struct op){ .code = OP_G });
	}
}
