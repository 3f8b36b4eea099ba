// SPDX-License-Identifier: Apache-2.0
#include "dwarf_func.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PARAMS 256
#define MAX_UNITS  (1u << 17) /* packages: Kubernetes has 4,000 */
#define MAX_NAME   512	      /* bytes, of a parameter */
#define MAX_FUNCS  (1u << 20) /* Kubernetes has 200,000 */

struct unit {
	struct die_unit u;
	struct dwarf_scope scope;
};

struct func {
	uint64_t entry;
	uint32_t offset, unit; /* of its entry in .debug_info; index */
};

struct dwarf_funcs {
	struct die_reader *r;
	struct dwarf_lists lists;
	struct unit *units; /* of Go, by offset */
	struct func *funcs; /* by entry */
	size_t n_units, cap_units, n_funcs, cap_funcs;
};

static void *grow(void *v, size_t n, size_t *cap, size_t size)
{
	size_t want = *cap ? 2 * *cap : 256;

	if (n < *cap)
		return v;
	v = reallocarray(v, want, size);
	if (v)
		*cap = want;
	return v;
}

/* Where a function or a unit begins; -EBADMSG. */
static int low_pc(const struct dwarf_funcs *fs, const struct dwarf_scope *s, const struct die *die,
		  uint64_t *out)
{
	*out = die->low_pc;
	if (!die->low_pc_index)
		return 0;
	return dwarf_address(&fs->lists, s->addr_base, die->low_pc, out);
}

static int add_unit(struct dwarf_funcs *fs, const struct die_unit *u, const struct die *die)
{
	struct unit *units, *new;

	if (fs->n_units == MAX_UNITS)
		return -EBADMSG;
	units = grow(fs->units, fs->n_units, &fs->cap_units, sizeof(*units));
	if (!units)
		return -ENOMEM;
	fs->units = units;
	new = &units[fs->n_units++];
	*new = (struct unit){ *u, { u->version, 0, die->addr_base } };
	if (die->has_low_pc)
		low_pc(fs, &new->scope, die, &new->scope.low_pc);
	return 0;
}

static int add_func(struct dwarf_funcs *fs, const struct die *die)
{
	struct func *funcs;
	uint64_t entry;

	if (!die->has_low_pc || low_pc(fs, &fs->units[fs->n_units - 1].scope, die, &entry) ||
	    fs->n_funcs == MAX_FUNCS)
		return 0;
	funcs = grow(fs->funcs, fs->n_funcs, &fs->cap_funcs, sizeof(*funcs));
	if (!funcs)
		return -ENOMEM;
	fs->funcs = funcs;
	funcs[fs->n_funcs++] = (struct func){ entry, (uint32_t)die->offset,
					      (uint32_t)(fs->n_units - 1) };
	return 0;
}

static int index_unit(struct dwarf_funcs *fs, const struct die_unit *u)
{
	struct die die;
	unsigned int depth = 0;
	int ret = die_read(fs->r, u, u->first, &die);

	if (ret || die.language != DW_LANG_Go)
		return ret == -ENOMEM ? ret : 0;
	ret = add_unit(fs, u, &die);
	for (uint64_t at = u->first; !ret; at = die.next) {
		ret = die_read(fs->r, u, at, &die);
		if (ret)
			break;
		if (depth == 1 && die.tag == DW_TAG_subprogram)
			ret = add_func(fs, &die);
		if (die.has_children)
			depth++;
		else if (!die.tag && depth)
			depth--;
	}
	return ret == -ENOMEM ? ret : 0; /* what was read of a damaged unit is right */
}

static int by_entry(const void *a, const void *b)
{
	const struct func *x = a, *y = b;

	return x->entry < y->entry ? -1 : x->entry > y->entry;
}

int dwarf_funcs_new(const struct gobin *b, struct die_reader *r, struct dwarf_funcs **out)
{
	struct dwarf_funcs *fs = calloc(1, sizeof(*fs));
	struct die_unit u;
	int ret;

	if (!fs)
		return -ENOMEM;
	fs->r = r;
	ret = dwarf_lists_load(b, die_reader_room(r), &fs->lists);
	for (uint64_t at = 0; !ret; at = u.end) {
		ret = die_unit_at(r, at, &u, NULL);
		if (!ret && u.version)
			ret = index_unit(fs, &u);
	}
	if (ret != -ENODATA && (ret != -EBADMSG || !fs->n_funcs)) {
		dwarf_funcs_free(fs);
		return ret;
	}
	if (fs->n_funcs)
		qsort(fs->funcs, fs->n_funcs, sizeof(*fs->funcs), by_entry);
	*out = fs;
	return 0;
}

