// SPDX-License-Identifier: Apache-2.0
/*
 * Examples worked out by hand from abi-internal.md, with types of the test's own:
 * the functions of gotypes.h below take the place of the library's.
 */
#include "goabi.h"

#include <errno.h>
#include <string.h>

#include "tap.h"

struct fake {
	struct gotype t;
	const struct fake *elem;
	struct {
		uint64_t offset;
		const struct fake *type;
	} field[4];
};

static const struct fake t_int = { .t = { .kind = GOTYPE_INT, .size = 8 } };
static const struct fake t_u8 = { .t = { .kind = GOTYPE_UINT, .size = 1 } };
static const struct fake t_i32 = { .t = { .kind = GOTYPE_INT, .size = 4 } };
static const struct fake t_bool = { .t = { .kind = GOTYPE_BOOL, .size = 1 } };
static const struct fake t_f64 = { .t = { .kind = GOTYPE_FLOAT, .size = 8 } };
static const struct fake t_c128 = { .t = { .kind = GOTYPE_COMPLEX, .size = 16 } };
static const struct fake t_string = { .t = { .kind = GOTYPE_STRING, .size = 16 } };
static const struct fake t_slice = { .t = { .kind = GOTYPE_SLICE, .size = 24 } };
static const struct fake t_iface = { .t = { .kind = GOTYPE_INTERFACE, .size = 16 } };
static const struct fake t_ptr = { .t = { .kind = GOTYPE_PTR, .size = 8 } };
static const struct fake t_unknown = { .t = { .kind = GOTYPE_UNKNOWN } };
static const struct fake t_empty = { .t = { .kind = GOTYPE_STRUCT } };
static const struct fake t_mixed = { /* struct{ b bool; s string; f float64 } */
				     .t = { .kind = GOTYPE_STRUCT, .size = 32, .n_fields = 3 },
				     .field = { { 0, &t_bool }, { 8, &t_string }, { 24, &t_f64 } }
};
static const struct fake t_array0 = { .t = { .kind = GOTYPE_ARRAY }, .elem = &t_int };
static const struct fake t_array1 = { .t = { .kind = GOTYPE_ARRAY, .size = 8, .count = 1 },
				      .elem = &t_int };
static const struct fake t_array2 = { .t = { .kind = GOTYPE_ARRAY, .size = 2, .count = 2 },
				      .elem = &t_u8 };
static struct fake t_self = { .t = { .kind = GOTYPE_STRUCT, .size = 8, .n_fields = 4 } };

const struct gotype *gotypes_find(struct gotypes *ts, const char *name)
{
	(void)ts, (void)name;
	return NULL;
}

const struct gotype *gotypes_elem(struct gotypes *ts, const struct gotype *t)
{
	const struct fake *f = (const struct fake *)t;

	(void)ts;
	return f->elem ? &f->elem->t : NULL;
}

int gotypes_field_at(struct gotypes *ts, const struct gotype *t, size_t i, struct gofield *out)
{
	const struct fake *f = (const struct fake *)t;

	(void)ts;
	if (i >= t->n_fields)
		return -ENOENT;
	*out = (struct gofield){ .offset = f->field[i].offset, .type = &f->field[i].type->t };
	return 0;
}

static struct goabi abi;
static struct goabi_slot slot;

static int next(const struct fake *t)
{
	struct goabi_param p = { .shape = GOABI_TYPED, .type = &t->t };

	return goabi_next(&abi, &p, &slot, NULL);
}

/* "0@0 1@8": registers and offsets, fN for floating point, S24 for the stack. */
static const char *place(const struct fake *t)
{
	static char buf[256];
	size_t n = 0;

	buf[0] = '\0';
	if (next(t))
		return "unknown";
	if (slot.on_stack) {
		snprintf(buf, sizeof(buf), "S%u", slot.stack);
		return buf;
	}
	for (unsigned int i = 0; i < slot.n; i++)
		n += (size_t)snprintf(buf + n, sizeof(buf) - n, "%s%s%d@%u", i ? " " : "",
				      slot.piece[i].fp ? "f" : "", slot.piece[i].reg,
				      slot.piece[i].offset);
	return buf;
}

