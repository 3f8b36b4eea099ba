// SPDX-License-Identifier: Apache-2.0
#include "compile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "compile_internal.h"
#include "diag.h"
#include "offsets.h"

#define MAX_EMBEDDED 4 /* pointers to embedded structs on the way to one field */

static const char *type_name(const struct value *v)
{
	if (v->type && v->type->name[0])
		return v->type->name;
	return v->what ? v->what : "?";
}

/* The register that holds the word at byte @off of a value in registers. */
static int reg_at(struct compiler *c, uint64_t off, uint64_t *reg)
{
	for (unsigned int i = 0; i < c->v.slot.n; i++) {
		const struct goabi_piece *p = &c->v.slot.piece[i];

		if (p->offset != off)
			continue;
		if (p->fp)
			return compile_senseless(c, "is in a floating point register");
		*reg = p->reg;
		return 0;
	}
	return compile_senseless(c, "is in no register of its own");
}

/* Makes the word at byte @at of the value the running value. */
static int load_word(struct compiler *c, uint64_t at)
{
	uint64_t reg = 0;
	int ret;

	switch (c->v.place) {
	case IN_REGS:
		ret = reg_at(c, c->v.off + at, &reg);
		return ret ? ret : compile_emit_n(c, OP_ARG, reg);
	case IN_MEM:
		return compile_emit_n(c, OP_LOAD, c->v.off + at);
	default:
		return at ? compile_senseless(c, "is one word") : 0;
	}
}

/* Follows pointers, so that a struct is what the next step works on. */
static int deref(struct compiler *c)
{
	int ret;

	while (c->v.type && c->v.type->kind == GOTYPE_PTR) {
		const struct gotype *elem = gotypes_elem(c->s->b->types, c->v.type);

		if (!elem)
			return errinfo_set(c->e, -ENOENT, "%s", type_name(&c->v));
		ret = load_word(c, 0);
		if (ret)
			return ret;
		value_set(&c->v, IN_MEM, elem);
	}
	return 0;
}

static void note_field(struct compiler *c, const struct gotype *t, const struct gofield *f)
{
	char name[192];

	snprintf(name, sizeof(name), "%s.%s", t->name[0] ? t->name : "struct{…}", f->name);
	probe_add_field(c->s->plan, c->s->probe, name, f);
}

static void doubt(const struct scene *s, const struct gotype *t, const char *name, const char *why)
{
	if (plan_doubt(s->plan, t->name, name))
		diag(DIAG_WARNING, "%s: %s", s->b->path, why);
}

/* What the binary says is right; if the table says something else that is to be known. */
static void compare_with_table(const struct scene *s, const struct gotype *t, const char *name,
			       const struct gofield *f)
{
	struct offsets_answer a;
	char why[320];

	if (f->source == GOTYPE_FROM_TABLE || offsets_find(s->b->bin, t->name, name, &a) ||
	    a.assumed || a.offset == f->offset)
		return;
	if (a.offset == OFFSETS_ABSENT)
		snprintf(why, sizeof(why), "%s.%s is at %" PRIu64 ", which the table of %s lacks",
			 t->name, name, f->offset, gobin_buildinfo(s->b->bin)->go);
	else
		snprintf(why, sizeof(why), "%s.%s is at %" PRIu64 ", at %u by the table of %s",
			 t->name, name, f->offset, a.offset, gobin_buildinfo(s->b->bin)->go);
	doubt(s, t, name, why);
}

static int find_field(const struct scene *s, const struct gotype *t, const char *name,
		      struct gofield *out)
{
	struct errinfo e = { .text = "" };
	int ret = gotypes_field(s->b->types, t, name, out, &e);

	if (!ret)
		compare_with_table(s, t, name, out);
	if (ret != -EUCLEAN)
		return ret;
	doubt(s, t, name, e.text);
	return 0;
}

/* A field of a struct that is embedded by pointer; gotypes_field() stops at those. */
static int embedded_pointer(struct compiler *c, const char *name, int depth);