void dwarf_funcs_free(struct dwarf_funcs *fs)
{
	if (!fs)
		return;
	dwarf_lists_release(&fs->lists);
	free(fs->units);
	free(fs->funcs);
	free(fs);
}

static const struct unit *unit_of(const struct dwarf_funcs *fs, uint64_t offset)
{
	size_t lo = 0, hi = fs->n_units;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (fs->units[mid].u.offset <= offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && offset < fs->units[lo - 1].u.end ? &fs->units[lo - 1] : NULL;
}

/* In an instance a type that was a parameter is a typedef within the function. */
static uint64_t shape_of(struct dwarf_funcs *fs, uint64_t type)
{
	const struct unit *u = unit_of(fs, type);
	struct die die;

	if (u && !die_read(fs->r, &u->u, type, &die) && die.tag == DW_TAG_typedef && die.name &&
	    !strncmp(die.name, ".param", 6))
		return die.type;
	return type;
}

/* A parameter's name and type may stand in the entry that all copies of it share. */
static int describe(struct dwarf_funcs *fs, const struct die *die, struct dwarf_param *out)
{
	const struct unit *u = die->origin ? unit_of(fs, die->origin) : NULL;
	struct die origin = *die;

	if (die->origin && (!u || die_read(fs->r, &u->u, die->origin, &origin)))
		return -EBADMSG;
	out->name = origin.name && strnlen(origin.name, MAX_NAME) < MAX_NAME ? origin.name : "";
	out->type = shape_of(fs, origin.type);
	out->result = origin.result;
	return 0;
}

static int add_param(struct dwarf_funcs *fs, const struct func *f, const struct die *die,
		     struct dwarf_param **list, size_t *n, size_t *cap)
{
	struct dwarf_param *grown = grow(*list, *n, cap, sizeof(*grown)), *p;
	int ret;

	if (!grown)
		return -ENOMEM;
	*list = grown;
	if (*n == MAX_PARAMS)
		return -EBADMSG;
	p = &grown[*n];
	memset(p, 0, sizeof(*p));
	ret = describe(fs, die, p);
	if (ret)
		return ret;
	p->fixed = die->expr != NULL;
	p->n = dwarf_locate(&fs->lists, &fs->units[f->unit].scope, die, f->entry, p->piece);
	++*n;
	return 0;
}

/* Instances are named by the shapes of their type arguments. */
static bool is_shaped(struct dwarf_funcs *fs, const struct die *die)
{
	const struct unit *u = die->origin ? unit_of(fs, die->origin) : NULL;
	struct die origin;
	const char *name = die->name;

	if (u && !die_read(fs->r, &u->u, die->origin, &origin))
		name = origin.name;
	return name && memmem(name, strnlen(name, DIE_MAX_NAME), "go.shape.", 9);
}

static int read_params(struct dwarf_funcs *fs, const struct func *f, struct dwarf_param **out,
		       size_t *n, bool *shaped)
{
	const struct die_unit *u = &fs->units[f->unit].u;
	unsigned int depth = 0;
	size_t cap = 0;
	struct die die;
	int ret = die_read(fs->r, u, f->offset, &die);

	if (ret || !die.has_children)
		return ret;
	*shaped = is_shaped(fs, &die);
	for (uint64_t at = die.next; !ret; at = die.next) {
		ret = die_read(fs->r, u, at, &die);
		if (ret)
			return ret == -ENODATA ? -EBADMSG : ret;
		if (die.tag == DW_TAG_formal_parameter && depth == 0)
			ret = add_param(fs, f, &die, out, n, &cap);
		if (!die.tag && depth-- == 0)
			break;
		if (die.has_children)
			depth++;
	}
	return ret;
}

int dwarf_func_params(struct dwarf_funcs *fs, uint64_t entry, struct dwarf_param **out, size_t *n,
		      bool *shaped)
{
	const struct func key = { .entry = entry }, *f = NULL;
	int ret;

	*out = NULL;
	*n = 0;
	*shaped = false;
	if (fs->n_funcs)
		f = bsearch(&key, fs->funcs, fs->n_funcs, sizeof(key), by_entry);
	if (!f)
		return -ENOENT;
	ret = read_params(fs, f, out, n, shaped);
	if (ret) {
		free(*out);
		*out = NULL;
		*n = 0;
	}
	return ret;
}
