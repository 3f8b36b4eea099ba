// SPDX-License-Identifier: Apache-2.0
#include "emit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "record.h"

#define MAX_PLACES_TEXT (1 << 20) /* bytes of names of where a function was inlined */

static void hex_str(struct jsonw *w, uint64_t n)
{
	char buf[24];

	snprintf(buf, sizeof(buf), "0x%" PRIx64, n);
	jsonw_cstr(w, NULL, buf);
}

/* A key with a string if there is one. */
static void maybe(struct jsonw *w, const char *key, const char *s)
{
	if (s && s[0])
		jsonw_cstr(w, key, s);
}

static void map_op(struct jsonw *w, const struct op *op)
{
	const struct gomap_layout *m = &op->map;

	jsonw_obj(w, NULL);
	jsonw_cstr(w, K_KEY, op->key);
	jsonw_cstr(w, K_LAYOUT, m->swiss ? "swiss" : "hmap");
	if (m->swiss) {
		jsonw_uint(w, K_DIR_PTR, m->dir_ptr);
		jsonw_uint(w, K_DIR_LEN, m->dir_len);
		jsonw_uint(w, K_TABLE_GROUPS, m->table_groups);
	} else {
		jsonw_uint(w, K_LOG2_BUCKETS, m->log2_buckets);
		jsonw_uint(w, K_BUCKETS, m->buckets);
		jsonw_uint(w, K_OVERFLOW, m->overflow);
	}
	jsonw_uint(w, K_SLOT_SIZE, m->slot_size);
	jsonw_uint(w, K_ELEM_OFF, m->elem_off);
	jsonw_end_obj(w);
}

static void ops(struct jsonw *w, const struct op_list *list)
{
	jsonw_arr(w, K_OPS);
	for (size_t i = 0; i < list->n; i++) {
		const struct op *op = &list->op[i];

		jsonw_arr(w, NULL);
		jsonw_cstr(w, NULL, plan_op_name(op->code));
		if (op->code == OP_ITAB || op->code == OP_EFACE)
			hex_str(w, op->n);
		else if (op->code == OP_MAP)
			map_op(w, op);
		else if (op->code != OP_G && op->code != OP_CTX)
			jsonw_uint(w, NULL, op->n);
		if (op->code == OP_SLICE || op->code == OP_ELEM)
			jsonw_uint(w, NULL, op->size);
		if (op->code == OP_ELEM)
			jsonw_uint(w, NULL, op->reg);
		jsonw_end_arr(w);
	}
	jsonw_end_arr(w);
}

void emit_place(struct jsonw *w, const struct binary *b, const struct site *s, const char *event)
{
	uint64_t offset = 0;

	gobin_offset(b->bin, s->addr, &offset);
	jsonw_cstr(w, K_AT, recipe_at_name(s->at));
	if (event)
		jsonw_cstr(w, K_EVENT, event);
	jsonw_addr(w, K_ADDR, s->addr);
	jsonw_addr(w, K_OFFSET, offset);
	jsonw_hex(w, K_BYTES, s->bytes, s->len);
	jsonw_cstr(w, K_INSN, s->text);
	jsonw_bool(w, K_EMULATED, s->emulated);
	if (s->recovered)
		jsonw_bool(w, K_RECOVERED, true);
	if (s->repeats)
		jsonw_bool(w, K_REPEATS, true);
	if (s->depth_adjust)
		jsonw_int(w, K_DEPTH_ADJUST, s->depth_adjust);
	if (s->when.how == WHEN_ALWAYS)
		return;
	jsonw_obj(w, K_WHEN);
	jsonw_uint(w, K_ARG, s->when.reg);
	jsonw_uint(w, K_SIZE, s->when.size);
	jsonw_bool(w, K_ZERO, s->when.how == WHEN_ZERO);
	jsonw_end_obj(w);
}

static void site(struct jsonw *w, const struct binary *b, const struct plan_site *s)
{
	jsonw_obj(w, NULL);
	emit_place(w, b, &s->site, recipe_event_name(s->event));
	jsonw_end_obj(w);
}

static void constant(struct jsonw *w, const struct recipe_path *p)
{
	if (p->constant == CONST_TEXT)
		jsonw_cstr(w, K_VALUE, p->param);
	else if (p->constant == CONST_NUMBER)
		jsonw_int(w, K_VALUE, p->number);
	else
		jsonw_bool(w, K_VALUE, p->number);
}

