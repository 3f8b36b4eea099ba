// SPDX-License-Identifier: Apache-2.0
/* Spans that the program makes itself: where they have what, and which contexts hold them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "resolve.h"

struct holding {
	struct plan *plan;
	struct probe *pr;
};

/* A context that may hold anything, whether it leads to another one or not. */
static int hold(void *arg, const struct gotype_embedding *e)
{
	const struct holding *h = arg;
	struct plan_context *c = NULL;

	if (!e->offset || e->has_via)
		return 0;
	for (size_t i = 0; i < h->pr->n_contexts && !c; i++)
		if (h->pr->contexts[i].descriptor == e->descriptor)
			c = &h->pr->contexts[i];
	if (c)
		c->value = e->offset;
	return 0;
}

/*
 * Follows fields of fields, and one pointer on the way, whose place *@via gets then.
 * -ENOENT with the name of the field that is missing in @name.
 */
static int follow(const struct binary *b, const struct gotype *t, const char *path, uint64_t *off,
		  uint64_t *via, bool *has_via, struct gofield *last, char *name, size_t size)
{
	char field[64];

	snprintf(name, size, "%s", t->name);
	*off = 0;
	while (*path) {
		size_t n = strcspn(path, "."), len = strlen(name);

		if (n >= sizeof(field))
			return -ENOENT;
		memcpy(field, path, n);
		field[n] = '\0';
		snprintf(name + len, size - len, ".%s", field);
		if (t->kind == GOTYPE_PTR && !*has_via) {
			*has_via = true;
			*via = *off;
			*off = 0;
			t = gotypes_elem(b->types, t);
		}
		if (!t || t->kind != GOTYPE_STRUCT ||
		    gotypes_field(b->types, t, field, last, NULL) == -ENOENT)
			return -ENOENT;
		*off += last->offset;
		t = last->type;
		path += n + (path[n] == '.');
	}
	return 0;
}

static void skip_foreign(const struct recipe *r, struct plan *plan, const char *field)
{
	struct skip *k = plan_add_skip(plan);

	if (!k)
		return;
	k->recipe = r->name;
	k->reason = "offset-unknown";
	snprintf(k->field, sizeof(k->field), "%s", field);
	snprintf(k->detail, sizeof(k->detail), "spans that the program makes itself are not seen");
}

static int find(const struct binary *b, const struct recipe *r, const struct recipe_foreign *f,
		struct plan *plan, struct probe *pr)
{
	const struct gotype *t = gotypes_find(b->types, f->type), *ptr;
	struct plan_foreign got = { .descriptor = 0 }, *out;
	char name[192];

	if (!t || t->kind != GOTYPE_STRUCT)
		return 0;
	snprintf(name, sizeof(name), "*%s", f->type);
	ptr = gotypes_find(b->types, name);
	got.descriptor = ptr ? gotypes_descriptor(b->types, ptr) : 0;
	if (!got.descriptor)
		return 0;
	for (int i = 0; i < FOREIGN_PATHS; i++) {
		struct gofield last;
		uint64_t via = 0;
		bool has_via = false;

		if (follow(b, t, f->path[i], &got.at[i], &via, &has_via, &last, name,
			   sizeof(name)) ||
		    (has_via && i != FOREIGN_SCOPE)) {
			skip_foreign(r, plan, name);
			return 0;
		}
		last.offset = got.at[i];
		probe_add_field(plan, pr, name, &last);
		got.has_via = has_via;
		got.via = via;
	}
	out = probe_add_foreign(plan, pr);
	if (out)
		*out = got;
	return out != NULL;
}

void plan_foreign(const struct binary *b, const struct recipe *r, struct plan *plan,
		  struct probe *pr)
{
	struct holding h = { plan, pr };
	int found = 0;

	for (size_t i = 0; i < r->n_foreign; i++)
		found |= find(b, r, &r->foreign[i], plan, pr);
	for (size_t i = 0; found && i < r->n_holders; i++)
		gotypes_each_holder(b->types, r->holders[i].type, r->holders[i].field, hold, &h);
}