static int apply_field(struct compiler *c, const char *name, int depth)
{
	const struct gotype *t = c->v.type;
	struct gofield f;
	int ret = find_field(c->s, t, name, &f);

	if (ret == -ENOENT)
		return embedded_pointer(c, name, depth);
	if (ret)
		return ret;
	note_field(c, t, &f);
	c->v.off += f.offset;
	c->v.type = f.type;
	c->v.shape = GOABI_TYPED;
	c->v.what = NULL;
	return 0;
}

static int embedded_pointer(struct compiler *c, const char *name, int depth)
{
	struct compiler saved = *c;
	size_t n_ops = c->ops->n;
	const struct gotype *t = c->v.type;
	struct gofield f;

	for (size_t i = 0; depth < MAX_EMBEDDED && i < t->n_fields; i++) {
		if (gotypes_field_at(c->s->b->types, t, i, &f) || !f.embedded ||
		    f.type->kind != GOTYPE_PTR)
			continue;
		c->v.off += f.offset;
		c->v.type = f.type;
		if (!deref(c) && c->v.type && c->v.type->kind == GOTYPE_STRUCT &&
		    !apply_field(c, name, depth + 1)) {
			note_field(c, t, &f);
			return 0;
		}
		*c = saved;
		c->ops->n = n_ops;
	}
	return errinfo_set(c->e, -ENOENT, "%s.%s", t->name, name);
}

static int step_field(struct compiler *c, const char *name)
{
	int ret = deref(c);

	if (ret)
		return ret;
	if (!c->v.type || c->v.type->kind == GOTYPE_UNKNOWN)
		return errinfo_set(c->e, -ENOENT, "%s.%s", type_name(&c->v), name);
	if (c->v.type->kind != GOTYPE_STRUCT)
		return compile_senseless(c, "a field of something that is no struct");
	return apply_field(c, name, 0);
}

/* The running value becomes the address of what is in memory. */
static int settle(struct compiler *c)
{
	uint64_t off = c->v.off;

	c->v.off = 0;
	return off ? compile_emit_n(c, OP_ADD, off) : 0;
}

/* A slice in registers: its pointer and its length. */
static int element_by_regs(struct compiler *c, uint32_t index, const struct gotype *elem)
{
	struct op op = { .code = OP_ELEM, .n = index, .size = elem->size };
	int ret = reg_at(c, c->v.off + WORD, &op.reg);

	if (!ret)
		ret = load_word(c, 0);
	if (!ret)
		ret = compile_emit_op(c, op);
	value_set(&c->v, IN_MEM, elem);
	return ret;
}

static int step_index(struct compiler *c, uint32_t index)
{
	const struct gotype *t, *elem;
	int ret = 0;

	if (c->v.type && c->v.type->kind == GOTYPE_PTR)
		ret = deref(c);
	t = c->v.type;
	if (ret)
		return ret;
	if (!t || (t->kind != GOTYPE_SLICE && t->kind != GOTYPE_ARRAY))
		return compile_senseless(c, "an element of something that is no slice");
	elem = gotypes_elem(c->s->b->types, t);
	if (!elem || !elem->size)
		return errinfo_set(c->e, -ENOENT, "%s", type_name(&c->v));
	if (t->kind == GOTYPE_ARRAY) {
		if (index >= t->count)
			return compile_senseless(c, "the array has fewer elements");
		c->v.off += index * elem->size;
		c->v.type = elem;
		return 0;
	}
	if (c->v.place == IN_REGS)
		return element_by_regs(c, index, elem);
	ret = settle(c);
	if (!ret)
		ret = compile_emit_op(
			c, (struct op){ .code = OP_SLICE, .n = index, .size = elem->size });
	value_set(&c->v, IN_MEM, elem);
	return ret;
}

static int step_key(struct compiler *c, const char *key)
{
	const struct gotype *t = c->v.type, *elem;
	struct op op = { .code = OP_MAP, .key = key };
	int ret;

	if (!t || t->kind != GOTYPE_MAP)
		return compile_senseless(c, "a key of something that is no map");
	ret = gotypes_map_layout(c->s->b->types, t, &op.map, c->e);
	if (ret == -ENOTSUP)
		return compile_senseless(c, "the map's keys are not strings");
	elem = gotypes_elem(c->s->b->types, t);
	if (ret || !elem)
		return errinfo_set(c->e, -ENOENT, "%s", type_name(&c->v));
	ret = load_word(c, 0);
	if (!ret)
		ret = compile_emit_op(c, op);
	value_set(&c->v, IN_MEM, elem);
	return ret;
}

