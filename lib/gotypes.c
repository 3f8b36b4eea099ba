// SPDX-License-Identifier: Apache-2.0
#include "gotypes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gotypes_internal.h"

/* Of structs embedded in each other. */
#define MAX_DEPTH 16

int gotypes_open(struct gobin *b, struct gotypes **out, struct errinfo *e)
{
	struct gotypes *ts = calloc(1, sizeof(*ts));
	struct errinfo dwarf = { "" }, rtype = { "" };
	int r_dwarf, r_rtype;

	if (!ts)
		return errinfo_set(e, -ENOMEM, "out of memory");
	ts->b = b;
	ts->unknown.pub.name = "";
	r_dwarf = godwarf_open(b, &ts->dwarf, &dwarf);
	r_rtype = rtypes_open(b, &ts->rtypes, &rtype);
	if (r_dwarf == -ENOMEM || r_rtype == -ENOMEM) {
		gotypes_free(ts);
		return errinfo_set(e, -ENOMEM, "out of memory");
	}
	if (r_dwarf && r_dwarf != -ENODATA && r_rtype && r_rtype != -ENODATA) {
		gotypes_free(ts);
		return errinfo_set(e, -EBADMSG, "%.150s; %.150s", dwarf.text, rtype.text);
	}
	if (r_dwarf && r_dwarf != -ENODATA)
		snprintf(ts->warning, sizeof(ts->warning), "%.150s", dwarf.text);
	*out = ts;
	return 0;
}

static void free_node(struct type_node *n)
{
	for (size_t i = 0; n->fields && i < n->pub.n_fields; i++)
		free(n->fields[i].owned);
	free(n->fields);
	free(n->name);
	free(n);
}

void gotypes_free(struct gotypes *ts)
{
	if (!ts)
		return;
	for (size_t i = 0; i < TYPE_BUCKETS; i++)
		while (ts->buckets[i]) {
			struct type_link *l = ts->buckets[i];

			ts->buckets[i] = l->next;
			free(l);
		}
	for (size_t i = 0; i < ts->n_nodes; i++)
		free_node(ts->nodes[i]);
	free(ts->nodes);
	dwarf_funcs_free(ts->funcs);
	rtypes_free(ts->rtypes);
	godwarf_free(ts->dwarf);
	free(ts);
}

const char *gotypes_warning(const struct gotypes *ts)
{
	return ts->warning;
}

static const struct type_node *part(struct gotypes *ts, uint64_t die, uint64_t rt)
{
	const struct type_node *n = NULL;

	if (die)
		n = type_of_die(ts, die);
	else if (rt)
		n = type_of_rt(ts, rt);
	return n ? n : &ts->unknown;
}

const struct gotype *gotypes_elem(struct gotypes *ts, const struct gotype *t)
{
	struct type_node *n = (struct type_node *)t;

	if (!n->elem && (n->elem_die || n->elem_rt))
		n->elem = part(ts, n->elem_die, n->elem_rt);
	return n->elem ? &n->elem->pub : NULL;
}

const struct gotype *gotypes_key(struct gotypes *ts, const struct gotype *t)
{
	struct type_node *n = (struct type_node *)t;

	if (!n->key && (n->key_die || n->key_rt))
		n->key = part(ts, n->key_die, n->key_rt);
	return n->key ? &n->key->pub : NULL;
}

/* By the table a pointer to what is not known is still a pointer. */
static const struct type_node *field_type(struct gotypes *ts, const struct type_field *f)
{
	const struct type_node *n;

	if (!f->type)
		return part(ts, f->die, f->rt);
	n = (const struct type_node *)gotypes_find(ts, f->type);
	if (!n && f->type[0] == '*')
		n = (const struct type_node *)gotypes_find(ts, "unsafe.Pointer");
	return n ? n : &ts->unknown;
}

int gotypes_field_at(struct gotypes *ts, const struct gotype *t, size_t i, struct gofield *out)
{
	const struct type_node *n = (const struct type_node *)t;

	if (t->kind != GOTYPE_STRUCT || i >= t->n_fields)
		return -ENOENT;
	*out = (struct gofield){
		.name = n->fields[i].name,
		.offset = n->fields[i].offset,
		.type = &field_type(ts, &n->fields[i])->pub,
		.source = t->source,
		.embedded = n->fields[i].embedded,
		.assumed = n->fields[i].assumed,
	};
	return 0;
}

/* Whether the descriptor of @t has the field where @f says. */
static int cross_check(struct gotypes *ts, struct type_node *n, const struct gofield *f,
		       struct errinfo *e)
{
	struct rtype t;
	struct rtype_field rf;
	uint64_t rt = n->die ? type_descriptor(ts, n) : 0;