static void capture(struct jsonw *w, const struct binary *b, const struct plan_capture *c)
{
	jsonw_obj(w, NULL);
	jsonw_cstr(w, K_NAME, c->from->name);
	jsonw_cstr(w, K_ON, recipe_event_name(c->from->event));
	if (c->has_at)
		jsonw_cstr(w, K_AT, recipe_at_name(c->at));
	jsonw_cstr(w, K_KIND, c->kind);
	if (c->size)
		jsonw_uint(w, K_SIZE, c->size);
	if (c->max)
		jsonw_uint(w, K_MAX, c->max);
	if (c->from->metric)
		jsonw_bool(w, K_METRIC, true);
	if (c->layout[0]) {
		jsonw_arr(w, K_LAYOUT);
		for (int i = 0; i < 5; i++)
			jsonw_uint(w, NULL, c->layout[i]);
		jsonw_end_arr(w);
	}
	if (!strcmp(c->kind, "type"))
		jsonw_addr(w, K_TYPES, gotypes_base(b->types));
	jsonw_cstr(w, K_PATH, c->from->path.text);
	if (c->from->path.root == ROOT_CONST)
		constant(w, &c->from->path);
	else
		ops(w, &c->ops);
	jsonw_end_obj(w);
}

static void goroutine(struct jsonw *w, const struct probe *pr)
{
	jsonw_obj(w, K_G);
	if (pr->g.n)
		ops(w, &pr->g);
	jsonw_uint(w, K_GOID, pr->goid);
	jsonw_uint(w, K_STACK_HI, pr->stack_hi);
	if (pr->has_waits) {
		jsonw_uint(w, K_STATUS, pr->status);
		jsonw_uint(w, K_WAIT_REASON, pr->wait_reason);
		jsonw_uint(w, K_SWITCHES, pr->switches);
		jsonw_uint(w, K_GO, pr->go_minor);
	}
	jsonw_end_obj(w);
	if (!pr->has_panic)
		return;
	jsonw_obj(w, K_PANIC);
	jsonw_uint(w, K_OFFSET, pr->panic);
	jsonw_uint(w, K_VIA, pr->panic_via);
	jsonw_uint(w, K_SP, pr->panic_sp);
	jsonw_end_obj(w);
}

static void contexts(struct jsonw *w, const struct probe *pr)
{
	if (!pr->n_contexts)
		return;
	jsonw_arr(w, K_CONTEXTS);
	for (size_t i = 0; i < pr->n_contexts; i++) {
		jsonw_obj(w, NULL);
		jsonw_addr(w, K_ADDR, pr->contexts[i].descriptor);
		if (pr->contexts[i].has_via)
			jsonw_uint(w, K_VIA, pr->contexts[i].via);
		jsonw_uint(w, K_OFFSET, pr->contexts[i].offset);
		if (pr->contexts[i].value)
			jsonw_uint(w, K_VALUE, pr->contexts[i].value);
		jsonw_end_obj(w);
	}
	jsonw_end_arr(w);
}

static void foreign(struct jsonw *w, const struct probe *pr)
{
	static const char *const keys[FOREIGN_PATHS] = { K_TRACE_ID, K_SPAN_ID, K_FLAGS, K_KIND,
							 K_SCOPE };

	if (!pr->n_foreign)
		return;
	jsonw_arr(w, K_FOREIGN);
	for (size_t i = 0; i < pr->n_foreign; i++) {
		const struct plan_foreign *f = &pr->foreign[i];

		jsonw_obj(w, NULL);
		jsonw_addr(w, K_ADDR, f->descriptor);
		for (int j = 0; j < FOREIGN_PATHS; j++)
			jsonw_uint(w, keys[j], f->at[j]);
		if (f->has_via)
			jsonw_uint(w, K_VIA, f->via);
		jsonw_end_obj(w);
	}
	jsonw_end_arr(w);
}

