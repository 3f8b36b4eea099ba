// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes as lines of a plan: a probe that is accepted must be one that the BPF
 * side can run, whatever it was made of.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../cmd/goattach/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void complain(void *arg, const struct probe *p, const char *capture, bool limit,
		     const char *why)
{
	(void)arg;
	(void)limit;
	if (!p->id || !capture || !*why)
		abort();
}

static void check_capture(const struct capture *c)
{
	if (!c->n_ops || c->ops[0].base == GOTAP_REG_NONE)
		abort();
	for (uint32_t i = 0; i < c->n_ops; i++) {
		const struct gotap_op *op = &c->ops[i];

		if (op->code > GOTAP_OP_VALUE || op->code == GOTAP_OP_WINDOW)
			abort();
		if (op->base != GOTAP_REG_NONE && op->base > GOTAP_REG_KEEP1)
			abort();
		if (op->next != c->n_ops - i || op->max > GOTAP_MAX_TEXT)
			abort();
		if (op->code == GOTAP_OP_MAP && op->imm >= c->n_lookups)
			abort();
		if (op->code == GOTAP_OP_NUMBER && (!op->size || op->size > 8))
			abort();
		if (op->code == GOTAP_OP_NONZERO && (!op->size || op->size > GOTAP_MAX_NONZERO))
			abort();
	}
	for (uint32_t i = 0; i < c->n_lookups; i++)
		if (c->lookups[i].key_len > GOTAP_MAX_KEY ||
		    (c->lookups[i].swiss && c->lookups[i].slot_size > GOTAP_MAX_STRIDE))
			abort();
}

static void check(const struct probe *p)
{
	uint32_t ops = 0;

	for (uint32_t i = 0; i < p->n_captures; i++)
		check_capture(&p->captures[i]);
	for (uint32_t i = 0; i < p->n_programs; i++) {
		const struct program *pr = &p->programs[i];
		uint32_t n = pr->window.max != 0;

		for (uint32_t j = 0; j < pr->n; j++)
			n += p->captures[pr->captures[j]].n_ops;
		if (n != pr->n_ops || n > GOTAP_MAX_OPS || pr->n > GOTAP_MAX_CAPTURES ||
		    pr->ops != ops || pr->window.max > GOTAP_MAX_WINDOW)
			abort();
		ops += n;
	}
	if (ops != p->n_ops || p->g_loads > GOTAP_MAX_G_LOADS || !p->n_sites)
		abort();
	for (uint32_t i = 0; i < p->n_sites; i++)
		if (p->sites[i].program != NO_PROGRAM && p->sites[i].program >= p->n_programs)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data, *end = text + size;
	struct jsonv_doc doc = { 0 };
	struct plan plan;

	plan_init(&plan);
	while (text < end) {
		const char *lf = memchr(text, '\n', (size_t)(end - text));
		size_t len = (size_t)((lf ? lf : end) - text);
		struct errinfo e;
		struct probe *p;

		if (!jsonv_parse(&doc, text, len, &e) &&
		    !probe_parse(&doc, jsonv_root(&doc), complain, NULL, &p, &e)) {
			check(p);
			plan_add(&plan, p);
		}
		text += len + 1;
	}
	plan_release(&plan);
	jsonv_release(&doc);
	return 0;
}
