// SPDX-License-Identifier: Apache-2.0
#include "plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const op_names[] = { "arg", "g",    "ctx",	"sp",	 "kept", "load",
					"add", "itab", "eface", "slice", "map",	 "elem" };

const char *plan_op_name(enum op_code code)
{
	return op_names[code];
}

/* Grows an array by one zeroed element; room doubles. */
static void *append(struct plan *p, void *array, size_t *n, size_t size)
{
	void **base = array;
	char *at = *base;

	if (!(*n & (*n - 1))) { /* 0 and powers of two: full */
		at = realloc(*base, (*n ? *n * 2 : 1) * size);
		if (!at) {
			p->err = -ENOMEM;
			return NULL;
		}
		*base = at;
	}
	at += *n * size;
	memset(at, 0, size);
	++*n;
	return at;
}

static void probe_release(struct probe *pr)
{
	free(pr->owned_scope);
	free(pr->sites);
	free(pr->captures);
	free(pr->fields);
	free(pr->contexts);
	free(pr->foreign);
}

void plan_drain(struct plan *p)
{
	for (size_t i = 0; i < p->n_probes; i++)
		probe_release(&p->probes[i]);
	for (size_t i = 0; i < p->n_owned; i++) {
		free(p->owned[i]->name);
		recipe_path_release(&p->owned[i]->path);
		free(p->owned[i]);
	}
	p->n_probes = p->n_skips = p->n_owned = 0;
}

void plan_release(struct plan *p)
{
	plan_drain(p);
	free(p->probes);
	free(p->skips);
	free(p->doubts);
	free(p->owned);
	memset(p, 0, sizeof(*p));
}

struct probe *plan_add_probe(struct plan *p)
{
	return append(p, &p->probes, &p->n_probes, sizeof(*p->probes));
}

struct skip *plan_add_skip(struct plan *p)
{
	return append(p, &p->skips, &p->n_skips, sizeof(*p->skips));
}

struct recipe_capture *plan_own_capture(struct plan *p)
{
	struct recipe_capture **slot = append(p, &p->owned, &p->n_owned, sizeof(*p->owned));

	if (!slot)
		return NULL;
	*slot = calloc(1, sizeof(**slot));
	if (!*slot) {
		p->n_owned--;
		p->err = -ENOMEM;
		return NULL;
	}
	return *slot;
}

void plan_drop_probe(struct plan *p)
{
	probe_release(&p->probes[--p->n_probes]);
}

struct plan_site *probe_add_site(struct plan *p, struct probe *pr)
{
	return append(p, &pr->sites, &pr->n_sites, sizeof(*pr->sites));
}

struct plan_capture *probe_add_capture(struct plan *p, struct probe *pr)
{
	return append(p, &pr->captures, &pr->n_captures, sizeof(*pr->captures));
}

struct plan_context *probe_add_context(struct plan *p, struct probe *pr)
{
	return append(p, &pr->contexts, &pr->n_contexts, sizeof(*pr->contexts));
}

struct plan_foreign *probe_add_foreign(struct plan *p, struct probe *pr)
{
	return append(p, &pr->foreign, &pr->n_foreign, sizeof(*pr->foreign));
}

static bool has_field(const struct plan_field *fields, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(fields[i].name, name))
			return true;
	return false;
}

void probe_add_field(struct plan *p, struct probe *pr, const char *name, const struct gofield *from)
{
	struct plan_field *f;

	if (has_field(pr->fields, pr->n_fields, name))
		return;
	f = append(p, &pr->fields, &pr->n_fields, sizeof(*pr->fields));
	if (!f)
		return;
	snprintf(f->name, sizeof(f->name), "%s", name);
	f->offset = from->offset;
	f->source = from->source;
	f->assumed = from->assumed;
}

bool plan_doubt(struct plan *p, const char *type, const char *field)
{
	struct plan_field f = { .name = "" }, *new;

	snprintf(f.name, sizeof(f.name), "%s.%s", type, field);
	if (has_field(p->doubts, p->n_doubts, f.name))
		return false;
	new = append(p, &p->doubts, &p->n_doubts, sizeof(*p->doubts));
	if (new)
		*new = f;
	return true;
}

/* FNV-1a, 64 bits, the terminating NUL included. */
static uint64_t hash(uint64_t h, const char *s)
{
	do {
		h ^= (unsigned char)*s;
		h *= 0x100000001b3;
	} while (*s++);
	return h;
}

void probe_set_id(struct probe *pr, const char *binary)
{
	char entry[24];
	uint64_t h = 0xcbf29ce484222325;

	/* Several bodies can share a name: the address tells them apart. */
	snprintf(entry, sizeof(entry), "%" PRIx64, pr->entry);
	h = hash(h, binary);
	h = hash(h, pr->recipe);
	h = hash(h, pr->span);
	h = hash(h, pr->role ? pr->role : "span");
	h = hash(h, pr->symbol);
	h = hash(h, entry);
	snprintf(pr->id, sizeof(pr->id), "%016" PRIx64, h);
}
