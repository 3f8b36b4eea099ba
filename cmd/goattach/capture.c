// SPDX-License-Identifier: Apache-2.0
#include "capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lookup.h"
#include "record.h"

/*
 * The register and the offset that come next in the plan are held back, and become
 * part of the op that uses them: most captures need one or two ops then.
 */
struct compiler {
	struct jsonv_doc *d;
	struct capture *c; /* its arrays have room */
	uint32_t n_args;
	uint8_t base; /* GOTAP_REG_NONE: go on with the value */
	int64_t offset;
	int last_arg; /* of the last "arg" op, -1 if there was none */
	struct errinfo *e;
};

static const struct {
	const char *name;
	uint8_t code, form;
	uint8_t size;	   /* default; 0: "size" is needed */
	uint16_t max_size; /* 0: has no size */
} kinds[] = {
	{ "string", GOTAP_OP_TEXT, FORM_TEXT, 0, 0 },
	{ "bytes", GOTAP_OP_TEXT, FORM_TEXT, 0, 0 },
	{ "strings", GOTAP_OP_TEXTS, FORM_TEXT, 0, 0 },
	{ "int", GOTAP_OP_NUMBER, FORM_INT, 8, 8 },
	{ "uint", GOTAP_OP_NUMBER, FORM_UINT, 8, 8 },
	{ "bool", GOTAP_OP_NUMBER, FORM_BOOL, 1, 8 },
	{ "float", GOTAP_OP_NUMBER, FORM_FLOAT, 8, 8 },
	{ "pointer", GOTAP_OP_NUMBER, FORM_POINTER, 8, 8 },
	{ "nonzero", GOTAP_OP_NONZERO, FORM_BOOL, 8, GOTAP_MAX_NONZERO },
	{ "reg_string", GOTAP_OP_REGTEXT, FORM_TEXT, 0, 0 },
	{ "reg_bytes", GOTAP_OP_REGTEXT, FORM_TEXT, 0, 0 },
	{ "reg_int", GOTAP_OP_VALUE, FORM_INT, 8, 8 },
	{ "reg_uint", GOTAP_OP_VALUE, FORM_UINT, 8, 8 },
	{ "reg_bool", GOTAP_OP_VALUE, FORM_BOOL, 1, 8 },
	{ "reg_pointer", GOTAP_OP_VALUE, FORM_POINTER, 8, 8 },
	{ "time_wall", GOTAP_OP_NUMBER, FORM_TIME_WALL, 8, 8 },
	{ "time_ext", GOTAP_OP_NUMBER, FORM_TIME_EXT, 8, 8 },
	{ "reg_time_wall", GOTAP_OP_VALUE, FORM_TIME_WALL, 8, 8 },
	{ "reg_time_ext", GOTAP_OP_VALUE, FORM_TIME_EXT, 8, 8 },
	{ "type", GOTAP_OP_VALUE, FORM_TYPE, 8, 8 },
	{ "reg_nonzero", GOTAP_OP_VALUE, FORM_BOOL, 8, 8 },
	{ "attributes", GOTAP_OP_ATTRS, FORM_ATTRS, 0, 0 },
	{ "reg_attributes", GOTAP_OP_REGATTRS, FORM_ATTRS, 0, 0 },
	{ "interface", GOTAP_OP_TEXT, FORM_CONTEXT, 0, 0 },
	{ "reg_interface", GOTAP_OP_REGTEXT, FORM_CONTEXT, 0, 0 },
};

static const struct {
	const char *name;
	uint8_t role;
	enum { OF_NUMBER, OF_TEXT, OF_INTERFACE } of;
} roles[] = {
	{ "gotap.traceparent", GOTAP_ROLE_TRACEPARENT, OF_TEXT },
	{ "gotap.keep0", GOTAP_ROLE_KEEP0, OF_NUMBER },
	{ "gotap.keep1", GOTAP_ROLE_KEEP1, OF_NUMBER },
	{ "gotap.unwind_sp", GOTAP_ROLE_UNWIND_SP, OF_NUMBER },
	{ "gotap.goexit", GOTAP_ROLE_GOEXIT, OF_NUMBER },
	{ "gotap.new_g", GOTAP_ROLE_NEW_G, OF_NUMBER },
	{ "gotap.foreign", GOTAP_ROLE_FOREIGN, OF_NUMBER },
	{ "gotap.object", GOTAP_ROLE_OBJECT, OF_NUMBER },
	{ "gotap.object2", GOTAP_ROLE_OBJECT2, OF_NUMBER },
	{ "gotap.unless", GOTAP_ROLE_UNLESS, OF_NUMBER },
	{ "go.scope", GOTAP_ROLE_SCOPE, OF_TEXT },
	{ "gotap.context", GOTAP_ROLE_CONTEXT, OF_INTERFACE },
	{ "gotap.own_context", GOTAP_ROLE_OWN_CONTEXT, OF_INTERFACE },
};

