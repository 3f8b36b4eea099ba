// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <errno.h>
#include <stdlib.h>

enum { MAX_PROGRAMS = 9 * 5 }; /* one for each event and place of a site */

struct maker {
	struct probe *p;
	probe_complaint complain;
	void *arg;
};

/* Whether @c is read at a begin before it is known if the span is sampled, or also if not. */
static bool is_light(const struct capture *c)
{
	return c->event != GOTAP_BEGIN || c->metric || c->role != GOTAP_ROLE_EMIT || !c->n_ops;
}

/* Adds to @pr the captures that run at its sites, light ones or others, if there is room. */
static void program_fill(struct maker *m, struct program *pr, bool light)
{
	struct probe *p = m->p;

	for (uint32_t i = 0; i < p->n_captures; i++) {
		struct capture *c = &p->captures[i];

		if (c->event != pr->event || (c->at != AT_ANY && c->at != pr->at) ||
		    is_light(c) != light)
			continue;
		if (pr->n == GOTAP_MAX_CAPTURES || pr->n_ops + c->n_ops >= GOTAP_MAX_OPS) {
			m->complain(m->arg, p, c->name, true, "too many captures at one site");
			continue;
		}
		pr->captures[pr->n++] = (uint16_t)i;
		pr->n_ops += c->n_ops;
	}
}

/* Whether @op reads near the start of what register @reg points to, and up to where. */
static bool reads_near(const struct gotap_op *op, unsigned int reg, int64_t *end)
{
	uint8_t code = op->code;

	if (op->base != reg ||
	    (code != GOTAP_OP_LOAD && code != GOTAP_OP_TEXT && code != GOTAP_OP_NUMBER))
		return false;
	if (op->imm < 0 || op->imm + 16 > GOTAP_MAX_WINDOW)
		return false;
	*end = op->imm + 16 > *end ? op->imm + 16 : *end;
	return true;
}

/*
 * Where several reads are of the struct that one register points to, all of
 * it is copied once: a read of traced memory costs more than the bytes.
 */
static void program_window(const struct probe *p, struct program *pr)
{
	enum { WORTH_IT = 2 };
	uint32_t best = WORTH_IT - 1;

	for (unsigned int reg = 0; reg <= GOTAP_REG_KEEP1; reg++) {
		uint32_t n = 0;
		int64_t end = 0;

		for (uint32_t i = 0; i < pr->n; i++) {
			const struct capture *c = &p->captures[pr->captures[i]];

			for (uint32_t j = 0; j < c->n_ops; j++)
				n += reads_near(&c->ops[j], reg, &end);
		}
		if (n <= best)
			continue;
		best = n;
		pr->window = (struct gotap_op){
			.code = GOTAP_OP_WINDOW, .base = reg, .next = 1, .max = (__u16)end
		};
	}
	if (pr->window.max) {
		pr->n_ops++;
		pr->n_light++;
	}
}

static uint32_t program_lookups(const struct probe *p, const struct program *pr)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < pr->n; i++)
		n += p->captures[pr->captures[i]].n_lookups;
	return n;
}

/* The program for sites like @s: one that is there already, or a new one. */
static uint32_t program_for(struct maker *m, const struct site *s)
{
	struct probe *p = m->p;
	struct program *pr;
	uint32_t i;

	for (i = 0; i < p->n_programs; i++)
		if (p->programs[i].event == s->event && p->programs[i].at == s->at)
			return p->programs[i].n ? i : NO_PROGRAM;
	pr = &p->programs[p->n_programs++];
	pr->event = s->event;
	pr->at = s->at;
	pr->ops = p->n_ops;
	program_fill(m, pr, true);
	pr->n_light = pr->n_ops;
	program_fill(m, pr, false);
	program_window(p, pr);
	p->n_ops += pr->n_ops;
	p->n_lookups += program_lookups(p, pr);
	return pr->n ? i : NO_PROGRAM;
}

int programs_make(struct probe *p, probe_complaint complain, void *arg, struct errinfo *e)
{
	struct maker m = { p, complain, arg };

	p->programs = calloc(MAX_PROGRAMS, sizeof(*p->programs));
	if (!p->programs)
		return errinfo_set(e, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < p->n_sites; i++)
		p->sites[i].program = program_for(&m, &p->sites[i]);
	return 0;
}
