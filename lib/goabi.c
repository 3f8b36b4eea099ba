// SPDX-License-Identifier: Apache-2.0
#include "goabi.h"

#include <errno.h>
#include <string.h>

#define WORD 8
/* Of types in types, and of steps in all: a hostile file must not keep us busy. */
#define MAX_DEPTH 16
#define MAX_STEPS 10000

struct goabi_regs {
	unsigned int n_int, n_fp;
};

/* abi-internal.md: 9 integer, 15 floating point on amd64; 16 and 16 on arm64. */
static const struct goabi_regs regs[] = {
	[GOBIN_AMD64] = { 9, 15 },
	[GOBIN_ARM64] = { 16, 16 },
};

/* On arm64 the link register's slot is below the arguments. */
int goabi_stack_at_entry(enum gobin_arch arch)
{
	(void)arch;
	return WORD;
}

int goabi_stack_at_call(enum gobin_arch arch)
{
	return arch == GOBIN_ARM64 ? WORD : 0;
}

void goabi_init(struct goabi *a, enum gobin_arch arch, struct gotypes *types)
{
	memset(a, 0, sizeof(*a));
	a->types = types;
	a->max_int = regs[arch].n_int;
	a->max_fp = regs[arch].n_fp;
}

void goabi_results(struct goabi *a)
{
	a->n_int = 0;
	a->n_fp = 0;
	/* Stack-assigned results start at a pointer-aligned place. */
	a->stack = (a->stack + WORD - 1) & ~(uint64_t)(WORD - 1);
}

/* What has been placed so far of one value. */
struct placing {
	struct goabi *a;
	struct goabi_slot *slot;
	unsigned int n_int, n_fp, steps;
};

/* 0; -EAGAIN when the registers do not suffice: all of the value goes on the stack. */
static int place(struct placing *p, uint64_t offset, uint64_t size, bool fp)
{
	unsigned int *n = fp ? &p->n_fp : &p->n_int;
	struct goabi_piece *piece;

	if (*n >= (fp ? p->a->max_fp : p->a->max_int) || p->slot->n == GOABI_MAX_PIECES)
		return -EAGAIN;
	piece = &p->slot->piece[p->slot->n++];
	piece->offset = (uint32_t)offset;
	piece->size = (uint32_t)size;
	piece->reg = (uint8_t)(*n)++;
	piece->fp = fp;
	return 0;
}

static int place_words(struct placing *p, uint64_t offset, unsigned int n)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < n; i++)
		ret = place(p, offset + (uint64_t)i * WORD, WORD, false);
	return ret;
}

static int place_type(struct placing *p, const struct gotype *t, uint64_t offset, int depth);

static int place_struct(struct placing *p, const struct gotype *t, uint64_t offset, int depth)
{
	struct gofield f;
	int ret = t->source == GOTYPE_FROM_TABLE ? -ENOTSUP : 0; /* some fields only */

	for (size_t i = 0; !ret && i < t->n_fields; i++) {
		ret = gotypes_field_at(p->a->types, t, i, &f);
		if (!ret)
			ret = place_type(p, f.type, offset + f.offset, depth);
	}
	return ret == -ENOENT ? -ENOTSUP : ret;
}

static int place_array(struct placing *p, const struct gotype *t, uint64_t offset, int depth)
{
	const struct gotype *elem;

	if (t->count == 0)
		return 0;
	if (t->count > 1)
		return -EAGAIN;
	elem = gotypes_elem(p->a->types, t);
	return elem ? place_type(p, elem, offset, depth) : -ENOTSUP;
}

