// SPDX-License-Identifier: Apache-2.0
/*
 * The readers of Go binaries: any bytes give an error with a text, or functions
 * and types of which every part can be looked at. A seed is written by
 * build/tests/unit/gobin --seed FLAGS > FILE.
 */
#include <stdlib.h>
#include <string.h>

#include "gobin.h"
#include "gofuncs.h"
#include "gotypes.h"
#include "inltree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sink;

static void touch(const char *s)
{
	sink += strlen(s);
}

static void touch_file(const struct gobin *b)
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

static int touch_inlined(void *fs, const struct inlined *call)
{
	touch(call->name);
	if (gofuncs_at(fs, call->in->entry) != call->in)
		abort();
	sink += call->addr;
	return 0;
}

static void touch_funcs(struct gobin *b)
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
	e.text[0] = '\0';
	if (inltree_each(b, fs, touch_inlined, fs, &e) && !e.text[0])
		abort();
	gofuncs_free(fs);
}

static void touch_type(struct gotypes *ts, const struct gotype *t, int depth)
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

static void touch_types(struct gobin *b)
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
	gotypes_free(ts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct errinfo e = { "" };
	struct gobin *b;
	uint64_t w;

	if (gobin_open_image(data, size, &b, &e)) {
		if (!e.text[0])
			abort();
		return 0;
	}
	touch_file(b);
	touch_funcs(b);
	touch_types(b);
	sink += (uint64_t)gobin_word(b, 0x400408, &w);
	gobin_free(b);
	return 0;
}
