// SPDX-License-Identifier: Apache-2.0
#include "dwarf_layout.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf_die.h"
#include "goname.h"
#include "rtype.h"

#define MAX_HOPS     16 /* of typedefs, and of structs that stand for slices and such */
#define MAX_FIELDS   65536
#define MAX_NAME     DIE_MAX_NAME
#define MAX_FIELD    512   /* bytes of its name */
#define MAX_UNITS    65536 /* with types: Go has one */
#define MAX_TYPES    (2u << 20)
#define MAX_SAME     64		/* names of one hash */
#define MAX_CHILDREN (1u << 20) /* of a struct, fields or not */

struct entry {
	uint32_t hash;
	uint32_t offset; /* .debug_info is less than 4 GB here */
};

struct godwarf {
	struct die_reader r;
	struct die_unit *units; /* those with types, by offset */
	size_t n_units;
	struct entry *types; /* by hash */
	size_t n, cap;
	uint64_t budget; /* bytes of names that may still be hashed: they may overlap */
};

static int grow(void **v, size_t n, size_t *cap, size_t size)
{
	void *p;

	if (n < *cap)
		return 0;
	p = reallocarray(*v, *cap ? 2 * *cap : 1024, size);
	if (!p)
		return -ENOMEM;
	*v = p;
	*cap = *cap ? 2 * *cap : 1024;
	return 0;
}

static bool is_type(uint32_t tag)
{
	switch (tag) {
	case DW_TAG_array_type:
	case DW_TAG_base_type:
	case DW_TAG_pointer_type:
	case DW_TAG_structure_type:
	case DW_TAG_subroutine_type:
	case DW_TAG_typedef:
		return true;
	default:
		return false;
	}
}

static int index_type(struct godwarf *d, const struct die *die)
{
	void *v = d->types;
	size_t len = strnlen(die->name, MAX_NAME);
	int r;

	if (len == MAX_NAME || len > d->budget || d->n >= MAX_TYPES)
		return 0;
	d->budget -= len;
	r = grow(&v, d->n, &d->cap, sizeof(*d->types));
	d->types = v;
	if (r)
		return r;
	d->types[d->n++] = (struct entry){ goname_type_hash(die->name), (uint32_t)die->offset };
	return 0;
}

/*
 * Go's linker puts all types into one unit, that of package runtime (Go 1.17 to 1.27:
 * cmd/link/internal/ld/dwarf.go, movetomodule). @all: whatever Go's unit it is.
 */
static bool may_have_types(const struct die *unit, bool all)
{
	return unit->language == DW_LANG_Go &&
	       (all || (unit->name && !strcmp(unit->name, "runtime")));
}

/* The types among the children of the unit's own entry. */
static int index_unit(struct godwarf *d, const struct die_unit *u, bool all)
{
	struct die die;
	uint64_t at = u->first;
	unsigned depth = 0;
	int r;

	while (!(r = die_read(&d->r, u, at, &die))) {
		if (at == u->first && !may_have_types(&die, all))
			return 0;
		if (die.tag && depth == 1 && die.name && is_type(die.tag)) {
			r = index_type(d, &die);
			if (r)
				return r;
		}
		if (die.has_children)
			depth++;
		else if (!die.tag && depth)
			depth--;
		at = die.next;
	}
	return r == -ENOMEM ? r : 0; /* what was read of a damaged unit is right */
}

static int index_units(struct godwarf *d, bool all, struct errinfo *e)
{
	struct die_unit u;
	size_t cap = 0;
	int r = 0;

	for (uint64_t at = 0; !(r = die_unit_at(&d->r, at, &u, e)); at = u.end) {
		size_t before = d->n;
		void *v = d->units;

		if (!u.version)
			continue;
		r = index_unit(d, &u, all);
		if (!r && d->n > before && d->n_units == MAX_UNITS)
			break;
		if (!r && d->n > before) {
			r = grow(&v, d->n_units, &cap, sizeof(*d->units));
			d->units = v;
			if (!r)
				d->units[d->n_units++] = u;
		}
		if (r)
			return errinfo_set(e, r, "out of memory");
	}
	return r == -ENODATA || d->n ? 0 : r;
}