static bool is_interface(const struct value *v)
{
	return v->type ? v->type->kind == GOTYPE_INTERFACE : v->shape == GOABI_TWO_WORDS;
}

static int named_type(struct compiler *c, const char *name, const struct gotype **out)
{
	*out = gotypes_find(c->s->b->types, name);
	if (!*out || (*out)->kind == GOTYPE_UNKNOWN)
		return errinfo_set(c->e, -ENOENT, "%s", name);
	return 0;
}

/* Whether an interface holds the value itself rather than its address. */
static bool is_direct(const struct gotype *t)
{
	return t->kind == GOTYPE_PTR || t->kind == GOTYPE_MAP || t->kind == GOTYPE_CHAN ||
	       t->kind == GOTYPE_FUNC;
}

/* Runs what led to the running value once more, for an interface's second word. */
static int repeat(struct compiler *c, size_t n)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < n; i++)
		ret = compile_emit_op(c, c->ops->op[i]);
	return ret;
}

static int step_assert(struct compiler *c, const char *type)
{
	const struct gotype *t;
	bool empty = c->v.type ? c->v.type->empty : c->v.empty_iface;
	size_t n = c->ops->n;
	uint64_t descriptor;
	int ret;

	if (!is_interface(&c->v))
		return compile_senseless(c, "a type assertion on something that is no interface");
	ret = named_type(c, type, &t);
	if (ret)
		return ret;
	descriptor = gotypes_descriptor(c->s->b->types, t);
	if (!descriptor)
		return errinfo_set(c->e, -ENOENT, "type descriptor of %s", type);
	ret = load_word(c, 0);
	if (!ret)
		ret = compile_emit_n(c, empty ? OP_EFACE : OP_ITAB, descriptor);
	if (!ret && c->v.place == IN_MEM)
		ret = repeat(c, n);
	if (!ret)
		ret = load_word(c, WORD);
	value_set(&c->v, is_direct(t) ? IN_WORD : IN_MEM, t);
	return ret;
}

static int step_as(struct compiler *c, const char *type)
{
	const struct gotype *t;
	int ret = named_type(c, type, &t);

	if (ret)
		return ret;
	if (t->kind != GOTYPE_PTR)
		return compile_senseless(c, "'as' takes a pointer type");
	ret = load_word(c, is_interface(&c->v) ? WORD : 0);
	value_set(&c->v, IN_WORD, t);
	return ret;
}

/*
 * The word behind a string's or slice's pointer. The first word of a map and of a
 * channel is how many elements it has: len() compiles to that (cmd/compile, ssagen,
 * referenceTypeBuiltin).
 */
static int step_len(struct compiler *c)
{
	const struct gotype *t = c->v.type, *number = gotypes_find(c->s->b->types, "int");
	int ret;

	if (!number)
		return errinfo_set(c->e, -ENOENT, "int");
	if (t && (t->kind == GOTYPE_MAP || t->kind == GOTYPE_CHAN)) {
		ret = load_word(c, 0);
		value_set(&c->v, IN_MEM, number);
		return ret;
	}
	if (!t || (t->kind != GOTYPE_STRING && t->kind != GOTYPE_SLICE))
		return compile_senseless(c, "the length of something that has none");
	c->v.off += WORD;
	c->v.type = number;
	return 0;
}

/* The first word of an empty interface is the type, that of others an abi.ITab, with it at 8. */
static int step_type(struct compiler *c)
{
	bool empty = c->v.type ? c->v.type->empty : c->v.empty_iface;
	int ret;

	if (!is_interface(&c->v))
		return compile_senseless(c, "the dynamic type of something that is no interface");
	if (!gotypes_base(c->s->b->types))
		return errinfo_set(c->e, -ENOENT, "runtime.types");
	ret = load_word(c, 0);
	if (!ret && !empty)
		ret = compile_emit_n(c, OP_LOAD, WORD);
	value_set(&c->v, IN_WORD, NULL);
	c->v.is_type = true;
	return ret;
}

