// SPDX-License-Identifier: Apache-2.0
#include "dwarf_die.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "le.h"

/* Of cmd/internal/dwarf/dwarf_defs.go. */
enum {
	AT_GO_KIND = 0x2900,
	AT_GO_KEY = 0x2901,
	AT_GO_ELEM = 0x2902,
	AT_GO_EMBEDDED = 0x2903,
	AT_GO_RUNTIME_TYPE = 0x2904,
};

/* Go has about 50 abbreviations, other compilers some thousands a unit. */
#define MAX_ABBREVS	 65536
#define MAX_ATTRS	 (1u << 20)
#define MAX_ABBREV_BYTES (256u << 20)

struct die_attr {
	uint32_t at, form;
	int64_t implicit;
};

struct die_abbrev {
	uint32_t tag;
	bool has_children;
	uint32_t first, n; /* in attrs; n is UINT32_MAX for a code that is not there */
};

struct die_abbrevs {
	uint64_t offset;
	struct die_abbrev *v; /* by code */
	size_t n;
	struct die_attr *attrs;
	size_t n_attrs;
};

/* A place in a section; @bad stays set once a read went past the end. */
struct cursor {
	const uint8_t *p, *end;
	bool bad;
};

static uint64_t get(struct cursor *c, unsigned n)
{
	uint64_t v = 0;

	if ((size_t)(c->end - c->p) < n) {
		c->bad = true;
		c->p = c->end;
		return 0;
	}
	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)c->p[i] << (8 * i);
	c->p += n;
	return v;
}

static void skip(struct cursor *c, uint64_t n)
{
	if ((uint64_t)(c->end - c->p) < n) {
		c->bad = true;
		c->p = c->end;
		return;
	}
	c->p += n;
}

static uint64_t uleb(struct cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0; c->p < c->end; shift += 7) {
		uint8_t byte = *c->p++;

		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
	c->bad = true;
	return 0;
}

static int64_t sleb(struct cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0; c->p < c->end;) {
		uint8_t byte = *c->p++;

		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (!(byte & 0x80)) {
			if (shift < 64 && byte & 0x40)
				v |= -(uint64_t)1 << shift;
			return (int64_t)v;
		}
	}
	c->bad = true;
	return 0;
}

static const char *string(struct cursor *c)
{
	const uint8_t *s = c->p, *nul = memchr(s, 0, (size_t)(c->end - s));

	if (!nul) {
		c->bad = true;
		c->p = c->end;
		return NULL;
	}
	c->p = nul + 1;
	return (const char *)s;
}

static const char *string_in(const struct debug_section *s, uint64_t off)
{
	return off < s->len ? (const char *)s->p + off : NULL;
}

/* A section of strings, up to the last NUL; an empty one if it is not there. */
static void load_strings(const struct gobin *b, const char *name, struct debug_section *s)
{
	const uint8_t *last;

	if (debug_section_load(b, name, s, NULL))
		return;
	last = s->len ? memrchr(s->p, 0, s->len) : NULL;
	s->len = last ? (size_t)(last - s->p) + 1 : 0;
}

int die_reader_init(struct die_reader *r, const struct gobin *b, struct errinfo *e)
{
	int err;

	memset(r, 0, sizeof(*r));
	err = debug_section_load(b, "info", &r->info, e);
	if (!err)
		err = debug_section_load(b, "abbrev", &r->abbrev, e);
	if (err) {
		die_reader_release(r);
		return err;
	}
	/* Go's own linker writes strings in place and has neither. */
	load_strings(b, "str", &r->str);
	load_strings(b, "line_str", &r->line_str);
	r->budget = MAX_ABBREV_BYTES;
	return 0;
}

static void free_abbrevs(struct die_abbrevs *a)
{
	if (!a)
		return;
	free(a->attrs);
	free(a->v);
	free(a);
}

void die_reader_release(struct die_reader *r)
{
	free_abbrevs(r->abbrevs);
	r->abbrevs = NULL;
	debug_section_release(&r->line_str);
	debug_section_release(&r->str);
	debug_section_release(&r->abbrev);
	debug_section_release(&r->info);
}

/* The attributes of one abbreviation, counted where @a->attrs is NULL, else stored. */
static size_t read_attrs(struct cursor *c, struct die_abbrevs *a)
{
	size_t n = 0;

	while (!c->bad) {
		struct die_attr at = { .at = (uint32_t)uleb(c) };

		at.form = (uint32_t)uleb(c);
		if (at.form == DW_FORM_implicit_const)
			at.implicit = sleb(c);
		if (!at.at && !at.form)
			break;
		if (a->attrs)
			a->attrs[a->n_attrs] = at;
		a->n_attrs++;
		n++;
	}
	return n;
}

