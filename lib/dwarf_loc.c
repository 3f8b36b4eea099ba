// SPDX-License-Identifier: Apache-2.0
#include "dwarf_loc.h"

#include <dwarf.h>
#include <errno.h>
#include <string.h>

#include "dwarf_cursor.h"

#define MAX_SECTION (64u << 20)
#define MAX_WORK    (64u << 20) /* entries of all lists that are read */

static int load(const struct gobin *b, const char *name, size_t *room, struct debug_section *s)
{
	size_t max = *room < MAX_SECTION ? *room : MAX_SECTION;
	int ret = debug_section_load(b, name, max, s, NULL);

	if (ret)
		memset(s, 0, sizeof(*s));
	if (s->owned)
		*room -= s->len;
	return ret == -ENOMEM ? ret : 0;
}

int dwarf_lists_load(const struct gobin *b, size_t room, struct dwarf_lists *out)
{
	int ret;

	memset(out, 0, sizeof(*out));
	out->work = MAX_WORK;
	ret = load(b, "addr", &room, &out->addr);
	if (!ret)
		ret = load(b, "loc", &room, &out->loc);
	if (!ret)
		ret = load(b, "loclists", &room, &out->loclists);
	if (ret)
		dwarf_lists_release(out);
	return ret;
}

void dwarf_lists_release(struct dwarf_lists *l)
{
	debug_section_release(&l->loclists);
	debug_section_release(&l->loc);
	debug_section_release(&l->addr);
	memset(l, 0, sizeof(*l));
}

static struct cursor at(const struct debug_section *s, uint64_t offset)
{
	if (offset > s->len)
		return (struct cursor){ s->p, s->p, true };
	return (struct cursor){ s->p + offset, s->p + s->len, false };
}

int dwarf_address(const struct dwarf_lists *l, uint64_t base, uint64_t index, uint64_t *out)
{
	struct cursor c;
	uint64_t offset;

	if (!l->addr.p || __builtin_mul_overflow(index, 8, &offset) ||
	    __builtin_add_overflow(offset, base, &offset))
		return -EBADMSG;
	c = at(&l->addr, offset);
	*out = cursor_get(&c, 8);
	return c.bad ? -EBADMSG : 0;
}

/* An expression inside @c, which goes on behind it. */
static struct cursor expression(struct cursor *c, uint64_t len)
{
	struct cursor e = { c->p, c->p, false };

	cursor_skip(c, len);
	if (!c->bad)
		e.end = c->p;
	return e;
}

/* DWARF 4, 2.6.2. An empty expression where the list has none for @pc. */
static struct cursor find_in_loc(struct dwarf_lists *l, const struct dwarf_scope *unit,
				 uint64_t offset, uint64_t pc)
{
	struct cursor c = at(&l->loc, offset);
	uint64_t base = unit->low_pc;

	for (; !c.bad && l->work; l->work--) {
		uint64_t begin = cursor_get(&c, 8), end = cursor_get(&c, 8);
		struct cursor e;

		if (c.bad || (!begin && !end))
			break;
		if (begin == UINT64_MAX) {
			base = end;
			continue;
		}
		e = expression(&c, cursor_get(&c, 2));
		if (!c.bad && pc - base >= begin && pc - base < end)
			return e;
	}
	return (struct cursor){ NULL, NULL, true };
}

/* One entry of .debug_loclists that has a range: its bounds. DWARF 5, 2.6.2. */
static bool read_range(const struct dwarf_lists *l, const struct dwarf_scope *unit,
		       struct cursor *c, uint64_t kind, uint64_t base, uint64_t *begin,
		       uint64_t *end)
{
	switch (kind) {
	case DW_LLE_offset_pair:
		*begin = base + cursor_uleb(c);
		*end = base + cursor_uleb(c);
		return true;
	case DW_LLE_start_end:
		*begin = cursor_get(c, 8);
		*end = cursor_get(c, 8);
		return true;
	case DW_LLE_start_length:
		*begin = cursor_get(c, 8);
		*end = *begin + cursor_uleb(c);
		return true;
	case DW_LLE_startx_length:
		if (dwarf_address(l, unit->addr_base, cursor_uleb(c), begin))
			return false;
		*end = *begin + cursor_uleb(c);
		return true;
	case DW_LLE_default_location:
		*begin = 0;
		*end = UINT64_MAX;
		return true;
	default:
		return false;
	}
}

static struct cursor find_in_loclists(struct dwarf_lists *l, const struct dwarf_scope *unit,
				      uint64_t offset, uint64_t pc)
{
	struct cursor c = at(&l->loclists, offset);
	uint64_t base = unit->low_pc, begin, end;

	for (; !c.bad && l->work; l->work--) {
		uint64_t kind = cursor_get(&c, 1);
		struct cursor e;

		if (kind == DW_LLE_base_address) {
			base = cursor_get(&c, 8);
			continue;
		}
		if (kind == DW_LLE_base_addressx) {
			if (dwarf_address(l, unit->addr_base, cursor_uleb(&c), &base))
				break;
			continue;
		}
		if (!read_range(l, unit, &c, kind, base, &begin, &end))
			break;
		e = expression(&c, cursor_uleb(&c));
		if (!c.bad && pc >= begin && pc < end)
			return e;
	}
	return (struct cursor){ NULL, NULL, true };
}

/* What one operation says; DWARF_NOWHERE if it is not understood. */
static bool read_place(struct cursor *c, struct dwarf_piece *p)
{
	uint64_t op = *c->p;

	if (op == DW_OP_piece) /* a piece that is not there */
		return true;
	cursor_skip(c, 1);
	if (op >= DW_OP_reg0 && op <= DW_OP_reg31) {
		p->where = DWARF_IN_REG;
		p->reg = op - DW_OP_reg0;
	} else if (op == DW_OP_regx) {
		p->where = DWARF_IN_REG;
		p->reg = cursor_uleb(c);
	} else if (op == DW_OP_call_frame_cfa) {
		p->where = DWARF_ON_STACK;
	} else if (op == DW_OP_fbreg) {
		p->where = DWARF_ON_STACK; /* Go's frame base is the CFA */
		p->stack = cursor_sleb(c);
	} else {
		return false;
	}
	return true;
}

static size_t read_pieces(struct cursor *c, struct dwarf_piece *out)
{
	uint64_t offset = 0;
	size_t n = 0;

	while (!c->bad && c->p < c->end) {
		struct dwarf_piece p = { .offset = offset };

		if (n == DWARF_MAX_PIECES || !read_place(c, &p))
			return 0;
		if (c->p < c->end) {
			if (cursor_get(c, 1) != DW_OP_piece)
				return 0;
			p.size = cursor_uleb(c);
			if (__builtin_add_overflow(offset, p.size, &offset))
				return 0;
		}
		out[n++] = p;
	}
	return c->bad ? 0 : n;
}

size_t dwarf_locate(struct dwarf_lists *l, const struct dwarf_scope *unit, const struct die *var,
		    uint64_t pc, struct dwarf_piece *out)
{
	struct cursor c;

	if (var->expr)
		c = (struct cursor){ var->expr, var->expr + var->expr_len, false };
	else if (!var->has_loclist)
		return 0;
	else
		c = unit->version >= 5 ? find_in_loclists(l, unit, var->loclist, pc)
				       : find_in_loc(l, unit, var->loclist, pc);
	return c.bad ? 0 : read_pieces(&c, out);
}
