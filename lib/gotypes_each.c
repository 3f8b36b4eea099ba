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

static int visit_descriptor(void *arg, uint64_t addr)
{
	struct visit *v = arg;
	struct rtype t;
	char *name;
	int ret;

	if (rtype_read(v->ts->rtypes, addr, &t) || t.kind != RTYPE_STRUCT)
		return 0;
	name = rtype_name(v->ts->rtypes, addr);
	ret = name ? v->fn(v->arg, name) : 0;
	free(name);
	return ret;
}

int gotypes_each(struct gotypes *ts, int (*fn)(void *arg, const char *name), void *arg)
{
	struct visit v = { ts, fn, arg };

	if (ts->dwarf)
		return godwarf_each_struct(ts->dwarf, visit_die, &v);
	return ts->rtypes ? rtypes_each(ts->rtypes, visit_descriptor, &v) : 0;
}
