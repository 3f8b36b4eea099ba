// SPDX-License-Identifier: Apache-2.0
/* All struct types that have a name. */
#include <stdlib.h>

#include "dwarf_layout.h"
#include "gotypes_internal.h"
#include "rtype.h"

struct visit {
	struct gotypes *ts;
	int (*fn)(void *arg, const char *name);
	void *arg;
};

static int visit_die(void *arg, uint64_t type, const char *name)
{
	struct visit *v = arg;

	(void)type;
	return v->fn(v->arg, name);
}

/* Debugging information leaves out what only reflection uses. */
static bool only_descriptor(struct gotypes *ts, const char *name)
{
	const struct gotype *t = ts->dwarf ? gotypes_find(ts, name) : NULL;

	return !ts->dwarf || (t && t->source == GOTYPE_FROM_RTYPE);
}

static int visit_descriptor(void *arg, uint64_t addr)
{
	struct visit *v = arg;
	struct rtype t;
	char *name;
	int ret;

	if (rtype_read(v->ts->rtypes, addr, &t) || t.kind != RTYPE_STRUCT)
		return 0;
	name = rtype_name(v->ts->rtypes, addr);
	ret = name && only_descriptor(v->ts, name) ? v->fn(v->arg, name) : 0;
	free(name);
	return ret;
}

int gotypes_each(struct gotypes *ts, int (*fn)(void *arg, const char *name), void *arg)
{
	struct visit v = { ts, fn, arg };
	int ret = ts->dwarf ? godwarf_each_struct(ts->dwarf, visit_die, &v) : 0;

	return ret || !ts->rtypes ? ret : rtypes_each(ts->rtypes, visit_descriptor, &v);
}