/* One pass over the table at a->offset, to count, and another to store. */
static int pass(struct die_reader *r, struct die_abbrevs *a)
{
	struct cursor c = { r->abbrev.p + a->offset, r->abbrev.p + r->abbrev.len, false };
	uint64_t code, used;
	bool store = a->v != NULL;
	size_t max = 0;

	a->n_attrs = 0;
	while (!c.bad && c.p < c.end && (code = uleb(&c)) != 0) {
		struct die_abbrev v = { .tag = (uint32_t)uleb(&c) };

		v.has_children = get(&c, 1);
		v.first = (uint32_t)a->n_attrs;
		v.n = (uint32_t)read_attrs(&c, a);
		if (code >= MAX_ABBREVS || a->n_attrs > MAX_ATTRS)
			return -EBADMSG;
		if (store)
			a->v[code] = v;
		max = code > max ? code : max;
	}
	if (!store)
		a->n = max + 1;
	used = (uint64_t)(c.p - r->abbrev.p) - a->offset;
	if (c.bad || used > r->budget)
		return -EBADMSG;
	r->budget -= used;
	return 0;
}

static int load_abbrevs(struct die_reader *r, uint64_t offset)
{
	struct die_abbrevs *a = r->abbrevs;
	int err;

	if (a && a->offset == offset)
		return 0;
	free_abbrevs(a);
	r->abbrevs = NULL;
	if (offset >= r->abbrev.len)
		return -EBADMSG;
	a = calloc(1, sizeof(*a));
	if (!a)
		return -ENOMEM;
	a->offset = offset;
	err = pass(r, a);
	if (!err) {
		a->v = malloc(a->n * sizeof(*a->v));
		a->attrs = malloc((a->n_attrs + 1) * sizeof(*a->attrs));
		if (!a->v || !a->attrs)
			err = -ENOMEM;
	}
	if (!err) {
		memset(a->v, 0xff, a->n * sizeof(*a->v));
		err = pass(r, a);
	}
	if (err) {
		free_abbrevs(a);
		return err;
	}
	r->abbrevs = a;
	return 0;
}

int die_unit_at(const struct die_reader *r, uint64_t offset, struct die_unit *out,
		struct errinfo *e)
{
	struct cursor c;
	uint64_t len;
	uint8_t type = DW_UT_compile;

	if (offset >= r->info.len)
		return -ENODATA;
	c = (struct cursor){ r->info.p + offset, r->info.p + r->info.len, false };
	*out = (struct die_unit){ .offset = offset, .offset_size = 4 };
	len = get(&c, 4);
	if (len == 0xffffffff) {
		len = get(&c, 8);
		out->offset_size = 8;
	}
	if (c.bad || len > (uint64_t)(c.end - c.p) || len < 7)
		return errinfo_set(
			e, -EBADMSG, ".debug_info: unit of 0x%llx bytes at offset 0x%llx, of 0x%zx",
			(unsigned long long)len, (unsigned long long)offset, r->info.len);
	c.end = c.p + len;
	out->end = (uint64_t)(c.end - r->info.p);
	out->version = (uint16_t)get(&c, 2);
	if (out->version >= 5) {
		type = (uint8_t)get(&c, 1);
		out->addr_size = (uint8_t)get(&c, 1);
		out->abbrev = get(&c, out->offset_size);
	} else {
		out->abbrev = get(&c, out->offset_size);
		out->addr_size = (uint8_t)get(&c, 1);
	}
	out->first = (uint64_t)(c.p - r->info.p);
	if (c.bad || out->version < 2 || out->version > 5 || out->addr_size != 8 ||
	    (type != DW_UT_compile && type != DW_UT_partial))
		out->version = 0;
	return 0;
}

/* A value, as far as types need it. */
struct value {
	uint64_t u;
	const char *s;
};

static void skip_block(struct cursor *c, uint64_t len, struct value *v)
{
	/* DW_AT_data_member_location as an expression: DW_OP_plus_uconst N. */
	if (len >= 2 && (uint64_t)(c->end - c->p) >= len && c->p[0] == DW_OP_plus_uconst) {
		struct cursor block = { c->p + 1, c->p + len, false };

		v->u = uleb(&block);
	}
	skip(c, len);
}

static struct value read_form(const struct die_reader *r, const struct die_unit *u,
			      struct cursor *c, uint32_t form, int64_t implicit)
{
	struct value v = { 0, NULL };

