// SPDX-License-Identifier: Apache-2.0
#include "slots.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "foreign.h"

int slots_init(struct slots *s, struct kernel *k, const struct kernel_config *c)
{
	memset(s, 0, sizeof(*s));
	s->kernel = k;
	s->max_probes = s->max_sites = c->max_sites;
	s->probe = calloc(s->max_probes, sizeof(struct probe *));
	s->site_probe = calloc(s->max_sites, sizeof(struct probe *));
	if (!s->probe || !s->site_probe || extents_init(&s->probes, s->max_probes) ||
	    extents_init(&s->sites, s->max_sites) || extents_init(&s->ops, c->max_ops) ||
	    extents_init(&s->lookups, c->max_lookups))
		return -ENOMEM;
	return 0;
}

void slots_release(struct slots *s)
{
	extents_release(&s->lookups);
	extents_release(&s->ops);
	extents_release(&s->sites);
	extents_release(&s->probes);
	free(s->site_probe);
	free(s->probe);
	memset(s, 0, sizeof(*s));
}

static int take_runs(struct slots *s, struct probe *p, struct errinfo *e)
{
	if (extents_take(&s->probes, 1, &p->index))
		return errinfo_set(e, -ENOSPC, "too many probes (--max-sites)");
	if (extents_take(&s->sites, p->n_sites, &p->first_site)) {
		extents_give(&s->probes, p->index, 1);
		return errinfo_set(e, -ENOSPC, "too many sites (--max-sites)");
	}
	if (extents_take(&s->ops, p->n_ops, &p->first_op)) {
		extents_give(&s->sites, p->first_site, p->n_sites);
		extents_give(&s->probes, p->index, 1);
		return errinfo_set(e, -ENOSPC, "too many capture ops (--max-ops)");
	}
	if (extents_take(&s->lookups, p->n_lookups, &p->first_lookup)) {
		extents_give(&s->ops, p->first_op, p->n_ops);
		extents_give(&s->sites, p->first_site, p->n_sites);
		extents_give(&s->probes, p->index, 1);
		return errinfo_set(e, -ENOSPC, "too many map lookups (--max-lookups)");
	}
	return 0;
}

static void give_runs(struct slots *s, struct probe *p)
{
	extents_give(&s->lookups, p->first_lookup, p->n_lookups);
	extents_give(&s->ops, p->first_op, p->n_ops);
	extents_give(&s->sites, p->first_site, p->n_sites);
	extents_give(&s->probes, p->index, 1);
}

/* Writes the ops of one capture from *@op on, its lookups from *@lookup on. */
static int write_capture(struct kernel *k, const struct capture *c, uint8_t number, uint32_t *op,
			 uint32_t *lookup)
{
	uint32_t base = *lookup;

	for (uint32_t i = 0; i < c->n_lookups; i++, (*lookup)++)
		if (bpf_map_update_elem(k->lookups_fd, lookup, &c->lookups[i], BPF_ANY))
			return -errno;
	for (uint32_t i = 0; i < c->n_ops; i++, (*op)++) {
		struct gotap_op copy = c->ops[i];

		copy.capture = number;
		if (copy.code == GOTAP_OP_MAP)
			copy.imm += base;
		if (bpf_map_update_elem(k->code_fd, op, &copy, BPF_ANY))
			return -errno;
	}
	return 0;
}

static int write_program(struct kernel *k, const struct probe *p, const struct program *pr,
			 uint32_t *lookup)
{
	uint32_t op = p->first_op + pr->ops;
	int ret = 0;

	if (pr->window.max && bpf_map_update_elem(k->code_fd, &op, &pr->window, BPF_ANY))
		return -errno;
	op += pr->window.max != 0;
	for (uint8_t i = 0; !ret && i < pr->n; i++)
		ret = write_capture(k, &p->captures[pr->captures[i]], i, &op, lookup);
	return ret;
}

static int write_programs(struct kernel *k, const struct probe *p)
{
	uint32_t lookup = p->first_lookup;
	int ret = 0;

	for (uint32_t i = 0; !ret && i < p->n_programs; i++)
		ret = write_program(k, p, &p->programs[i], &lookup);
	return ret;
}

/* What servers and consumers do is not done for who created their goroutines. */
static bool has_relations(const struct probe *p)
{
	return !p->kind || (strcmp(p->kind, "server") != 0 && strcmp(p->kind, "consumer") != 0);
}

/* The types of contexts, which are the same for all images of a binary. */
static int write_contexts(struct kernel *k, const struct probe *p)
{
	for (uint32_t i = 0; i < p->n_contexts; i++) {
		const struct context *c = &p->contexts[i];
		struct gotap_context_key key = { .binary = p->binary_number, .type = c->type };

		if (bpf_map_update_elem(k->contexts_fd, &key, &c->to, BPF_ANY))
			return -errno;
	}
	return 0;
}