static int step_deref(struct compiler *c)
{
	const struct gotype *elem;
	int ret;

	if (!c->v.type || c->v.type->kind != GOTYPE_PTR)
		return compile_senseless(c, "'*' takes a pointer");
	elem = gotypes_elem(c->s->b->types, c->v.type);
	if (!elem)
		return errinfo_set(c->e, -ENOENT, "%s", type_name(&c->v));
	ret = load_word(c, 0);
	value_set(&c->v, IN_MEM, elem);
	return ret;
}

static int apply(struct compiler *c, const struct recipe_step *step)
{
	switch (step->kind) {
	case STEP_FIELD:
		return step_field(c, step->text);
	case STEP_INDEX:
		return step_index(c, step->index);
	case STEP_KEY:
		return step_key(c, step->text);
	case STEP_ASSERT:
		return step_assert(c, step->text);
	case STEP_AS:
		return step_as(c, step->text);
	case STEP_DEREF:
		return step_deref(c);
	case STEP_TYPE:
		return step_type(c);
	default:
		return step_len(c);
	}
}

static int follow(struct compiler *c)
{
	int ret = compile_root(c);

	for (size_t i = 0; !ret && i < c->path->n_steps; i++)
		ret = apply(c, &c->path->steps[i]);
	return ret;
}

#define ATTRIBUTE_TYPE "go.opentelemetry.io/otel/attribute.KeyValue"

/* Where an attribute has its parts. */
static int attribute_layout(struct compiler *c, uint64_t *layout)
{
	static const char *const names[][2] = { { "Key", NULL },
						{ "Value", "vtype" },
						{ "Value", "numeric" },
						{ "Value", "stringly" } };
	const struct gotype *t = gotypes_find(c->s->b->types, ATTRIBUTE_TYPE);
	int ret = 0;

	if (!t)
		return errinfo_set(c->e, -ENOENT, ATTRIBUTE_TYPE);
	layout[0] = t->size;
	for (int i = 0; !ret && i < 4; i++)
		ret = compile_offset(c->s, ATTRIBUTE_TYPE, names[i], names[i][1] ? 2 : 1,
				     &layout[i + 1], c->e);
	return ret;
}

struct final {
	const char *mem, *reg;
	unsigned int size;
};

static bool is_size(uint64_t n)
{
	return n == 1 || n == 2 || n == 4 || n == 8;
}

/* How the value is read at the end. */
static int final_kind(struct compiler *c, struct final *f)
{
	const struct gotype *t = c->v.type, *elem;

	if (c->v.is_type) {
		*f = (struct final){ NULL, "type", WORD };
		return 0;
	}
	f->size = t && is_size(t->size) ? (unsigned int)t->size : WORD;
	switch (t ? t->kind : GOTYPE_PTR) {
	case GOTYPE_STRING:
		*f = (struct final){ "string", "reg_string", 0 };
		return 0;
	case GOTYPE_SLICE:
		elem = gotypes_elem(c->s->b->types, t);
		if (elem && !strcmp(elem->name, ATTRIBUTE_TYPE)) {
			*f = (struct final){ "attributes", "reg_attributes", 0 };
			return 0;
		}
		if (elem && elem->kind == GOTYPE_STRING) {
			*f = (struct final){ "strings", NULL, 0 };
			return 0;
		}
		if (!elem || elem->size != 1)
			return compile_senseless(c,
						 "a slice of something else than bytes or strings");
		*f = (struct final){ "bytes", "reg_bytes", 0 };
		return 0;
	case GOTYPE_BOOL:
		*f = (struct final){ "bool", "reg_bool", 1 };
		return 0;
	case GOTYPE_INT:
		*f = (struct final){ "int", "reg_int", f->size };
		return 0;
	case GOTYPE_UINT:
		*f = (struct final){ "uint", "reg_uint", f->size };
		return 0;
	case GOTYPE_FLOAT:
		*f = (struct final){ "float", NULL, f->size };
		return 0;
	case GOTYPE_PTR:
	case GOTYPE_MAP:
	case GOTYPE_CHAN:
	case GOTYPE_FUNC:
		if (!t && c->v.shape != GOABI_WORD)
			return compile_senseless(c, "not one value");
		*f = (struct final){ "pointer", "reg_pointer", WORD };
		return 0;
	case GOTYPE_UNKNOWN:
		return errinfo_set(c->e, -ENOENT, "the type of %s", c->path->text);
	default:
		return compile_senseless(c, "not a value that can be captured");
	}
}