static struct gotap_op *emit(struct compiler *k, uint8_t code)
{
	struct gotap_op *op = &k->c->ops[k->c->n_ops++];

	op->code = code;
	op->base = k->base;
	k->base = GOTAP_REG_NONE;
	return op;
}

/* An op that adds its imm to the value takes the offset; in front of others it is an op. */
static struct gotap_op *emit_at(struct compiler *k, uint8_t code, bool adds)
{
	struct gotap_op *op;

	if (k->offset && !adds)
		emit(k, GOTAP_OP_ADD)->imm = k->offset;
	op = emit(k, code);
	if (adds)
		op->imm = k->offset;
	k->offset = 0;
	return op;
}

static const struct jsonv *operand(const struct jsonv *op, uint32_t n)
{
	const struct jsonv *v = jsonv_first(op);

	for (uint32_t i = 0; i < n; i++)
		v = jsonv_after(v);
	return v;
}

static int compile_reg(struct compiler *k, uint8_t reg)
{
	k->base = reg;
	k->offset = 0;
	return 0;
}

static int compile_arg(struct compiler *k, const struct jsonv *op)
{
	uint64_t n;

	if (jsonv_u64(operand(op, 1), &n) || n >= k->n_args)
		return errinfo_set(k->e, -EINVAL, "no argument register of that number");
	k->last_arg = (int)n;
	return compile_reg(k, (uint8_t)n);
}

static int compile_kept(struct compiler *k, const struct jsonv *op)
{
	uint64_t n;

	if (jsonv_u64(operand(op, 1), &n) || n > 1)
		return errinfo_set(k->e, -EINVAL, "\"kept\" takes 0 or 1");
	return compile_reg(k, (uint8_t)(GOTAP_REG_KEEP0 + n));
}

static int parse_offset(struct compiler *k, const struct jsonv *op)
{
	int64_t off;

	if (jsonv_i64(operand(op, 1), &off) || off > INT32_MAX || off < INT32_MIN)
		return errinfo_set(k->e, -EINVAL, "no 32-bit offset");
	k->offset += off;
	return 0;
}

static int compile_load(struct compiler *k, const struct jsonv *op)
{
	int ret = parse_offset(k, op);

	if (!ret)
		emit_at(k, GOTAP_OP_LOAD, true);
	return ret;
}

static int compile_sp(struct compiler *k, const struct jsonv *op)
{
	compile_reg(k, GOTAP_REG_SP);
	return parse_offset(k, op);
}

static int compile_type(struct compiler *k, uint8_t code, const struct jsonv *op)
{
	uint64_t addr;

	if (jsonv_u64(operand(op, 1), &addr))
		return errinfo_set(k->e, -EINVAL, "no address");
	emit_at(k, code, false)->imm = (__s64)addr;
	return 0;
}

static int compile_slice(struct compiler *k, const struct jsonv *op)
{
	uint64_t index, size;

	if (jsonv_u64(operand(op, 1), &index) || index > INT32_MAX)
		return errinfo_set(k->e, -EINVAL, "no index");
	if (jsonv_u64(operand(op, 2), &size) || size > UINT32_MAX)
		return errinfo_set(k->e, -EINVAL, "no element size");
	emit_at(k, GOTAP_OP_SLICE, false)->imm = (__s64)(index << 32 | size);
	return 0;
}