	if (!rt || rtype_read(ts->rtypes, rt, &t) || t.kind != RTYPE_STRUCT)
		return 0;
	for (uint64_t i = 0; i < t.count; i++) {
		if (rtype_field(ts->rtypes, &t, i, &rf) || rf.name.len != strlen(f->name) ||
		    memcmp(rf.name.p, f->name, rf.name.len) != 0)
			continue;
		if (rf.offset == f->offset)
			return 0;
		/* Several fields are named "_". */
		if (strcmp(f->name, "_") != 0)
			return errinfo_set(e, -EUCLEAN,
					   "%s.%s is at %llu by DWARF, at %llu by its descriptor",
					   n->pub.name, f->name, (unsigned long long)f->offset,
					   (unsigned long long)rf.offset);
	}
	return errinfo_set(e, -EUCLEAN, "%s.%s, which DWARF has, is not in its descriptor",
			   n->pub.name, f->name);
}

/* At one level only, and with the descriptor's word. */
static int direct_field(struct gotypes *ts, const struct gotype *t, const char *name,
			struct gofield *out, struct errinfo *e)
{
	const struct type_node *n = (const struct type_node *)t;

	for (size_t i = 0; t->kind == GOTYPE_STRUCT && i < t->n_fields; i++)
		if (!strcmp(n->fields[i].name, name)) {
			gotypes_field_at(ts, t, i, out);
			return cross_check(ts, (struct type_node *)t, out, e);
		}
	return -ENOENT;
}

/* In structs embedded exactly @depth levels below @t: Go's rule is the shallowest. */
static int field_below(struct gotypes *ts, const struct gotype *t, const char *name, int depth,
		       int *budget, struct gofield *out, struct errinfo *e)
{
	*budget -= (int)t->n_fields;
	if (*budget <= 0)
		return -ENOENT;
	if (depth == 0)
		return direct_field(ts, t, name, out, e);
	for (size_t i = 0; t->kind == GOTYPE_STRUCT && i < t->n_fields; i++) {
		struct gofield f;
		int r;

		if (gotypes_field_at(ts, t, i, &f) || !f.embedded || f.type->kind != GOTYPE_STRUCT)
			continue;
		r = field_below(ts, f.type, name, depth - 1, budget, out, e);
		if (r == -ENOENT)
			continue;
		out->offset += f.offset;
		return r;
	}
	return -ENOENT;
}

int gotypes_field(struct gotypes *ts, const struct gotype *t, const char *name, struct gofield *out,
		  struct errinfo *e)
{
	int budget = 1 << 20;

	for (int depth = 0; depth < MAX_DEPTH; depth++) {
		int r = field_below(ts, t, name, depth, &budget, out, e);

		if (r != -ENOENT)
			return r;
	}
	return errinfo_set(e, -ENOENT, "%s has no field %s", t->name, name);
}

uint64_t gotypes_base(const struct gotypes *ts)
{
	return ts->rtypes ? rtypes_base(ts->rtypes) : 0;
}

uint64_t gotypes_descriptor(struct gotypes *ts, const struct gotype *t)
{
	return type_descriptor(ts, (struct type_node *)t);
}

const char *gotype_source_name(enum gotype_source s)
{
	static const char *const names[] = {
		[GOTYPE_FROM_NONE] = "none",	   [GOTYPE_FROM_DWARF] = "dwarf",
		[GOTYPE_FROM_RTYPE] = "rtype",	   [GOTYPE_FROM_TABLE] = "table",
		[GOTYPE_FROM_BUILTIN] = "builtin",
	};

	return names[s];
}

const char *gotype_kind_name(enum gotype_kind k)
{
	static const char *const names[] = {
		[GOTYPE_UNKNOWN] = "unknown",
		[GOTYPE_BOOL] = "bool",
		[GOTYPE_INT] = "int",
		[GOTYPE_UINT] = "uint",
		[GOTYPE_FLOAT] = "float",
		[GOTYPE_COMPLEX] = "complex",
		[GOTYPE_STRING] = "string",
		[GOTYPE_SLICE] = "slice",
		[GOTYPE_ARRAY] = "array",
		[GOTYPE_PTR] = "ptr",
		[GOTYPE_STRUCT] = "struct",
		[GOTYPE_MAP] = "map",
		[GOTYPE_INTERFACE] = "interface",
		[GOTYPE_CHAN] = "chan",
		[GOTYPE_FUNC] = "func",
	};

	return names[k];
}