static void test_kinds(void)
{
	goabi_init(&abi, GOBIN_AMD64, NULL);
	is(place(&t_u8), "0@0", "a byte");
	is(place(&t_string), "1@0 2@8", "a string: two registers");
	is(place(&t_empty), "", "an empty struct: none");
	is(place(&t_array0), "", "an array of length 0: none");
	is(place(&t_mixed), "3@0 4@8 5@16 f0@24", "a struct: by its fields");
	is(place(&t_array1), "6@0", "an array of length 1: its element");
	is(place(&t_c128), "f1@0 f2@8", "a complex: two floating point registers");
	is(place(&t_slice), "S0", "a slice that does not fit: all of it on the stack");
	is(place(&t_iface), "7@0 8@8", "what comes after may still fit");
	is(place(&t_ptr), "S24", "no registers left");
	is(place(&t_f64), "f3@0", "floating point registers are counted for themselves");
	is(place(&t_array2), "S32", "a longer array: always on the stack");
	is(place(&t_i32), "S36", "aligned by its type");
	is(place(&t_string), "S40", "likewise");
}

static void test_results(void)
{
	goabi_init(&abi, GOBIN_AMD64, NULL);
	place(&t_slice);
	is(place(&t_array2), "S0", "a parameter on the stack");
	goabi_results(&abi);
	is(place(&t_iface), "0@0 1@8", "results begin with the first register again");
	is(place(&t_array2), "S8", "and on the stack at a whole word");
}

static void test_shapes(void)
{
	static const struct goabi_param word = { .shape = GOABI_WORD },
					two = { .shape = GOABI_TWO_WORDS },
					three = { .shape = GOABI_SLICE };

	goabi_init(&abi, GOBIN_AMD64, NULL);
	ok(!goabi_next(&abi, &word, &slot, NULL) && slot.n == 1, "a word");
	ok(!goabi_next(&abi, &two, &slot, NULL) && slot.n == 2 && slot.piece[0].reg == 1,
	   "two words");
	ok(!goabi_next(&abi, &three, &slot, NULL) && slot.n == 3 && slot.piece[2].reg == 5,
	   "three words");
	goabi_next(&abi, &two, &slot, NULL);
	ok(!goabi_next(&abi, &two, &slot, NULL) && slot.on_stack, "two words on the stack");
}

static void test_unknown(void)
{
	struct errinfo e;
	struct goabi_param p = { .shape = GOABI_TYPED };

	goabi_init(&abi, GOBIN_AMD64, NULL);
	is(place(&t_unknown), "unknown", "an unknown type");
	is_int(goabi_next(&abi, &p, &slot, &e), -ENOTSUP, "no type at all");
	for (int i = 0; i < 4; i++)
		t_self.field[i].type = &t_self;
	is(place(&t_self), "unknown", "a struct in itself (a hostile file) ends");
	is_int(goabi_align(NULL, &t_self.t), 0, "  and has no alignment");
	is_int(goabi_align(NULL, &t_mixed.t), 8, "the alignment of a struct");
	is_int(goabi_align(NULL, &t_array2.t), 1, "the alignment of an array");
}

static void test_arm64(void)
{
	goabi_init(&abi, GOBIN_ARM64, NULL);
	for (int i = 0; i < 5; i++)
		place(&t_slice);
	is(place(&t_int), "15@0", "arm64 has sixteen registers");
	is(place(&t_int), "S0", "and no more");
	is_int(goabi_stack_at_call(GOBIN_AMD64), 0, "amd64: at a call the arguments are at SP");
	is_int(goabi_stack_at_entry(GOBIN_AMD64), 8, "  at the entry above the return address");
	is_int(goabi_stack_at_call(GOBIN_ARM64), 8, "arm64: above the link register's slot");
}

int main(void)
{
	test_kinds();
	test_results();
	test_shapes();
	test_unknown();
	test_arm64();
	return done();
}