/* Of a slice that is in registers: its pointer is the value, its length in one of them. */
static int compile_elem(struct compiler *k, const struct jsonv *op)
{
	uint64_t len;
	int ret;

	if (jsonv_u64(operand(op, 3), &len) || len >= k->n_args)
		return errinfo_set(k->e, -EINVAL, "no argument register of that number");
	ret = compile_slice(k, op);
	if (ret)
		return ret;
	k->c->ops[k->c->n_ops - 1].code = GOTAP_OP_ELEM;
	k->c->ops[k->c->n_ops - 1].size = (__u8)len;
	return 0;
}

static int compile_map(struct compiler *k, const struct jsonv *op)
{
	int ret = lookup_parse(k->d, operand(op, 1), &k->c->lookups[k->c->n_lookups], k->e);

	if (!ret)
		emit_at(k, GOTAP_OP_MAP, false)->imm = k->c->n_lookups++;
	return ret;
}

static int compile_op(struct compiler *k, const struct jsonv *op)
{
	static const struct {
		const char *name;
		uint32_t operands;
	} known[] = { { "arg", 1 },  { "g", 0 },    { "ctx", 0 },  { "sp", 1 },	   { "kept", 1 },
		      { "load", 1 }, { "add", 1 },  { "itab", 1 }, { "eface", 1 }, { "slice", 2 },
		      { "map", 1 },  { "elem", 3 }, { "some", 0 } };
	const struct jsonv *name;
	size_t i;

	if (op->type != JSONV_ARRAY || !op->count || jsonv_first(op)->type != JSONV_STRING)
		return errinfo_set(k->e, -EINVAL, "an op is no array with a name");
	name = jsonv_first(op);
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (jsonv_is(name, known[i].name))
			break;
	if (i == sizeof(known) / sizeof(known[0]))
		return errinfo_set(k->e, -EINVAL, "unknown op \"%.*s\"", (int)name->len,
				   name->text);
	if (op->count != known[i].operands + 1)
		return errinfo_set(k->e, -EINVAL, "op \"%s\" takes %u operands", known[i].name,
				   known[i].operands);
	switch (i) {
	case 0:
		return compile_arg(k, op);
	case 1:
		return compile_reg(k, GOTAP_REG_G);
	case 2:
		return compile_reg(k, GOTAP_REG_CTX);
	case 3:
		return compile_sp(k, op);
	case 4:
		return compile_kept(k, op);
	case 5:
		return compile_load(k, op);
	case 6:
		return parse_offset(k, op);
	case 7:
		return compile_type(k, GOTAP_OP_ITAB, op);
	case 8:
		return compile_type(k, GOTAP_OP_EFACE, op);
	case 9:
		return compile_slice(k, op);
	case 10:
		return compile_map(k, op);
	default:
		return compile_elem(k, op);
	}
}

static int compile_ops(struct compiler *k, const struct jsonv *ops)
{
	const struct jsonv *op;

	if (!ops || ops->type != JSONV_ARRAY || !ops->count)
		return errinfo_set(k->e, -EINVAL, "\"ops\" is missing or empty");
	if (ops->count > GOTAP_MAX_OPS / 4)
		return errinfo_set(k->e, -E2BIG, "%u ops", ops->count);
	/* Each gives at most two, and so does the read at the end. */
	k->c->ops = calloc(2 * ops->count + 2, sizeof(*k->c->ops));
	k->c->lookups = calloc(ops->count, sizeof(*k->c->lookups));
	if (!k->c->ops || !k->c->lookups)
		return errinfo_set(k->e, -ENOMEM, "out of memory");
	op = jsonv_first(ops);
	for (uint32_t i = 0; i < ops->count; i++, op = jsonv_after(op)) {
		int ret = compile_op(k, op);

		if (ret)
			return ret;
		if (i == 0 && k->base == GOTAP_REG_NONE)
			return errinfo_set(k->e, -EINVAL, "the first op must give a value");
	}
	return 0;
}

static int read_text(struct compiler *k, const struct jsonv *v, uint8_t code)
{
	struct gotap_op *op = emit_at(k, code, code != GOTAP_OP_REGTEXT);
	uint64_t max = 1;

	if (k->c->form == FORM_TEXT && jsonv_u64(jsonv_member(v, K_MAX), &max))
		max = 0;
	if (!max)
		return errinfo_set(k->e, -EINVAL, "\"max\" is missing or no number");
	op->max = max > GOTAP_MAX_TEXT ? GOTAP_MAX_TEXT : (__u16)max;
	if (code != GOTAP_OP_REGTEXT)
		return 0;
	if (k->last_arg < 0 || k->last_arg + 1 >= (int)k->n_args)
		return errinfo_set(k->e, -EINVAL, "no register holds the text's length");
	op->size = (__u8)(k->last_arg + 1);
	return 0;
}

