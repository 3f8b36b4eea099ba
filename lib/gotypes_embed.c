// SPDX-License-Identifier: Apache-2.0
/* Types that embed an interface, by the runtime's descriptors. */
#include <string.h>

#include "gotypes_internal.h"
#include "rtype.h"

#define MAX_EMBEDDED 4 /* structs within each other on the way */
#define WORD	     8

struct search {
	struct rtypes *rs;
	uint64_t iface; /* descriptor of the interface that is looked for */
	int (*fn)(void *arg, const struct gotype_embedding *e);
	void *arg;
};

/* Looks into the struct @t, which begins at e->offset; completes @e. */
static bool find(const struct search *s, const struct rtype *t, unsigned int depth,
		 struct gotype_embedding *e)
{
	const uint64_t start = e->offset;
	struct rtype_field f;
	struct rtype in;

	if (t->kind != RTYPE_STRUCT || depth > MAX_EMBEDDED)
		return false;
	for (uint64_t i = 0; i < t->count; i++) {
		if (rtype_field(s->rs, t, i, &f) || !f.embedded)
			continue;
		e->offset = start + f.offset;
		if (f.type == s->iface)
			return true;
		if (rtype_read(s->rs, f.type, &in))
			continue;
		if (in.kind == RTYPE_STRUCT && find(s, &in, depth + 1, e))
			return true;
		if (in.kind != RTYPE_PTR || e->has_via || rtype_read(s->rs, in.elem, &in))
			continue;
		e->has_via = true;
		e->via = start + f.offset;
		e->offset = 0;
		if (find(s, &in, depth + 1, e))
			return true;
		e->has_via = false;
	}
	return false;
}

/* Says so for the type at @addr and for the pointer to it. */
static int tell(const struct search *s, uint64_t addr, const struct rtype *t,
		struct gotype_embedding *e)
{
	uint64_t ptr = rtypes_pointer_to(s->rs, addr);
	int ret = 0;

	e->descriptor = ptr;
	if (ptr)
		ret = s->fn(s->arg, e);
	/* A struct of one pointer would be the interface's word itself. */
	e->descriptor = addr;
	return ret || t->size <= WORD ? ret : s->fn(s->arg, e);
}

static int visit(void *arg, uint64_t addr)
{
	const struct search *s = arg;
	struct gotype_embedding e = { .descriptor = 0 };
	struct rtype t;

	if (rtype_read(s->rs, addr, &t) || !find(s, &t, 0, &e))
		return 0;
	return tell(s, addr, &t, &e);
}

int gotypes_each_embedding(struct gotypes *ts, const char *name,
			   int (*fn)(void *arg, const struct gotype_embedding *e), void *arg)
{
	struct search s = { .rs = ts->rtypes, .fn = fn, .arg = arg };

	s.iface = s.rs ? rtypes_find(s.rs, name) : 0;
	return s.iface ? rtypes_each(s.rs, visit, &s) : 0;
}

int gotypes_each_holder(struct gotypes *ts, const char *type, const char *field,
			int (*fn)(void *arg, const struct gotype_embedding *e), void *arg)
{
	struct search s = { .rs = ts->rtypes, .fn = fn, .arg = arg };
	struct gotype_embedding e = { .descriptor = 0 };
	uint64_t addr = s.rs ? rtypes_find(s.rs, type) : 0;
	struct rtype_field f;
	struct rtype t;

	if (!addr || rtype_read(s.rs, addr, &t) || t.kind != RTYPE_STRUCT)
		return 0;
	for (uint64_t i = 0; i < t.count; i++) {
		if (rtype_field(s.rs, &t, i, &f) || f.name.len != strlen(field) ||
		    memcmp(f.name.p, field, f.name.len))
			continue;
		e.offset = f.offset;
		return tell(&s, addr, &t, &e);
	}
	return 0;
}
