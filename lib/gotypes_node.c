// SPDX-License-Identifier: Apache-2.0
/* Types as nodes of one graph, made from an entry of DWARF or from a descriptor. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "goname.h"
#include "gotypes_internal.h"

/* A hostile file may have types without end: more than a plan needs are not made. */
#define MAX_NODES    65536
#define MAX_FIELDS   (1u << 18) /* of all nodes together */
#define MAX_NAME     512	/* bytes, of a field */
#define MAX_POINTERS 32		/* to pointers */

static size_t bucket(enum type_key kind, uint64_t v)
{
	uint64_t h = (v * 4 + kind) * 0x9e3779b97f4a7c15ull;

	return (size_t)(h >> 32) % TYPE_BUCKETS;
}

struct type_node *type_lookup(const struct gotypes *ts, enum type_key kind, uint64_t v,
			      const char *name)
{
	for (struct type_link *l = ts->buckets[bucket(kind, v)]; l; l = l->next)
		if (l->key == v * 4 + kind &&
		    (kind != KEY_NAME || goname_type_equal(name, l->node->pub.name)))
			return l->node;
	return NULL;
}

int type_link(struct gotypes *ts, enum type_key kind, uint64_t v, struct type_node *n)
{
	struct type_link *l = malloc(sizeof(*l)), **head = &ts->buckets[bucket(kind, v)];

	if (!l)
		return -ENOMEM;
	*l = (struct type_link){ v * 4 + kind, n, *head };
	*head = l;
	return 0;
}

struct type_node *type_new(struct gotypes *ts, const char *name)
{
	struct type_node *n;

	if (ts->n_nodes >= MAX_NODES)
		return NULL;
	if (ts->n_nodes == ts->cap) {
		size_t cap = ts->cap ? 2 * ts->cap : 64;
		void *v = realloc(ts->nodes, cap * sizeof(struct type_node *));

		if (!v)
			return NULL;
		ts->nodes = v;
		ts->cap = cap;
	}
	n = calloc(1, sizeof(*n));
	if (!n)
		return NULL;
	n->name = strdup(name);
	if (!n->name) {
		free(n);
		return NULL;
	}
	n->pub.name = n->name;
	ts->nodes[ts->n_nodes++] = n;
	return n;
}

static enum gotype_kind kind_of(unsigned kind)
{
	switch (kind) {
	case RTYPE_BOOL:
		return GOTYPE_BOOL;
	case RTYPE_FLOAT32:
	case RTYPE_FLOAT64:
		return GOTYPE_FLOAT;
	case RTYPE_COMPLEX64:
	case RTYPE_COMPLEX128:
		return GOTYPE_COMPLEX;
	case RTYPE_ARRAY:
		return GOTYPE_ARRAY;
	case RTYPE_CHAN:
		return GOTYPE_CHAN;
	case RTYPE_FUNC:
		return GOTYPE_FUNC;
	case RTYPE_INTERFACE:
		return GOTYPE_INTERFACE;
	case RTYPE_MAP:
		return GOTYPE_MAP;
	case RTYPE_PTR:
	case RTYPE_UNSAFE_PTR:
		return GOTYPE_PTR;
	case RTYPE_SLICE:
		return GOTYPE_SLICE;
	case RTYPE_STRING:
		return GOTYPE_STRING;
	case RTYPE_STRUCT:
		return GOTYPE_STRUCT;
	default:
		if (kind >= RTYPE_INT && kind <= RTYPE_INT64)
			return GOTYPE_INT;
		return kind >= RTYPE_UINT && kind <= RTYPE_UINTPTR ? GOTYPE_UINT : GOTYPE_UNKNOWN;
	}
}

/* Whether @n more fields may be held. */
static bool fields_fit(const struct gotypes *ts, uint64_t n)
{
	uint64_t held = n;

	for (size_t i = 0; i < ts->n_nodes; i++)
		held += ts->nodes[i]->pub.n_fields;
	return held <= MAX_FIELDS;
}

static int fields_of_die(struct gotypes *ts, struct type_node *n)
{
	struct godwarf_field *f;
	size_t count;
	int r = godwarf_fields(ts->dwarf, n->die, &f, &count);

	if (r)
		return r;
	if (fields_fit(ts, count))
		n->fields = calloc(count + 1, sizeof(*n->fields));
	for (size_t i = 0; n->fields && i < count; i++)
		n->fields[i] = (struct type_field){
			.name = f[i].name,
			.die = f[i].type,
			.offset = f[i].offset,
			.embedded = f[i].embedded,
		};
	free(f);
	if (!n->fields)
		return -ENOMEM;
	n->pub.n_fields = count;
	return 0;
}