static int place_type(struct placing *p, const struct gotype *t, uint64_t offset, int depth)
{
	if (depth > MAX_DEPTH || offset > UINT32_MAX || p->steps++ > MAX_STEPS)
		return -ENOTSUP;
	switch (t->kind) {
	case GOTYPE_BOOL:
	case GOTYPE_INT:
	case GOTYPE_UINT:
		return t->size >= 1 && t->size <= WORD ? place(p, offset, t->size, false)
						       : -ENOTSUP;
	case GOTYPE_PTR:
	case GOTYPE_MAP:
	case GOTYPE_CHAN:
	case GOTYPE_FUNC:
		return place(p, offset, WORD, false);
	case GOTYPE_FLOAT:
		return place(p, offset, t->size, true);
	case GOTYPE_COMPLEX: {
		int ret = place(p, offset, t->size / 2, true);

		return ret ? ret : place(p, offset + t->size / 2, t->size / 2, true);
	}
	case GOTYPE_STRING:
	case GOTYPE_INTERFACE:
		return place_words(p, offset, 2);
	case GOTYPE_SLICE:
		return place_words(p, offset, 3);
	case GOTYPE_STRUCT:
		return place_struct(p, t, offset, depth + 1);
	case GOTYPE_ARRAY:
		return place_array(p, t, offset, depth + 1);
	default:
		return -ENOTSUP;
	}
}

static unsigned int align_of(struct gotypes *types, const struct gotype *t, int depth,
			     unsigned int *steps)
{
	unsigned int max = 1, one;
	struct gofield f;

	if (depth > MAX_DEPTH || ++*steps > MAX_STEPS)
		return 0;
	switch (t->kind) {
	case GOTYPE_UNKNOWN:
		return 0;
	case GOTYPE_BOOL:
	case GOTYPE_INT:
	case GOTYPE_UINT:
	case GOTYPE_FLOAT:
		return t->size == 1 || t->size == 2 || t->size == 4 || t->size == 8
			       ? (unsigned int)t->size
			       : 0;
	case GOTYPE_COMPLEX:
		return (unsigned int)(t->size / 2);
	case GOTYPE_ARRAY:
		t = gotypes_elem(types, t);
		return t ? align_of(types, t, depth + 1, steps) : 0;
	case GOTYPE_STRUCT:
		if (t->source == GOTYPE_FROM_TABLE)
			return 0;
		for (size_t i = 0; i < t->n_fields; i++) {
			if (gotypes_field_at(types, t, i, &f))
				return 0;
			one = align_of(types, f.type, depth + 1, steps);
			if (!one)
				return 0;
			max = one > max ? one : max;
		}
		return max;
	default:
		return WORD;
	}
}

unsigned int goabi_align(struct gotypes *types, const struct gotype *t)
{
	unsigned int steps = 0;

	return align_of(types, t, 0, &steps);
}

static int place_shape(struct placing *pl, const struct goabi_param *p)
{
	switch (p->shape) {
	case GOABI_WORD:
		return place_words(pl, 0, 1);
	case GOABI_TWO_WORDS:
		return place_words(pl, 0, 2);
	case GOABI_SLICE:
		return place_words(pl, 0, 3);
	default:
		return p->type ? place_type(pl, p->type, 0, 0) : -ENOTSUP;
	}
}

static void shape_size(const struct goabi *a, const struct goabi_param *p, uint64_t *size,
		       unsigned int *align)
{
	*align = WORD;
	switch (p->shape) {
	case GOABI_WORD:
		*size = WORD;
		return;
	case GOABI_TWO_WORDS:
		*size = 2 * WORD;
		return;
	case GOABI_SLICE:
		*size = 3 * WORD;
		return;
	default:
		*size = p->type->size;
		*align = goabi_align(a->types, p->type);
	}
}

int goabi_next(struct goabi *a, const struct goabi_param *p, struct goabi_slot *out,
	       struct errinfo *e)
{
	struct placing pl = { .a = a, .slot = out, .n_int = a->n_int, .n_fp = a->n_fp };
	unsigned int align;
	uint64_t size;
	int ret;

	memset(out, 0, sizeof(*out));
	ret = place_shape(&pl, p);
	if (!ret) {
		a->n_int = pl.n_int;
		a->n_fp = pl.n_fp;
		return 0;
	}
	if (ret == -EAGAIN) {
		shape_size(a, p, &size, &align);
		if (align && size <= UINT32_MAX && a->stack <= UINT32_MAX) {
			out->n = 0;
			out->on_stack = true;
			a->stack = (a->stack + align - 1) & ~(uint64_t)(align - 1);
			out->stack = (uint32_t)a->stack;
			a->stack += size;
			return 0;
		}
	}
	return errinfo_set(e, -ENOTSUP, "the layout of a parameter is not known");
}
