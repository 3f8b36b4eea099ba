/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks at every part of what the readers of Go binaries give, for their fuzz
 * targets: each error must have a text, each function be in the file and be found
 * again by its address, each field be readable.
 */
#ifndef GOTAP_TOUCH_H
#define GOTAP_TOUCH_H

#include <stdlib.h>
#include <string.h>

#include "goargs.h"
#include "gobin.h"
#include "gofuncs.h"
#include "gotypes.h"
#include "inltree.h"

static volatile uint64_t sink;

static inline void touch(const char *s)
{
	sink += strlen(s);
}

static inline void touch_file(const struct gobin *b)
{
	const struct gobin_buildinfo *info = gobin_buildinfo(b);
	const struct gobin_section *secs;
	size_t n = gobin_sections(b, &secs);

	touch(info->go);
	touch(info->path);
	touch(info->module);
	touch(info->module_version);
	for (size_t i = 0; i < info->n_deps; i++) {
		touch(info->deps[i].path);
		touch(info->deps[i].version);
	}
	touch(gobin_id(b));
	touch(gobin_go_build_id(b));
	touch(gobin_gnu_build_id(b));
	for (size_t i = 0; i < n; i++) {
		const uint8_t *p = gobin_section_data(b, &secs[i]);

		touch(secs[i].name);
		if (p && secs[i].size)
			sink += p[0] + p[secs[i].size - 1];
	}
}

static inline int touch_inlined(void *fs, const struct inlined *call)
{
	touch(call->name);
	if (gofuncs_at(fs, call->in->entry) != call->in)
		abort();
	sink += call->addr;
	return 0;
}

static inline void touch_funcs(struct gobin *b)
{
	struct errinfo e = { "" };
	struct gofuncs *fs;
	uint64_t last = 0;

	if (gofuncs_load(b, &fs, &e)) {
		if (!e.text[0])
			abort();
		return;
	}
	for (size_t i = 0; i < gofuncs_count(fs); i++) {
		const struct gofunc *f = gofuncs_get(fs, i), *found[4];
		const uint8_t *p = gobin_at(b, f->entry, f->end - f->entry);

		if (!p || f->entry < last || f->end <= f->entry ||
		    f->deferreturn > f->end - f->entry)
			abort();
		sink += p[0] + p[f->end - f->entry - 1];
		last = f->end;
		touch(f->name);
		if (gofuncs_at(fs, f->end - 1) != f)
			abort();
		if (i < 16) {
			sink += gofuncs_find(fs, f->name, found, 4);
			sink += gofuncs_match("a*b?*c", f->name);
		}
	}
	gofuncs_free(fs);
}

static inline void touch_inlining(struct gobin *b)
{
	struct errinfo e = { "" };
	struct gofuncs *fs;

	if (gofuncs_load(b, &fs, &e))
		return;
	e.text[0] = '\0';
	if (inltree_each(b, fs, touch_inlined, fs, &e) && !e.text[0])
		abort();
	gofuncs_free(fs);
}

static inline void touch_type(struct gotypes *ts, const struct gotype *t, int depth)
{
	struct errinfo e = { "" };
	struct gomap_layout l;

	if (!t || depth > 4)
		return;
	touch(t->name);
	touch(gotype_kind_name(t->kind));
	sink += gotypes_descriptor(ts, t);
	touch_type(ts, gotypes_elem(ts, t), depth + 1);
	touch_type(ts, gotypes_key(ts, t), depth + 1);
	sink += (uint64_t)gotypes_map_layout(ts, t, &l, &e);
	for (size_t i = 0; i < t->n_fields && i < 8; i++) {
		struct gofield f, g;

		if (gotypes_field_at(ts, t, i, &f))
			abort();
		touch(f.name);
		sink += (uint64_t)gotypes_field(ts, t, f.name, &g, &e);
		touch_type(ts, f.type, depth + 1);
	}
}

struct type_names {
	char *name[24];
	size_t n;
};

static inline int keep_name(void *arg, const char *name)
{
	struct type_names *names = arg;

	names->name[names->n++] = strdup(name);
	return names->n == sizeof(names->name) / sizeof(names->name[0]);
}

static inline void touch_each(struct gotypes *ts)
{
	struct type_names names = { .n = 0 };

	gotypes_each(ts, keep_name, &names);
	for (size_t i = 0; i < names.n; i++) {
		touch_type(ts, gotypes_find(ts, names.name[i]), 2);
		free(names.name[i]);
	}
}

static inline void touch_args(struct gotypes *ts, struct gobin *b, uint64_t entry)
{
	struct goarg *args;
	size_t n;

	if (goargs_load(ts, gobin_arch(b), entry, &args, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		touch(args[i].name);
		touch(args[i].type->name);
		if (args[i].slot.n > GOABI_MAX_PIECES || (args[i].available && !args[i].placed))
			abort();
		for (size_t j = 0; j < args[i].slot.n; j++)
			sink += args[i].slot.piece[j].reg;
	}
	free(args);
}

/* Types, and the arguments of the functions at @entries. */
static inline void touch_types(struct gobin *b, const uint64_t *entries, size_t n_entries)
{
	static const char *const names[] = {
		"main.T",
		"*main.T",
		"string",
		"map[string][]string",
		"[]main.T",
		"[9]*main.T",
		"main.H",
		"internal/runtime/maps.Map",
		"map[string]main.T",
		"net/http.Request",
		"main.Inner",
		"main.Shape",
		"*runtime.g",
		"error",
		"map[string][]string",
		"runtime.hmap",
		"x",
	};
	struct errinfo e = { "" };
	struct gotypes *ts;

	if (gotypes_open(b, &ts, &e)) {
		if (!e.text[0])
			abort();
		return;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		touch_type(ts, gotypes_find(ts, names[i]), 0);
	touch_each(ts);
	for (size_t i = 0; i < n_entries; i++)
		touch_args(ts, b, entries[i]);
	gotypes_free(ts);
}

#endif
