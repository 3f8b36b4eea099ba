// SPDX-License-Identifier: Apache-2.0
#include "verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice.h"
#include "record.h"
#include "show.h"

#define DETAIL_MAX 640

struct verdict {
	const struct binary *b;
	const struct plan *plan;
};

/* Whether the program has code of package @scope, under its own path or vendored. */
static bool has_package(const struct binary *b, const char *scope)
{
	char pattern[512];
	int n = snprintf(pattern, sizeof(pattern), "%s.*", scope);

	if (n < 0 || (size_t)n >= sizeof(pattern))
		return true;
	for (size_t i = 0; i < gofuncs_count(b->funcs); i++)
		if (gofuncs_match(pattern, gofuncs_get(b->funcs, i)->name))
			return true;
	return false;
}

/* The version of the module that @scope is in; "" for the standard library's. */
static const char *module_version(const struct binary *b, const char *scope)
{
	const struct gobin_buildinfo *info = gobin_buildinfo(b->bin);
	const char *version = "";
	size_t longest = 0; /* modules may stand within each other */

	for (size_t i = 0; i < info->n_deps; i++) {
		size_t n = strlen(info->deps[i].path);

		if (n > longest && !strncmp(scope, info->deps[i].path, n) &&
		    (!scope[n] || scope[n] == '/')) {
			version = info->deps[i].version;
			longest = n;
		}
	}
	return version;
}

/* Whether @scope is a package that comes with Go: no dot in the first element. */
static bool is_standard(const struct binary *b, const char *scope)
{
	const char *module = gobin_buildinfo(b->bin)->module;
	size_t first = strcspn(scope, "/"), n = strlen(module);

	return !memchr(scope, '.', first) && strcmp(scope, "main") != 0 &&
	       (!n || strncmp(scope, module, n) != 0);
}

/* What a skip means for the user: its reason, but for a library that is not there. */
static const char *reason_of(const struct verdict *v, const struct skip *k, char *detail,
			     size_t len)
{
	const char *scope = k->scope;

	snprintf(detail, len, "%s", k->detail);
	if (!scope || strcmp(k->reason, "not-found"))
		return k->reason;
	if (!has_package(v->b, scope)) {
		snprintf(detail, len, "%s is not in the program", scope);
		return "absent";
	}
	/* Recipes know every part of the standard library up to this version. */
	if (is_standard(v->b, scope) && !binary_go_at_least(v->b, "1.28")) {
		snprintf(detail, len, "%s is in the program, but not that part of it", scope);
		return "absent";
	}
	if (module_version(v->b, scope)[0])
		snprintf(detail, len, "%.100s %.60s is not a version that the recipe knows%s%s",
			 scope, module_version(v->b, scope), k->detail[0] ? ": " : "", k->detail);
	return k->reason;
}

/* Probes with a role belong to others. */
static size_t traced(const struct plan *plan)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->n_probes; i++)
		n += !plan->probes[i].role;
	return n;
}

static const char *word(const struct verdict *v)
{
	char detail[DETAIL_MAX];

	if (!traced(v->plan))
		return "nothing";
	for (size_t i = 0; i < v->plan->n_skips; i++)
		if (strcmp(reason_of(v, &v->plan->skips[i], detail, sizeof(detail)), "absent") != 0)
			return "partly";
	return "traced";
}

static size_t emulated(const struct probe *pr)
{
	size_t n = 0;

	for (size_t i = 0; i < pr->n_sites; i++)
		n += pr->sites[i].site.emulated;
	return n;
}

static void maybe(struct jsonw *w, const char *key, const char *s)
{
	if (s && s[0])
		jsonw_cstr(w, key, s);
}

static void put_head(struct jsonw *w, const char *binary, const char *path, long pid)
{
	jsonw_record(w, T_REPORT);
	if (pid)
		jsonw_int(w, K_PID, pid);
	maybe(w, K_BINARY, binary);
	maybe(w, K_PATH, path);
}

static void put_traced(struct jsonw *w, const struct probe *pr)
{
	jsonw_obj(w, NULL);
	jsonw_cstr(w, K_RECIPE, pr->recipe);
	jsonw_cstr(w, K_SPAN, pr->span);
	jsonw_cstr(w, K_SYMBOL, pr->symbol);
	jsonw_uint(w, K_COUNT, pr->n_sites);
	jsonw_uint(w, K_EMULATED, emulated(pr));
	if (pr->inlined)
		jsonw_uint(w, K_INLINED, pr->inlined);
	jsonw_end_obj(w);
}