/* "layout": bytes of one, and the offsets of its key, type, number and text. */
static int read_attributes(struct compiler *k, const struct jsonv *v, uint8_t code)
{
	const struct jsonv *layout = jsonv_member(v, K_LAYOUT), *n;
	struct gotap_op *op;
	int64_t packed = 0;

	if (!layout || layout->type != JSONV_ARRAY || layout->count != 5)
		return errinfo_set(k->e, -EINVAL, "\"layout\" is missing or not of five numbers");
	n = jsonv_first(layout);
	for (int i = 0; i < 5; i++, n = jsonv_after(n)) {
		uint64_t byte;

		if (jsonv_u64(n, &byte) || byte > UINT8_MAX)
			return errinfo_set(k->e, -EINVAL, "\"layout\": a number over 255");
		packed |= (int64_t)byte << (8 * i);
	}
	op = emit_at(k, code, false);
	op->imm = packed;
	if (code == GOTAP_OP_ATTRS)
		return 0;
	if (k->last_arg < 0 || k->last_arg + 1 >= (int)k->n_args)
		return errinfo_set(k->e, -EINVAL, "no register holds how many there are");
	op->size = (__u8)(k->last_arg + 1);
	return 0;
}

/* The op that reads the value, its size and its form. */
static int compile_read(struct compiler *k, const struct jsonv *v)
{
	const struct jsonv *kind = jsonv_member(v, K_KIND), *size = jsonv_member(v, K_SIZE);
	uint8_t code;
	uint64_t n;
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (jsonv_is(kind, kinds[i].name))
			break;
	if (i == sizeof(kinds) / sizeof(kinds[0]))
		return errinfo_set(k->e, -EINVAL, "\"kind\" is missing or unknown");
	code = kinds[i].code;
	k->c->form = kinds[i].form;
	if (k->c->form == FORM_TEXT || k->c->form == FORM_CONTEXT)
		return read_text(k, v, code);
	if (k->c->form == FORM_ATTRS)
		return read_attributes(k, v, code);
	if (k->c->form == FORM_TYPE && jsonv_u64(jsonv_member(v, K_TYPES), &k->c->types))
		return errinfo_set(k->e, -EINVAL, "\"types\" is missing or no address");
	n = kinds[i].size;
	if (size && (jsonv_u64(size, &n) || !n || n > kinds[i].max_size))
		return errinfo_set(k->e, -EINVAL, "\"size\" is out of range");
	if (code != GOTAP_OP_NONZERO && n & (n - 1))
		return errinfo_set(k->e, -EINVAL, "\"size\" is not 1, 2, 4 or 8");
	k->c->size = (uint8_t)n;
	emit_at(k, code, code != GOTAP_OP_VALUE)->size = (__u8)n;
	return 0;
}

static int find_role(struct compiler *k)
{
	int of = k->c->form == FORM_TEXT      ? OF_TEXT
		 : k->c->form == FORM_CONTEXT ? OF_INTERFACE
					      : OF_NUMBER;

	/* Written like others, and looked at in the kernel too. */
	if (of == OF_TEXT && !strcmp(k->c->name, "go.remote_addr"))
		k->c->role = GOTAP_ROLE_PEER;
	if (of != OF_INTERFACE && strncmp(k->c->name, "gotap.", 6) &&
	    strcmp(k->c->name, "go.scope") != 0)
		return 0;
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (!strcmp(k->c->name, roles[i].name) && of == (int)roles[i].of) {
			k->c->role = roles[i].role;
			return 0;
		}
	return errinfo_set(k->e, -EINVAL, "unknown name, or not of this kind");
}