static int index_all(struct godwarf *d, struct errinfo *e)
{
	int r;

	if (d->r.info.len > UINT32_MAX)
		return errinfo_set(e, -EFBIG, ".debug_info: %zu bytes are too many", d->r.info.len);
	d->budget = 4 * ((uint64_t)d->r.info.len + d->r.str.len);
	r = index_units(d, false, e);
	return r == -ENOMEM || d->n ? r : index_units(d, true, e);
}

static int by_hash(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

int godwarf_open(const struct gobin *b, struct godwarf **out, struct errinfo *e)
{
	struct godwarf *d = calloc(1, sizeof(*d));
	int r;

	if (!d)
		return errinfo_set(e, -ENOMEM, "out of memory");
	r = die_reader_init(&d->r, b, e);
	if (!r)
		r = index_all(d, e);
	if (!r && !d->n)
		r = errinfo_set(e, -ENODATA, ".debug_info has no Go types");
	if (r) {
		godwarf_free(d);
		return r;
	}
	qsort(d->types, d->n, sizeof(*d->types), by_hash);
	*out = d;
	return 0;
}

void godwarf_free(struct godwarf *d)
{
	if (!d)
		return;
	die_reader_release(&d->r);
	free(d->types);
	free(d->units);
	free(d);
}

struct die_reader *godwarf_reader(struct godwarf *d)
{
	return &d->r;
}

static const struct die_unit *unit_of(const struct godwarf *d, uint64_t offset)
{
	size_t lo = 0, hi = d->n_units;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (d->units[mid].offset <= offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && offset < d->units[lo - 1].end ? &d->units[lo - 1] : NULL;
}

static int read_at(struct godwarf *d, uint64_t offset, struct die *out)
{
	const struct die_unit *u = offset ? unit_of(d, offset) : NULL;
	int r = u ? die_read(&d->r, u, offset, out) : -ENOENT;

	if (!r && !is_type(out->tag))
		return -ENOENT;
	return r;
}

uint64_t godwarf_find(const struct godwarf *d, const char *name)
{
	uint32_t hash = goname_type_hash(name);
	size_t lo = 0, hi = d->n;
	struct die die;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (d->types[mid].hash < hash)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (int i = 0; lo < d->n && d->types[lo].hash == hash && i < MAX_SAME; i++, lo++) {
		/* Reading an entry changes nothing but which abbreviations are at hand. */
		if (!read_at((struct godwarf *)d, d->types[lo].offset, &die) && die.name &&
		    goname_type_equal(name, die.name))
			return die.offset;
	}
	return 0;
}

static uint8_t kind_of_tag(const struct die *die)
{
	switch (die->tag) {
	case DW_TAG_array_type:
		return RTYPE_ARRAY;
	case DW_TAG_pointer_type:
		return die->type ? RTYPE_PTR : RTYPE_UNSAFE_PTR;
	case DW_TAG_structure_type:
		return RTYPE_STRUCT;
	case DW_TAG_subroutine_type:
		return RTYPE_FUNC;
	default:
		return 0;
	}
}

static uint64_t size_of_kind(uint8_t kind)
{
	switch (kind) {
	case RTYPE_INTERFACE:
		return 16;
	case RTYPE_CHAN:
	case RTYPE_FUNC:
	case RTYPE_MAP:
	case RTYPE_PTR:
	case RTYPE_UNSAFE_PTR:
		return 8;
	default:
		return 0;
	}
}

/* The entry behind typedefs of names; one that has a kind is a type of its own. */
static int resolve(struct godwarf *d, uint64_t type, struct die *out, const char **name)
{
	*name = NULL;
	for (int i = 0; i < MAX_HOPS; i++) {
		int r = read_at(d, type, out);

		if (r)
			return r;
		if (!*name)
			*name = out->name;
		if (out->tag != DW_TAG_typedef || out->go_kind)
			return 0;
		type = out->type;
	}
	return -EBADMSG;
}

/* DW_AT_count of an array's range. */
static uint64_t array_count(struct godwarf *d, const struct die *array)
{
	const struct die_unit *u = unit_of(d, array->offset);
	struct die die;

	if (!array->has_children || die_read(&d->r, u, array->next, &die) ||
	    die.tag != DW_TAG_subrange_type)
		return 0;
	return die.count;
}

int godwarf_type(struct godwarf *d, uint64_t type, struct godwarf_type *out)
{
	const char *name;
	struct die die;
	int r = resolve(d, type, &die, &name);

	if (r)
		return r;
	memset(out, 0, sizeof(*out));
	out->name = name && strnlen(name, MAX_NAME) < MAX_NAME ? name : "";
	out->kind = die.go_kind ? die.go_kind & 31 : kind_of_tag(&die);
	out->size = die.byte_size ? die.byte_size : size_of_kind(out->kind);
	out->rtype = die.go_rtype;
	out->key = die.go_key;
	out->elem = die.go_elem;
	if (out->kind == RTYPE_ARRAY) {
		out->elem = die.type;
		out->count = array_count(d, &die);
	} else if (out->kind == RTYPE_PTR) {
		out->elem = die.type;
	} else if (out->kind == RTYPE_MAP || out->kind == RTYPE_INTERFACE) {
		out->inner = die.type;
	}
	return 0;
}

static int add_field(struct godwarf_field **v, size_t *n, size_t *cap, const struct die *die)
{
	void *p = *v;
	int r;

	if (*n >= MAX_FIELDS)
		return -EBADMSG;
	r = grow(&p, *n, cap, sizeof(**v));
	*v = p;
	if (r)
		return r;
	(*v)[(*n)++] = (struct godwarf_field){
		.name = die->name && strnlen(die->name, MAX_FIELD) < MAX_FIELD ? die->name : "",
		.type = die->type,
		.offset = die->member_offset,
		.embedded = die->go_embedded,
	};
	return 0;
}

static int read_fields(struct godwarf *d, const struct die *die, struct godwarf_field **out,
		       size_t *n)
{
	const struct die_unit *u = unit_of(d, die->offset);
	size_t cap = 0;
	unsigned depth = 0, children = 0;
	struct die child;
	int r;

	for (uint64_t at = die->next;; at = child.next) {
		r = ++children > MAX_CHILDREN ? -EBADMSG : die_read(&d->r, u, at, &child);
		if (!r && child.tag == DW_TAG_member && depth == 0)
			r = add_field(out, n, &cap, &child);
		if (r)
			return r == -ENODATA ? -EBADMSG : r;
		if (!child.tag && depth-- == 0)
			return 0;
		if (child.has_children)
			depth++;
	}
}

int godwarf_fields(struct godwarf *d, uint64_t type, struct godwarf_field **out, size_t *n)
{
	const char *name;
	struct die die;
	int r = 0;

	*out = NULL;
	*n = 0;
	for (int i = 0; !r && i < MAX_HOPS; i++) {
		r = resolve(d, type, &die, &name);
		if (r || die.tag == DW_TAG_structure_type)
			break;
		/* An interface is a typedef of the struct that it is. */
		type = die.type;
	}
	if (!r && die.tag == DW_TAG_structure_type && die.has_children)
		r = read_fields(d, &die, out, n);
	if (r) {
		free(*out);
		*out = NULL;
		*n = 0;
	}
	return r;
}

int godwarf_each_struct(struct godwarf *d, int (*fn)(void *arg, uint64_t type, const char *name),
			void *arg)
{
	for (size_t i = 0; i < d->n; i++) {
		struct die die;
		int r;

		if (read_at(d, d->types[i].offset, &die) || die.tag != DW_TAG_structure_type ||
		    die.go_kind != RTYPE_STRUCT || !die.name)
			continue;
		r = fn(arg, die.offset, die.name);
		if (r)
			return r;
	}
	return 0;
}