static void put_left_out(struct jsonw *w, const struct verdict *v, const struct skip *k)
{
	char detail[DETAIL_MAX];
	const char *reason = reason_of(v, k, detail, sizeof(detail));

	jsonw_obj(w, NULL);
	maybe(w, K_RECIPE, k->recipe);
	maybe(w, K_SPAN, k->span);
	maybe(w, K_SYMBOL, k->symbol);
	maybe(w, K_FIELD, k->field);
	jsonw_cstr(w, K_REASON, reason);
	maybe(w, K_DETAIL, detail);
	maybe(w, K_ADVICE, advice_for(reason));
	jsonw_end_obj(w);
}

static void put_record(const struct verdict *v, long pid, struct jsonw *w)
{
	const struct gobin_buildinfo *info = gobin_buildinfo(v->b->bin);
	const struct plan *plan = v->plan;

	put_head(w, gobin_id(v->b->bin), v->b->path, pid);
	jsonw_cstr(w, K_ARCH, gobin_arch_name(v->b->bin));
	maybe(w, K_GO, info->go);
	maybe(w, K_MODULE, info->module);
	jsonw_cstr(w, K_VERDICT, word(v));
	jsonw_arr(w, K_TRACED);
	for (size_t i = 0; i < plan->n_probes; i++)
		if (!plan->probes[i].role)
			put_traced(w, &plan->probes[i]);
	jsonw_end_arr(w);
	jsonw_arr(w, K_LEFT_OUT);
	for (size_t i = 0; i < plan->n_skips; i++)
		put_left_out(w, v, &plan->skips[i]);
	jsonw_end_arr(w);
	jsonw_end_record(w);
}

static void show_subject(const char *path, long pid)
{
	if (pid)
		printf("%ld ", pid);
	show_text(path);
}

static void show_or(const char *before, const char *s)
{
	if (!s || !s[0])
		return;
	fputs(before, stdout);
	show_text(s);
}

static void show_traced(const struct probe *pr)
{
	size_t cheap = emulated(pr);

	printf("  traced    %-20s ", pr->span);
	show_text(pr->symbol);
	printf("  (%zu place%s, %zu cheap", pr->n_sites, pr->n_sites == 1 ? "" : "s", cheap);
	if (pr->inlined)
		printf("; %zu inlined call%s not seen", pr->inlined, pr->inlined == 1 ? "" : "s");
	puts(")");
}

static void show_left_out(const struct verdict *v, const struct skip *k)
{
	char detail[DETAIL_MAX];
	const char *reason = reason_of(v, k, detail, sizeof(detail));

	printf("  left out  %-20s ", k->span ? k->span : "-");
	show_text(k->symbol ? k->symbol : "");
	show_or(k->symbol ? " " : "", k->field);
	printf("  %s", reason);
	show_or(": ", detail);
	show_or("\n            what to do: ", advice_for(reason));
	putchar('\n');
}

static void show(const struct verdict *v, long pid)
{
	const struct gobin_buildinfo *info = gobin_buildinfo(v->b->bin);
	const char *verdict = word(v);

	show_subject(v->b->path, pid);
	printf(": %s (", !strcmp(verdict, "nothing")  ? "nothing will be traced"
			 : !strcmp(verdict, "partly") ? "will be traced, but for what is left out"
						      : "will be traced");
	show_text(info->go);
	show_or(" ", gobin_arch_name(v->b->bin));
	show_or(", ", info->module);
	puts(")");
	for (size_t i = 0; i < v->plan->n_probes; i++)
		if (!v->plan->probes[i].role)
			show_traced(&v->plan->probes[i]);
	for (size_t i = 0; i < v->plan->n_skips; i++)
		show_left_out(v, &v->plan->skips[i]);
}

bool verdict_plan(const struct binary *b, const struct plan *plan, long pid, struct jsonw *w)
{
	struct verdict v = { b, plan };

	if (w)
		put_record(&v, pid, w);
	else
		show(&v, pid);
	return traced(plan) > 0;
}

void verdict_refused(const char *binary, const char *path, long pid, const char *reason,
		     const char *detail, struct jsonw *w)
{
	if (!w) {
		show_subject(path, pid);
		printf(": nothing will be traced: %s", reason);
		show_or(": ", detail);
		show_or("\n            what to do: ", advice_for(reason));
		putchar('\n');
		return;
	}
	put_head(w, binary, path, pid);
	jsonw_cstr(w, K_VERDICT, "nothing");
	jsonw_cstr(w, K_REASON, reason);
	maybe(w, K_DETAIL, detail);
	maybe(w, K_ADVICE, advice_for(reason));
	jsonw_end_record(w);
}