static int parse_where(struct compiler *k, const struct jsonv *v)
{
	const struct jsonv *at = jsonv_member(v, K_AT);
	int event = event_parse(jsonv_member(v, K_ON)), place = at ? site_at_parse(at) : AT_ANY;

	if (event < 0)
		return errinfo_set(k->e, -EINVAL, "\"on\" is missing or unknown");
	if (place < 0)
		return errinfo_set(k->e, -EINVAL, "\"at\" is unknown");
	k->c->event = (uint8_t)event;
	k->c->at = (uint8_t)place;
	return 0;
}

/* A value that is the same every time: text, number or boolean. */
static int compile_const(struct compiler *k, const struct jsonv *v)
{
	const struct jsonv *value = jsonv_member(v, K_VALUE);
	uint8_t type = value ? value->type : JSONV_NULL;

	if (!strncmp(k->c->name, "gotap.", 6))
		return errinfo_set(k->e, -EINVAL, "unknown name, or not of this kind");
	if (type == JSONV_STRING) {
		k->c->form = FORM_CONST_TEXT;
		k->c->constant = jsonv_strdup(k->d, value);
	} else if (type == JSONV_NUMBER || type == JSONV_TRUE || type == JSONV_FALSE) {
		k->c->form = FORM_CONST;
		k->c->constant = strndup(value->text, value->len);
	}
	if (!k->c->constant)
		return errinfo_set(k->e, -EINVAL, "\"value\" is no text, number or boolean");
	return 0;
}

static int compile_value(struct compiler *k, const struct jsonv *v)
{
	int ret = compile_ops(k, jsonv_member(v, K_OPS));

	if (!ret)
		ret = compile_read(k, v);
	return ret ? ret : find_role(k);
}

int capture_parse(struct jsonv_doc *d, const struct jsonv *v, uint32_t n_args, struct capture *c,
		  struct errinfo *e)
{
	struct compiler k = {
		.d = d, .c = c, .n_args = n_args, .base = GOTAP_REG_NONE, .last_arg = -1, .e = e
	};
	const struct jsonv *metric = jsonv_member(v, K_METRIC);
	int ret;

	memset(c, 0, sizeof(*c));
	if (v->type != JSONV_OBJECT)
		return errinfo_set(e, -EINVAL, "no object");
	c->name = jsonv_strdup(d, jsonv_member(v, K_NAME));
	if (!c->name || !*c->name || strlen(c->name) > MAX_TEXT_KEY)
		return errinfo_set(e, -EINVAL, "\"name\" is missing, empty or too long");
	c->name_len = strlen(c->name);
	c->metric = metric && metric->type == JSONV_TRUE;
	ret = parse_where(&k, v);
	if (!ret)
		ret = jsonv_is(jsonv_member(v, K_KIND), "const") ? compile_const(&k, v)
								 : compile_value(&k, v);
	for (uint32_t i = 0; !ret && i < c->n_ops; i++) {
		c->ops[i].role = c->role;
		c->ops[i].next = (__u8)(c->n_ops - i);
	}
	return ret;
}

void capture_release(struct capture *c)
{
	free(c->name);
	free(c->ops);
	free(c->lookups);
	free(c->constant);
	memset(c, 0, sizeof(*c));
}

int capture_parse_g(struct jsonv_doc *d, const struct jsonv *ops, uint32_t n_args, struct probe *p,
		    struct errinfo *e)
{
	struct capture c = { 0 };
	struct compiler k = {
		.d = d, .c = &c, .n_args = n_args, .base = GOTAP_REG_NONE, .last_arg = -1, .e = e
	};
	int ret;

	p->g_reg = GOTAP_REG_G;
	if (!ops)
		return 0;
	ret = compile_ops(&k, ops);
	if (!ret && (c.n_ops > GOTAP_MAX_G_LOADS || k.offset))
		ret = errinfo_set(e, -E2BIG, "g is more than %d loads away", GOTAP_MAX_G_LOADS);
	p->g_reg = c.n_ops ? c.ops[0].base : k.base;
	for (uint32_t i = 0; !ret && i < c.n_ops; i++) {
		if (c.ops[i].code != GOTAP_OP_LOAD || (i && c.ops[i].base != GOTAP_REG_NONE))
			ret = errinfo_set(e, -E2BIG, "an op on the way to g that is no load");
		else
			p->g_off[p->g_loads++] = (int32_t)c.ops[i].imm;
	}
	capture_release(&c);
	return ret;
}
