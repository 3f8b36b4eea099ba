/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the path compiler share: the state of one compilation.
 * compile_root.c begins a path (parameters, registers), compile.c follows it.
 */
#ifndef GORESOLVE_COMPILE_INTERNAL_H
#define GORESOLVE_COMPILE_INTERNAL_H

#include "compile.h"
#include "goabi.h"

#define WORD 8

/* Where the value that the path has reached so far is. */
enum place {
	IN_REGS, /* in registers: slot, from byte off on */
	IN_MEM,	 /* in memory: at the running value + off */
	IN_WORD, /* the running value itself: a pointer */
};

struct value {
	enum place place;
	uint64_t off;
	struct goabi_slot slot;
	const struct gotype *type; /* NULL: not known */
	enum goabi_shape shape;	   /* what is known without a type */
	bool empty_iface;	   /* of an interface known by its shape only */
	bool is_type;		   /* the address of a type descriptor, whose name is meant */
	const char *what;	   /* type as the recipe has it, for messages */
};

struct compiler {
	const struct scene *s;
	const struct recipe_path *path;
	struct op_list *ops;
	struct value v;
	struct errinfo *e;
};

/* Appends an operation; -E2BIG past the limit. */
int compile_emit_op(struct compiler *c, struct op op);
int compile_emit_n(struct compiler *c, enum op_code code, uint64_t n);
/* -EINVAL: the path makes no sense here. */
int compile_senseless(struct compiler *c, const char *why);

/* A value of type @t (NULL: a word of which nothing is known) at @place. */
void value_set(struct value *v, enum place place, const struct gotype *t);

/* The first word of the path: a parameter, the goroutine, a kept value. */
int compile_root(struct compiler *c);

#endif