/* Leaves the address of the value, or the value itself, as the running value. */
static int finish(struct compiler *c, const struct final *f, struct plan_capture *out)
{
	uint64_t reg = 0;
	int ret;

	out->size = f->size;
	if (c->v.place == IN_MEM) {
		out->kind = f->mem;
		return settle(c);
	}
	out->kind = f->reg;
	if (!f->reg)
		return compile_senseless(c, "is in a register of a kind that is not read");
	if (c->v.place == IN_WORD)
		return 0;
	ret = reg_at(c, c->v.off, &reg);
	return ret ? ret : compile_emit_n(c, OP_ARG, reg);
}

int compile_capture(const struct scene *s, const struct recipe_capture *cap,
		    struct plan_capture *out, struct errinfo *e)
{
	struct compiler c = { .s = s, .path = &cap->path, .ops = &out->ops, .e = e };
	struct final f = { NULL, NULL, 0 };
	int ret;

	out->from = cap;
	out->ops.n = 0;
	if (cap->path.root == ROOT_CONST) {
		out->kind = "const";
		return cap->path.n_steps || cap->nonzero
			       ? compile_senseless(&c, "a constant is a value already")
			       : 0;
	}
	ret = follow(&c);
	if (ret)
		return ret;
	if (is_interface(&c.v) && !cap->nonzero && !strncmp(cap->name, "gotap.", 6)) {
		f = (struct final){ "interface", "reg_interface", 0 };
	} else if (cap->nonzero) {
		uint64_t size = c.v.type ? c.v.type->size : WORD;

		f = (struct final){ "nonzero", "reg_nonzero",
				    is_size(size) ? (unsigned int)size : WORD };
	} else {
		ret = final_kind(&c, &f);
	}
	if (cap->time == TIME_WALL)
		f = (struct final){ "time_wall", "reg_time_wall", WORD };
	else if (cap->time == TIME_EXT)
		f = (struct final){ "time_ext", "reg_time_ext", WORD };
	if (!ret)
		ret = finish(&c, &f, out);
	if (!ret && f.mem && !strcmp(f.mem, "attributes"))
		ret = attribute_layout(&c, out->layout);
	else if (!ret && !f.size && strcmp(f.mem, "interface") != 0)
		out->max = cap->max;
	return ret;
}

int compile_pointer(const struct scene *s, const struct recipe_path *path, struct op_list *out,
		    struct errinfo *e)
{
	struct compiler c = { .s = s, .path = path, .ops = out, .e = e };
	int ret;

	out->n = 0;
	ret = follow(&c);
	return ret ? ret : load_word(&c, 0);
}

int compile_offset(const struct scene *s, const char *type, const char *const *names, size_t n,
		   uint64_t *out, struct errinfo *e)
{
	const struct gotype *t = gotypes_find(s->b->types, type);
	struct gofield f, whole = { .offset = 0 };
	char name[192];

	snprintf(name, sizeof(name), "%s", type);
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(name);

		snprintf(name + len, sizeof(name) - len, ".%s", names[i]);
		if (!t || t->kind != GOTYPE_STRUCT || find_field(s, t, names[i], &f))
			return errinfo_set(e, -ENOENT, "%s", name);
		whole.offset += f.offset;
		whole.source = f.source;
		whole.assumed |= f.assumed;
		t = f.type;
	}
	*out = whole.offset;
	probe_add_field(s->plan, s->probe, name, &whole);
	return 0;
}