/* An interface without methods is a runtime.eface. */
static bool is_eface(struct gotypes *ts, uint64_t inner)
{
	struct godwarf_type t;

	return !godwarf_type(ts->dwarf, inner, &t) && !strcmp(t.name, "runtime.eface");
}

struct type_node *type_of_die(struct gotypes *ts, uint64_t die)
{
	struct type_node *n = type_lookup(ts, KEY_DIE, die, NULL);
	struct godwarf_type t;

	if (n || !ts->dwarf || godwarf_type(ts->dwarf, die, &t))
		return n;
	n = type_new(ts, t.name);
	if (!n || type_link(ts, KEY_DIE, die, n))
		return NULL;
	n->die = die;
	n->pub.kind = kind_of(t.kind);
	n->pub.source = GOTYPE_FROM_DWARF;
	n->pub.size = t.size;
	n->pub.count = t.count;
	n->elem_die = t.elem;
	n->key_die = t.key;
	n->inner = t.inner;
	if (t.kind == RTYPE_INTERFACE)
		n->pub.empty = is_eface(ts, t.inner);
	if (t.kind == RTYPE_STRUCT && fields_of_die(ts, n))
		n->pub.kind = GOTYPE_UNKNOWN;
	if (ts->rtypes && t.rtype) {
		struct rtype rt;

		if (!rtype_read(ts->rtypes, rtypes_base(ts->rtypes) + t.rtype, &rt) &&
		    rt.kind == t.kind) {
			n->rt = rt.addr;
			n->rt_known = true;
		}
	}
	return n;
}

static int fields_of_rt(struct gotypes *ts, struct type_node *n, const struct rtype *t)
{
	if (!fields_fit(ts, t->count))
		return -EBADMSG;
	n->fields = calloc(t->count + 1, sizeof(*n->fields));
	if (!n->fields)
		return -ENOMEM;
	for (uint64_t i = 0; i < t->count; i++) {
		struct type_field *out = &n->fields[i];
		struct rtype_field f;
		int r = rtype_field(ts->rtypes, t, i, &f);

		if (r || f.name.len > MAX_NAME)
			return r ? r : -EBADMSG;
		out->owned = strndup(f.name.p, f.name.len);
		if (!out->owned)
			return -ENOMEM;
		out->name = out->owned;
		out->rt = f.type;
		out->offset = f.offset;
		out->embedded = f.embedded;
		n->pub.n_fields++;
	}
	return 0;
}

/* A type of which not all fields can be read has none. */
static void drop_fields(struct type_node *n)
{
	for (size_t i = 0; i < n->pub.n_fields; i++)
		free(n->fields[i].owned);
	free(n->fields);
	n->fields = NULL;
	n->pub.n_fields = 0;
	n->pub.kind = GOTYPE_UNKNOWN;
}

struct type_node *type_of_rt(struct gotypes *ts, uint64_t rt)
{
	struct type_node *n = type_lookup(ts, KEY_RT, rt, NULL);
	struct rtype t;
	char *name;

	if (n || !ts->rtypes || rtype_read(ts->rtypes, rt, &t))
		return n;
	name = rtype_name(ts->rtypes, rt);
	n = type_new(ts, name ? name : "");
	free(name);
	if (!n || type_link(ts, KEY_RT, rt, n))
		return NULL;
	n->rt = rt;
	n->rt_known = true;
	n->pub.kind = kind_of(t.kind);
	n->pub.source = GOTYPE_FROM_RTYPE;
	n->pub.size = t.size;
	n->pub.count = t.kind == RTYPE_ARRAY ? t.count : 0;
	n->pub.empty = t.kind == RTYPE_INTERFACE && t.count == 0;
	n->elem_rt = t.elem;
	n->key_rt = t.key;
	if (t.kind == RTYPE_STRUCT && fields_of_rt(ts, n, &t))
		drop_fields(n);
	return n;
}

static uint64_t descriptor(struct gotypes *ts, struct type_node *n, int depth)
{
	if (n->rt_known || !ts->rtypes || depth > MAX_POINTERS)
		return n->rt;
	n->rt_known = true;
	if (n->pub.kind == GOTYPE_PTR && n->pub.name[0] == '*') {
		const struct gotype *elem = gotypes_elem(ts, &n->pub);
		uint64_t rt = elem ? descriptor(ts, (struct type_node *)elem, depth + 1) : 0;

		n->rt = rt ? rtypes_pointer_to(ts->rtypes, rt) : 0;
	} else if (n->pub.kind == GOTYPE_MAP && !strncmp(n->pub.name, "map[", 4)) {
		n->rt = rtypes_find_map(ts->rtypes, n->pub.name);
	} else {
		n->rt = rtypes_find(ts->rtypes, n->pub.name);
	}
	return n->rt;
}

uint64_t type_descriptor(struct gotypes *ts, struct type_node *n)
{
	return descriptor(ts, n, 0);
}
