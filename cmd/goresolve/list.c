// SPDX-License-Identifier: Apache-2.0
#include "list.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "emit.h"
#include "record.h"
#include "resolve.h"
#include "show.h"

/* A function, taken apart. */
struct listed {
	const struct gofunc *f;
	struct code *code;
	struct site entry, *exits, *calls;
	struct inlined_name inlined;
	int n_exits, n_calls; /* -errno: cannot be told */
	struct errinfo e;
};

static void listed_release(struct listed *l)
{
	free(l->exits);
	free(l->calls);
	code_free(l->code);
}

/* 0 or -ENOMEM; that a function cannot be taken apart is in n_exits. */
static int take_apart(const struct binary *b, const struct gofunc *f, struct listed *l)
{
	*l = (struct listed){ .f = f };
	if (!f->wrapper)
		l->inlined = inlining_find(b->inlining, f->name);
	l->n_exits = binary_code(b, f, &l->code, &l->e);
	if (l->n_exits)
		return l->n_exits == -ENOMEM ? -ENOMEM : 0;
	l->n_calls = code_calls(l->code, NULL, NULL, 0);
	l->n_exits = code_exits(l->code, NULL, 0, &l->e);
	l->calls = calloc((size_t)l->n_calls + 1, sizeof(*l->calls));
	l->exits = calloc(l->n_exits > 0 ? (size_t)l->n_exits : 1, sizeof(*l->exits));
	if (!l->calls || !l->exits)
		return -ENOMEM;
	code_entry(l->code, false, &l->entry);
	code_calls(l->code, NULL, l->calls, (size_t)l->n_calls);
	if (l->n_exits > 0)
		code_exits(l->code, l->exits, (size_t)l->n_exits, NULL);
	return 0;
}

static void show(const struct listed *l)
{
	const struct gofunc *f = l->f;

	printf("0x%-12" PRIx64 " %8" PRIu64 " ", f->entry, f->end - f->entry);
	if (l->n_exits < 0)
		printf("%-14s ", code_reason(l->n_exits));
	else
		printf("%3d way%s out   ", l->n_exits, l->n_exits == 1 ? " " : "s");
	show_text(f->name);
	fputs(f->wrapper ? "  (wrapper)" : f->abi0 ? "  (assembly)" : "", stdout);
	if (l->inlined.n)
		printf("  (%zu inlined call%s)", l->inlined.n, l->inlined.n == 1 ? "" : "s");
	putchar('\n');
}

static void site(struct jsonw *w, const struct binary *b, const struct site *s)
{
	const struct gofunc *f = s->target ? gofuncs_at(b->funcs, s->target) : NULL;

	jsonw_obj(w, NULL);
	emit_place(w, b, s, NULL);
	if (f && f->entry == s->target && s->at != SITE_RET)
		jsonw_cstr(w, K_TARGET, f->name);
	jsonw_end_obj(w);
}

static void record(struct jsonw *w, const struct binary *b, const struct listed *l)
{
	jsonw_record(w, T_FUNCTION);
	jsonw_cstr(w, K_BINARY, gobin_id(b->bin));
	jsonw_cstr(w, K_PATH, b->path);
	jsonw_cstr(w, K_ARCH, gobin_arch_name(b->bin));
	jsonw_cstr(w, K_SYMBOL, l->f->name);
	jsonw_addr(w, K_ADDR, l->f->entry);
	jsonw_uint(w, K_SIZE, l->f->end - l->f->entry);
	if (l->f->wrapper)
		jsonw_bool(w, K_WRAPPER, true);
	if (l->f->abi0)
		jsonw_bool(w, K_ASSEMBLY, true);
	if (l->code)
		jsonw_bool(w, K_CHECK, code_has_check(l->code));
	if (l->n_exits < 0) {
		jsonw_cstr(w, K_REASON, code_reason(l->n_exits));
		jsonw_cstr(w, K_DETAIL, l->e.text);
	}
	if (l->inlined.n)
		emit_inlined(w, &l->inlined);
	jsonw_arr(w, K_SITES);
	if (l->code)
		site(w, b, &l->entry);
	for (int i = 0; i < l->n_exits; i++)
		site(w, b, &l->exits[i]);
	for (int i = 0; i < l->n_calls; i++)
		site(w, b, &l->calls[i]);
	jsonw_end_arr(w);
	jsonw_end_record(w);
}

static void list_bodiless(const struct binary *b, const struct inlined_name *n, struct jsonw *w)
{
	char where[320];

	if (!w) {
		inlining_text(n, where, sizeof(where));
		printf("%-14s %8s %-14s ", "-", "-", "inlined");
		show_text(n->name);
		fputs("  in ", stdout);
		show_text(where);
		putchar('\n');
		return;
	}
	jsonw_record(w, T_FUNCTION);
	jsonw_cstr(w, K_BINARY, gobin_id(b->bin));
	jsonw_cstr(w, K_PATH, b->path);
	jsonw_cstr(w, K_ARCH, gobin_arch_name(b->bin));
	jsonw_cstr(w, K_SYMBOL, n->name);
	jsonw_cstr(w, K_REASON, "inlined");
	emit_inlined(w, n);
	jsonw_end_record(w);
}

/* Those that have no code of their own any more. */
static size_t list_inlined(const struct binary *b, const char *pattern, struct jsonw *w)
{
	const struct inlined_name *names;
	const struct gofunc *f;
	size_t n = inlining_names(b->inlining, &names), matches = 0;

	for (size_t i = 0; i < n; i++) {
		if (!gofuncs_match(pattern, names[i].name) ||
		    gofuncs_find(b->funcs, names[i].name, &f, 1))
			continue;
		list_bodiless(b, &names[i], w);
		matches++;
	}
	return matches;
}

int list_functions(const struct binary *b, const char *pattern, struct jsonw *w, size_t *matches)
{
	int ret = 0;

	*matches = 0;
	for (size_t i = 0; !ret && i < gofuncs_count(b->funcs); i++) {
		const struct gofunc *f = gofuncs_get(b->funcs, i);
		struct listed l;

		if (!gofuncs_match(pattern, f->name))
			continue;
		++*matches;
		ret = take_apart(b, f, &l);
		if (!ret && w)
			record(w, b, &l);
		else if (!ret)
			show(&l);
		listed_release(&l);
	}
	if (!ret)
		*matches += list_inlined(b, pattern, w);
	return ret;
}
