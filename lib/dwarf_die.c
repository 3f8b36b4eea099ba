// SPDX-License-Identifier: Apache-2.0
#include "dwarf_die.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf_abbrev.h"
#include "dwarf_cursor.h"

/* Of a section; 30 MB of .debug_info are a very large Go program. */
#define MAX_INFO   (144u << 20)
#define MAX_ABBREV (16u << 20)
#define MAX_STR	   (32u << 20)
/* Inflated, of all sections: what fits in 256 MB with all the rest. */
#define MAX_INFLATED (192u << 20)
/* Of tables of abbreviations, in the file and in memory, in all. */
#define MAX_ABBREV_BYTES (512u << 20)
/* Entries and attributes, read again ones too: a very large program has 30 million. */
#define MAX_WORK   (256u << 20)
#define ENTRY_WORK 4 /* attributes that one entry without any is like */

/* Of cmd/internal/dwarf/dwarf_defs.go. */
enum {
	AT_GO_KIND = 0x2900,
	AT_GO_KEY = 0x2901,
	AT_GO_ELEM = 0x2902,
	AT_GO_EMBEDDED = 0x2903,
	AT_GO_RUNTIME_TYPE = 0x2904,
};

static const char *string_in(const struct debug_section *s, uint64_t off)
{
	return off < s->len ? (const char *)s->p + off : NULL;
}

/* A section of strings, up to the last NUL; an empty one if it is not there. */
static void load_strings(const struct gobin *b, const char *name, const struct die_reader *r,
			 struct debug_section *s)
{
	size_t room = die_reader_room(r);
	const uint8_t *last;

	if (debug_section_load(b, name, room < MAX_STR ? room : MAX_STR, s, NULL))
		return;
	last = s->len ? memrchr(s->p, 0, s->len) : NULL;
	s->len = last ? (size_t)(last - s->p) + 1 : 0;
}

int die_reader_init(struct die_reader *r, const struct gobin *b, struct errinfo *e)
{
	int err;

	memset(r, 0, sizeof(*r));
	err = debug_section_load(b, "info", MAX_INFO, &r->info, e);
	if (!err)
		err = debug_section_load(b, "abbrev", MAX_ABBREV, &r->abbrev, e);
	if (err) {
		die_reader_release(r);
		return err;
	}
	/* Go's own linker writes strings in place and has neither. */
	load_strings(b, "str", r, &r->str);
	load_strings(b, "line_str", r, &r->line_str);
	r->budget = MAX_ABBREV_BYTES;
	r->work = MAX_WORK;
	return 0;
}

size_t die_reader_room(const struct die_reader *r)
{
	const struct debug_section *s[] = { &r->info, &r->abbrev, &r->str, &r->line_str };
	size_t room = MAX_INFLATED;

	for (size_t i = 0; i < sizeof(s) / sizeof(s[0]); i++)
		if (s[i]->owned)
			room -= s[i]->len < room ? s[i]->len : room;
	return room;
}