static void fields(struct jsonw *w, const struct probe *pr)
{
	jsonw_arr(w, K_FIELDS);
	for (size_t i = 0; i < pr->n_fields; i++) {
		jsonw_obj(w, NULL);
		jsonw_cstr(w, K_FIELD, pr->fields[i].name);
		jsonw_uint(w, K_OFFSET, pr->fields[i].offset);
		jsonw_cstr(w, K_SOURCE, gotype_source_name(pr->fields[i].source));
		if (pr->fields[i].assumed)
			jsonw_bool(w, K_ASSUMED, true);
		jsonw_end_obj(w);
	}
	jsonw_end_arr(w);
}

static void probe(struct jsonw *w, const struct binary *b, const struct probe *pr)
{
	jsonw_record(w, T_PROBE);
	jsonw_cstr(w, K_PROBE, pr->id);
	jsonw_cstr(w, K_BINARY, gobin_id(b->bin));
	jsonw_cstr(w, K_PATH, b->path);
	jsonw_cstr(w, K_ARCH, gobin_arch_name(b->bin));
	jsonw_cstr(w, K_RECIPE, pr->recipe);
	jsonw_cstr(w, K_SPAN, pr->span);
	jsonw_cstr(w, K_KIND, pr->kind);
	jsonw_cstr(w, K_SCOPE, pr->scope);
	maybe(w, K_NAME, pr->name);
	jsonw_cstr(w, K_SYMBOL, pr->symbol);
	jsonw_addr(w, K_ENTRY, pr->entry);
	maybe(w, K_TRACED_BY, pr->traced_by);
	maybe(w, K_ROLE, pr->role);
	if (pr->pair_goroutine)
		jsonw_cstr(w, K_PAIR, "goroutine");
	if (pr->pair_object)
		jsonw_cstr(w, K_PAIR, "object");
	if (pr->inlined)
		jsonw_uint(w, K_INLINED, pr->inlined);
	goroutine(w, pr);
	jsonw_arr(w, K_SITES);
	for (size_t i = 0; i < pr->n_sites; i++)
		site(w, b, &pr->sites[i]);
	jsonw_end_arr(w);
	jsonw_arr(w, K_CAPTURES);
	for (size_t i = 0; i < pr->n_captures; i++)
		capture(w, b, &pr->captures[i]);
	jsonw_end_arr(w);
	contexts(w, pr);
	foreign(w, pr);
	fields(w, pr);
	jsonw_end_record(w);
}

void emit_inlined(struct jsonw *w, const struct inlined_name *n)
{
	jsonw_uint(w, K_INLINED, n->n);
	jsonw_arr(w, K_INLINED_IN);
	for (size_t i = 0, bytes = 0; i < n->n && bytes < MAX_PLACES_TEXT; i++) {
		bytes += strlen(n->calls[i].in->name) + 64;
		jsonw_obj(w, NULL);
		jsonw_cstr(w, K_SYMBOL, n->calls[i].in->name);
		jsonw_addr(w, K_ADDR, n->calls[i].addr);
		jsonw_end_obj(w);
	}
	jsonw_end_arr(w);
}

static void skip(struct jsonw *w, const struct binary *b, const struct skip *k)
{
	jsonw_record(w, T_SKIP);
	jsonw_cstr(w, K_BINARY, gobin_id(b->bin));
	jsonw_cstr(w, K_PATH, b->path);
	maybe(w, K_RECIPE, k->recipe);
	maybe(w, K_SPAN, k->span);
	maybe(w, K_SYMBOL, k->symbol);
	maybe(w, K_FIELD, k->field);
	jsonw_cstr(w, K_REASON, k->reason);
	maybe(w, K_DETAIL, k->detail);
	if (k->inlined.n)
		emit_inlined(w, &k->inlined);
	jsonw_end_record(w);
}

void emit_plan(struct jsonw *w, const struct binary *b, const struct plan *plan)
{
	for (size_t i = 0; i < plan->n_probes; i++)
		probe(w, b, &plan->probes[i]);
	for (size_t i = 0; i < plan->n_skips; i++)
		skip(w, b, &plan->skips[i]);
}

void emit_binary_skip(struct jsonw *w, const char *binary, const char *path, long pid,
		      const char *reason, const char *detail)
{
	jsonw_record(w, T_SKIP);
	maybe(w, K_BINARY, binary);
	maybe(w, K_PATH, path);
	if (pid)
		jsonw_int(w, K_PID, pid);
	jsonw_cstr(w, K_REASON, reason);
	maybe(w, K_DETAIL, detail);
	jsonw_end_record(w);
}