static void delete_contexts(struct kernel *k, const struct probe *p)
{
	for (uint32_t i = 0; i < p->n_contexts; i++) {
		struct gotap_context_key key = { .binary = p->binary_number,
						 .type = p->contexts[i].type };

		bpf_map_delete_elem(k->contexts_fd, &key);
	}
}

/* Whether a site is where panics are recovered, of which it reads how far and what. */
static bool reads_panic(const struct probe *p, const struct site *s)
{
	const struct program *pr = s->program == NO_PROGRAM ? NULL : &p->programs[s->program];

	for (uint32_t i = 0; pr && s->event == GOTAP_UNWIND && i < pr->n; i++)
		if (p->captures[pr->captures[i]].role == GOTAP_ROLE_UNWIND_SP)
			return true;
	return false;
}

/* How panics of its binary are read elsewhere, which is good to have only. */
static void write_panic(struct kernel *k, const struct probe *p)
{
	for (uint32_t i = 0; i < p->n_sites; i++) {
		const struct program *pr;
		struct gotap_panic out = { .site = p->first_site + i };

		if (!reads_panic(p, &p->sites[i]))
			continue;
		pr = &p->programs[p->sites[i].program];
		out.code = p->first_op + pr->ops;
		out.end = out.code + pr->n_ops;
		bpf_map_update_elem(k->panics_fd, &p->binary_number, &out, BPF_ANY);
	}
}

static void delete_panic(struct kernel *k, const struct probe *p)
{
	for (uint32_t i = 0; i < p->n_sites; i++)
		if (reads_panic(p, &p->sites[i]))
			bpf_map_delete_elem(k->panics_fd, &p->binary_number);
}

static int write_site(struct kernel *k, const struct probe *p, uint32_t i)
{
	const struct site *s = &p->sites[i];
	struct gotap_site out = {
		.probe = p->index,
		.span_class = p->span_class,
		.depth_adjust = s->depth_adjust,
		.goid_off = p->goid_off,
		.stack_hi_off = p->stack_hi_off,
		.g_loads = p->g_loads,
		.g_reg = p->g_reg,
		.event = s->event,
		.binary = p->binary_number,
		.panic_off = p->panic_off,
		.panic_via = p->panic_via,
		.panic_sp = p->panic_sp,
		.go_kind = foreign_kind(p),
		.traced_by = foreign_scope(p),
		.when = s->when,
		.when_reg = s->when_reg,
	};
	uint32_t cookie = p->first_site + i;

	memcpy(out.g_off, p->g_off, sizeof(out.g_off));
	if (s->repeats)
		out.flags |= GOTAP_SITE_REPEATS;
	if (p->by_goroutine)
		out.flags |= GOTAP_SITE_BY_GOROUTINE;
	if (p->by_object) {
		out.flags |= GOTAP_SITE_BY_OBJECT;
		kernel_foreign_known(k); /* others are its children by their context */
	}
	if (has_relations(p))
		out.flags |= GOTAP_SITE_RELATED;
	if (s->program != NO_PROGRAM) {
		const struct program *pr = &p->programs[s->program];

		out.code = p->first_op + pr->ops;
		out.end = out.code + pr->n_ops;
		out.light = out.code + pr->n_light;
	}
	return bpf_map_update_elem(k->sites_fd, &cookie, &out, BPF_ANY) ? -errno : 0;
}

int slots_take(struct slots *s, struct probe *p, struct errinfo *e)
{
	int ret;

	if (p->users) {
		p->users++;
		return 0;
	}
	ret = take_runs(s, p, e);
	if (ret)
		return ret;
	ret = write_programs(s->kernel, p);
	for (uint32_t i = 0; !ret && i < p->n_sites; i++)
		ret = write_site(s->kernel, p, i);
	if (!ret)
		ret = write_contexts(s->kernel, p);
	if (!ret)
		ret = foreign_write(s->kernel, p);
	if (ret) {
		give_runs(s, p);
		return errinfo_set(e, ret, "BPF maps: %s", strerror(-ret));
	}
	write_panic(s->kernel, p);
	s->probe[p->index] = p;
	for (uint32_t i = 0; i < p->n_sites; i++)
		s->site_probe[p->first_site + i] = p;
	p->users = 1;
	return 0;
}

void slots_give(struct slots *s, struct probe *p)
{
	if (!p->users || --p->users)
		return;
	s->probe[p->index] = NULL;
	for (uint32_t i = 0; i < p->n_sites; i++)
		s->site_probe[p->first_site + i] = NULL;
	foreign_delete(s->kernel, p);
	delete_contexts(s->kernel, p);
	delete_panic(s->kernel, p);
	give_runs(s, p);
}

struct probe *slots_probe(const struct slots *s, uint32_t index)
{
	return index < s->max_probes ? s->probe[index] : NULL;
}

struct probe *slots_site(const struct slots *s, uint32_t cookie, const struct site **site)
{
	struct probe *p = cookie < s->max_sites ? s->site_probe[cookie] : NULL;

	if (p)
		*site = &p->sites[cookie - p->first_site];
	return p;
}