void die_reader_release(struct die_reader *r)
{
	die_abbrevs_free(r->abbrevs);
	r->abbrevs = NULL;
	debug_section_release(&r->line_str);
	debug_section_release(&r->str);
	debug_section_release(&r->abbrev);
	debug_section_release(&r->info);
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
	len = cursor_get(&c, 4);
	if (len == 0xffffffff) {
		len = cursor_get(&c, 8);
		out->offset_size = 8;
	}
	if (c.bad || len > (uint64_t)(c.end - c.p) || len < 7)
		return errinfo_set(
			e, -EBADMSG, ".debug_info: unit of 0x%llx bytes at offset 0x%llx, of 0x%zx",
			(unsigned long long)len, (unsigned long long)offset, r->info.len);
	c.end = c.p + len;
	out->end = (uint64_t)(c.end - r->info.p);
	out->version = (uint16_t)cursor_get(&c, 2);
	if (out->version >= 5) {
		type = (uint8_t)cursor_get(&c, 1);
		out->addr_size = (uint8_t)cursor_get(&c, 1);
		out->abbrev = cursor_get(&c, out->offset_size);
	} else {
		out->abbrev = cursor_get(&c, out->offset_size);
		out->addr_size = (uint8_t)cursor_get(&c, 1);
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
	const uint8_t *block; /* of a block or an expression, with @len */
	uint64_t len;
	uint32_t form; /* DW_FORM_indirect followed */
};

static void skip_block(struct cursor *c, uint64_t len, struct value *v)
{
	v->block = c->p;
	v->len = len;
	/* DW_AT_data_member_location as an expression: DW_OP_plus_uconst N. */
	if (len >= 2 && (uint64_t)(c->end - c->p) >= len && c->p[0] == DW_OP_plus_uconst) {
		struct cursor block = { c->p + 1, c->p + len, false };

		v->u = cursor_uleb(&block);
	}
	cursor_skip(c, len);
}

static struct value read_form(const struct die_reader *r, const struct die_unit *u,
			      struct cursor *c, uint32_t form, int64_t implicit)
{
	struct value v = { .u = 0 };

	if (form == DW_FORM_indirect)
		form = (uint32_t)cursor_uleb(c);
	v.form = form;
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
		v.u = cursor_get(c, 1);
		break;
	case DW_FORM_ref1:
		v.u = u->offset + cursor_get(c, 1);
		break;
	case DW_FORM_data2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		v.u = cursor_get(c, 2);
		break;
	case DW_FORM_ref2:
		v.u = u->offset + cursor_get(c, 2);
		break;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		v.u = cursor_get(c, 3);
		break;
	case DW_FORM_data4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
		v.u = cursor_get(c, 4);
		break;
	case DW_FORM_ref4:
		v.u = u->offset + cursor_get(c, 4);
		break;
	case DW_FORM_addr:
	case DW_FORM_data8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		v.u = cursor_get(c, 8);
		break;
	case DW_FORM_ref8:
		v.u = u->offset + cursor_get(c, 8);
		break;
	case DW_FORM_data16:
		cursor_skip(c, 16);
		break;
	case DW_FORM_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
		v.u = cursor_uleb(c);
		break;
	case DW_FORM_ref_udata:
		v.u = u->offset + cursor_uleb(c);
		break;
	case DW_FORM_sdata:
		v.u = (uint64_t)cursor_sleb(c);
		break;
	case DW_FORM_string:
		v.s = cursor_string(c);
		break;
	case DW_FORM_strp:
		v.s = string_in(&r->str, cursor_get(c, u->offset_size));
		break;
	case DW_FORM_line_strp:
		v.s = string_in(&r->line_str, cursor_get(c, u->offset_size));
		break;
	case DW_FORM_ref_addr:
		v.u = cursor_get(c, u->version == 2 ? u->addr_size : u->offset_size);
		break;
	case DW_FORM_sec_offset:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		v.u = cursor_get(c, u->offset_size);
		break;
	case DW_FORM_block1:
		skip_block(c, cursor_get(c, 1), &v);
		break;
	case DW_FORM_block2:
		skip_block(c, cursor_get(c, 2), &v);
		break;
	case DW_FORM_block4:
		skip_block(c, cursor_get(c, 4), &v);
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		skip_block(c, cursor_uleb(c), &v);
		break;
	default:
		c->bad = true;
	}
	return v;
}

static void take_location(struct die *d, const struct value *v)
{
	if (v->block) {
		d->expr = v->block;
		d->expr_len = v->len;
	} else if (v->form == DW_FORM_sec_offset || v->form == DW_FORM_data4 ||
		   v->form == DW_FORM_data8) {
		d->has_loclist = true;
		d->loclist = v->u;
	}
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
	case DW_AT_abstract_origin:
		d->origin = v->u;
		break;
	case DW_AT_low_pc:
		d->has_low_pc = true;
		d->low_pc_index = v->form != DW_FORM_addr;
		d->low_pc = v->u;
		break;
	case DW_AT_variable_parameter:
		d->result = v->u;
		break;
	case DW_AT_addr_base:
		d->addr_base = v->u;
		break;
	case DW_AT_location:
		take_location(d, v);
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

/* The table of the unit at hand; types are in one unit, so it seldom changes. */
static int use_abbrevs(struct die_reader *r, uint64_t offset)
{
	int err;

	if (r->abbrevs && r->abbrevs->offset == offset)
		return 0;
	die_abbrevs_free(r->abbrevs);
	r->abbrevs = die_abbrevs_load(&r->abbrev, offset, &r->budget, &err);
	return r->abbrevs ? 0 : err;
}

int die_read(struct die_reader *r, const struct die_unit *u, uint64_t offset, struct die *out)
{
	const struct die_abbrev *a;
	struct cursor c;
	uint64_t code;
	int err;

	if (offset < u->first || offset >= u->end)
		return -ENODATA;
	if (r->work < ENTRY_WORK)
		return -EBADMSG;
	r->work -= ENTRY_WORK;
	c = (struct cursor){ r->info.p + offset, r->info.p + u->end, false };
	err = use_abbrevs(r, u->abbrev);
	if (err)
		return err;
	memset(out, 0, sizeof(*out));
	out->offset = offset;
	code = cursor_uleb(&c);
	if (code && !c.bad) {
		a = die_abbrev_of(r->abbrevs, code);
		if (!a || a->n >= r->work)
			return -EBADMSG;
		r->work -= a->n;
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