	if (form == DW_FORM_indirect)
		form = (uint32_t)uleb(c);
	switch (form) {
	case DW_FORM_flag_present:
		v.u = 1;
		break;
	case DW_FORM_implicit_const:
		v.u = (uint64_t)implicit;
		break;
	case DW_FORM_data1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		v.u = get(c, 1);
		break;
	case DW_FORM_ref1:
		v.u = u->offset + get(c, 1);
		break;
	case DW_FORM_data2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		v.u = get(c, 2);
		break;
	case DW_FORM_ref2:
		v.u = u->offset + get(c, 2);
		break;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		v.u = get(c, 3);
		break;
	case DW_FORM_data4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
		v.u = get(c, 4);
		break;
	case DW_FORM_ref4:
		v.u = u->offset + get(c, 4);
		break;
	case DW_FORM_addr:
	case DW_FORM_data8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		v.u = get(c, 8);
		break;
	case DW_FORM_ref8:
		v.u = u->offset + get(c, 8);
		break;
	case DW_FORM_data16:
		skip(c, 16);
		break;
	case DW_FORM_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
		v.u = uleb(c);
		break;
	case DW_FORM_ref_udata:
		v.u = u->offset + uleb(c);
		break;
	case DW_FORM_sdata:
		v.u = (uint64_t)sleb(c);
		break;
	case DW_FORM_string:
		v.s = string(c);
		break;
	case DW_FORM_strp:
		v.s = string_in(&r->str, get(c, u->offset_size));
		break;
	case DW_FORM_line_strp:
		v.s = string_in(&r->line_str, get(c, u->offset_size));
		break;
	case DW_FORM_ref_addr:
		v.u = get(c, u->version == 2 ? u->addr_size : u->offset_size);
		break;
	case DW_FORM_sec_offset:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		v.u = get(c, u->offset_size);
		break;
	case DW_FORM_block1:
		skip_block(c, get(c, 1), &v);
		break;
	case DW_FORM_block2:
		skip_block(c, get(c, 2), &v);
		break;
	case DW_FORM_block4:
		skip_block(c, get(c, 4), &v);
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		skip_block(c, uleb(c), &v);
		break;
	default:
		c->bad = true;
	}
	return v;
}

static void take(struct die *d, uint32_t at, const struct value *v)
{
	switch (at) {
	case DW_AT_name:
		d->name = v->s;
		break;
	case DW_AT_type:
		d->type = v->u;
		break;
	case DW_AT_byte_size:
		d->byte_size = v->u;
		break;
	case DW_AT_count:
		d->count = v->u;
		break;
	case DW_AT_upper_bound:
		d->count = v->u + 1;
		break;
	case DW_AT_data_member_location:
		d->member_offset = v->u;
		break;
	case DW_AT_language:
		d->language = (uint16_t)v->u;
		break;
	case AT_GO_KIND:
		d->go_kind = (uint8_t)v->u;
		break;
	case AT_GO_KEY:
		d->go_key = v->u;
		break;
	case AT_GO_ELEM:
		d->go_elem = v->u;
		break;
	case AT_GO_EMBEDDED:
		d->go_embedded = v->u;
		break;
	case AT_GO_RUNTIME_TYPE:
		d->go_rtype = v->u;
		break;
	default:
		break;
	}
}

int die_read(struct die_reader *r, const struct die_unit *u, uint64_t offset, struct die *out)
{
	const struct die_abbrev *a;
	struct cursor c;
	uint64_t code;
	int err;

	if (offset < u->first || offset >= u->end)
		return -ENODATA;
	c = (struct cursor){ r->info.p + offset, r->info.p + u->end, false };
	err = load_abbrevs(r, u->abbrev);
	if (err)
		return err;
	memset(out, 0, sizeof(*out));
	out->offset = offset;
	code = uleb(&c);
	if (code && !c.bad) {
		if (code >= r->abbrevs->n || r->abbrevs->v[code].n == UINT32_MAX)
			return -EBADMSG;
		a = &r->abbrevs->v[code];
		out->tag = a->tag;
		out->has_children = a->has_children;
		for (uint32_t i = 0; i < a->n && !c.bad; i++) {
			const struct die_attr *at = &r->abbrevs->attrs[a->first + i];
			struct value v = read_form(r, u, &c, at->form, at->implicit);

			take(out, at->at, &v);
		}
	}
	out->next = (uint64_t)(c.p - r->info.p);
	return c.bad ? -EBADMSG : 0;
}
