// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "goname.h"
#include "show.h"

static void put_or(const char *label, const char *s)
{
	if (!s || !s[0])
		return;
	printf("%s", label);
	show_text(s);
}

static void report_sites(const struct probe *pr)
{
	for (size_t i = 0; i < pr->n_sites; i++) {
		const struct plan_site *s = &pr->sites[i];

		printf("    %-6s %-5s 0x%" PRIx64 "  %-8s %s%s%s\n", recipe_event_name(s->event),
		       recipe_at_name(s->site.at), s->site.addr,
		       s->site.emulated ? "emulated" : "stepped", s->site.text,
		       s->site.recovered ? "  (after a recovered panic)" : "",
		       s->site.repeats ? "  (repeats)" : "");
	}
}

static void report_captures(const struct probe *pr)
{
	for (size_t i = 0; i < pr->n_captures; i++) {
		const struct plan_capture *c = &pr->captures[i];

		printf("    %-6s ", recipe_event_name(c->from->event));
		show_text(c->from->name);
		fputs(" = ", stdout);
		show_text(c->from->path.text);
		printf("  (%s", c->kind);
		if (c->max)
			printf(", at most %u bytes", c->max);
		printf(")\n");
	}
}

static void report_fields(const struct probe *pr)
{
	for (size_t i = 0; i < pr->n_fields; i++) {
		printf("    offset %6" PRIu64 "  %-7s ", pr->fields[i].offset,
		       gotype_source_name(pr->fields[i].source));
		show_text(pr->fields[i].name);
		put_or("", pr->fields[i].assumed ? "  (assumed: a version not seen)" : NULL);
		putchar('\n');
	}
}

static void report_probe(const struct probe *pr)
{
	printf("\n  %s%s%s%s  ", pr->span, pr->role ? " (" : "", pr->role ? pr->role : "",
	       pr->role ? ")" : "");
	show_text(pr->symbol);
	printf("  [recipe %s]\n", pr->recipe);
	if (pr->inlined)
		printf("    %zu call%s inlined into other functions, not seen\n", pr->inlined,
		       pr->inlined == 1 ? " was" : "s were");
	report_sites(pr);
	report_captures(pr);
	if (pr->n_contexts)
		printf("    %zu types of contexts\n", pr->n_contexts);
	report_fields(pr);
}

static void report_skip(const struct skip *k)
{
	printf("    %-14s", k->reason);
	put_or(" ", k->span);
	put_or(" ", k->symbol);
	put_or(" ", k->field);
	put_or(": ", k->detail);
	putchar('\n');
}

void report_plan(const struct binary *b, const struct plan *plan)
{
	const struct gobin_buildinfo *info = gobin_buildinfo(b->bin);
	size_t sites = 0, emulated = 0;

	for (size_t i = 0; i < plan->n_probes; i++) {
		sites += plan->probes[i].n_sites;
		for (size_t j = 0; j < plan->probes[i].n_sites; j++)
			emulated += plan->probes[i].sites[j].site.emulated;
	}
	show_text(b->path);
	put_or(": ", info->go);
	put_or(" ", gobin_arch_name(b->bin));
	put_or(", ", info->module);
	printf("\n  %zu function%s of %zu (names from %s), %zu site%s: %zu emulated, %zu stepped; "
	       "%zu left out\n",
	       plan->n_probes, plan->n_probes == 1 ? "" : "s", gofuncs_count(b->funcs),
	       gofuncs_source(b->funcs), sites, sites == 1 ? "" : "s", emulated, sites - emulated,
	       plan->n_skips);
	for (size_t i = 0; i < plan->n_probes; i++)
		report_probe(&plan->probes[i]);
	if (plan->n_skips)
		printf("\n  left out:\n");
	for (size_t i = 0; i < plan->n_skips; i++)
		report_skip(&plan->skips[i]);
}

/* What the plan does at @addr, in front of the instruction. */
static void put_mark(const struct plan *plan, uint64_t addr)
{
	const char *mark = NULL;

	for (size_t i = 0; i < plan->n_probes; i++)
		for (size_t j = 0; j < plan->probes[i].n_sites; j++)
			if (plan->probes[i].sites[j].site.addr == addr)
				mark = recipe_event_name(plan->probes[i].sites[j].event);
	printf("%-7s%s", mark ? mark : "", mark ? ">" : " ");
}

static void explain_insn(const struct binary *b, const struct plan *plan, const struct code *c,
			 size_t i)
{
	const struct insn *in;
	const struct gofunc *f;
	char text[96];

	code_insns(c, &in);
	in += i;
	code_text(c, i, text, sizeof(text));
	put_mark(plan, in->addr);
	printf(" 0x%" PRIx64 "  %s %s", in->addr, in->emulated ? "e" : " ", text);
	f = in->cls == INSN_CALL || in->cls == INSN_JUMP ? gofuncs_at(b->funcs, in->target) : NULL;
	if (f && f->entry == in->target)
		put_or("  ; ", f->name);
	putchar('\n');
}

static void explain_body(const struct binary *b, const struct plan *plan, const struct gofunc *f)
{
	struct errinfo e = { .text = "" };
	const struct insn *insns;
	struct code *c = NULL;
	size_t n;

	show_text(f->name);
	printf("  0x%" PRIx64 ", %" PRIu64 " bytes", f->entry, f->end - f->entry);
	if (binary_code(b, f, &c, &e)) {
		put_or("\n  cannot be disassembled: ", e.text);
		putchar('\n');
		return;
	}
	n = code_insns(c, &insns);
	printf(", %s\n", code_has_check(c) ? "with a stack check" : "no stack check");
	for (size_t i = 0; i < n; i++)
		explain_insn(b, plan, c, i);
	code_free(c);
}

static void explain_inlined(const struct inlined_name *n)
{
	printf("%zu call%s inlined:\n", n->n, n->n == 1 ? " was" : "s were");
	for (size_t i = 0; i < n->n; i++) {
		printf("  0x%" PRIx64 "  in ", n->calls[i].addr);
		show_text(n->calls[i].in->name);
		putchar('\n');
	}
}

size_t report_explain(const struct binary *b, const struct plan *plan, const char *symbol)
{
	const struct gofunc *body[EXPLAIN_BODIES];
	size_t n = gofuncs_find(b->funcs, symbol, body, EXPLAIN_BODIES), names;
	const struct inlined_name *name;

	for (size_t i = 0; i < n && i < EXPLAIN_BODIES; i++)
		explain_body(b, plan, body[i]);
	if (n > EXPLAIN_BODIES)
		printf("and %zu more of this name\n", n - EXPLAIN_BODIES);
	names = inlining_names(b->inlining, &name);
	for (size_t i = 0; i < names; i++) {
		if (!goname_equal(symbol, name[i].name))
			continue;
		if (!n) {
			show_text(name[i].name);
			puts(" has no code of its own");
		}
		explain_inlined(&name[i]);
		n++;
	}
	return n;
}
