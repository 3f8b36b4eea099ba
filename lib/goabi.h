/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the parameters and results of a Go function are, by the assignment rules
 * of ABIInternal (src/cmd/compile/abi-internal.md, Go 1.17 and later). The rules
 * are the same on every architecture; only the numbers of registers differ.
 * Used by goresolve alone; owns nothing, allocates nothing.
 */
#ifndef GOTAP_GOABI_H
#define GOTAP_GOABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "errinfo.h"
#include "gobin.h"
#include "gotypes.h"

/* No more leaves than registers: 16 integer and 16 floating point ones (arm64). */
#define GOABI_MAX_PIECES 32

struct goabi_piece {
	uint32_t offset; /* bytes from the start of the value */
	uint32_t size;	 /* bytes, at most 8 */
	uint8_t reg;	 /* register number in its class, from 0 */
	bool fp;	 /* a floating point register */
};

struct goabi_slot {
	bool on_stack;
	uint32_t stack; /* on_stack: bytes from the start of the argument area */
	uint8_t n;	/* pieces, in order of offset; 0 for a value without any bits */
	struct goabi_piece piece[GOABI_MAX_PIECES];
};

/* A parameter: a type, or just its shape where the binary does not know the type. */
enum goabi_shape {
	GOABI_TYPED,	 /* by @type */
	GOABI_WORD,	 /* one integer register: a pointer, map, channel, func, int */
	GOABI_TWO_WORDS, /* an interface or a string */
	GOABI_SLICE,	 /* three words */
};

struct goabi_param {
	enum goabi_shape shape;
	const struct gotype *type; /* for GOABI_TYPED */
};

/* The state of one assignment: first all parameters, then all results. */
struct goabi {
	struct gotypes *types;
	unsigned int max_int, max_fp;
	unsigned int n_int, n_fp;
	uint64_t stack;
};

void goabi_init(struct goabi *a, enum gobin_arch arch, struct gotypes *types);
/*
 * The place of the next parameter (receiver first). -ENOTSUP, with @e, for a type
 * whose layout is not known; nothing after it can be placed then.
 */
int goabi_next(struct goabi *a, const struct goabi_param *p, struct goabi_slot *out,
	       struct errinfo *e);
/* Turns from parameters to results: registers are counted anew, the stack goes on. */
void goabi_results(struct goabi *a);

/*
 * Bytes from SP to the argument area: at the entry of a function and at its RETs,
 * and at a call in its caller.
 */
int goabi_stack_at_entry(enum gobin_arch arch);
int goabi_stack_at_call(enum gobin_arch arch);

/* Alignment of a type in bytes (1, 2, 4 or 8); 0 if its layout is not known. */
unsigned int goabi_align(struct gotypes *types, const struct gotype *t);

#endif
