// SPDX-License-Identifier: Apache-2.0
#include "calls.h"

#include <stdlib.h>
#include <string.h>

#define BYTES_EACH  1024
#define SPARES_KEPT 1024

void calls_init(struct calls *cs, size_t max_open)
{
	memset(cs, 0, sizeof(*cs));
	list_init(&cs->by_age);
	cs->max_open = max_open;
	cs->max_bytes = max_open * BYTES_EACH;
}

static void call_free(struct call *c)
{
	values_release(&c->values);
	free(c);
}

void calls_release(struct calls *cs)
{
	struct call *c;

	while (!list_empty(&cs->by_age))
		calls_close(cs, calls_oldest(cs));
	while ((c = cs->spare)) {
		cs->spare = c->next_spare;
		call_free(c);
	}
	table_release(&cs->by_key);
	table_release(&cs->by_id);
	procs_release(&cs->procs);
}

static uint64_t key_hash(uint32_t pid, uint64_t goid, int64_t depth, uint64_t span_hash)
{
	uint64_t h = hash_u64(span_hash, pid);

	return hash_u64(hash_u64(h, goid), (uint64_t)depth);
}

static uint64_t id_hash(const uint8_t id[8])
{
	uint64_t word;

	memcpy(&word, id, sizeof(word));
	return hash_u64(0, word);
}

struct call *calls_at(const struct calls *cs, const struct event *ev)
{
	uint64_t h = key_hash(ev->pid, ev->goid, ev->depth, ev->span_hash);

	for (struct table_node *n = table_find(&cs->by_key, h); n; n = table_find_next(n)) {
		struct call *c = table_entry(n, struct call, by_key);

		if (c->proc->pid == ev->pid && c->goid == ev->goid && c->depth == ev->depth &&
		    c->span_hash == ev->span_hash)
			return c;
	}
	return NULL;
}

static struct call *with_id(const struct calls *cs, const struct event *ev)
{
	struct table_node *n = table_find(&cs->by_id, id_hash(ev->span_id));

	for (; n; n = table_find_next(n)) {
		struct call *c = table_entry(n, struct call, by_id);

		if (c->proc->pid == ev->pid && c->goid == ev->goid && c->span_hash == ev->span_hash)
			return c;
	}
	return NULL;
}

struct call *calls_match(const struct calls *cs, const struct event *ev)
{
	struct call *c = ev->has_span ? with_id(cs, ev) : NULL;

	if (c)
		return c;
	c = calls_at(cs, ev);
	return c && (!ev->has_span || c->made_id) ? c : NULL;
}

/*
 * Ids for a begin that has none, from what tells the call from every other, so
 * that the same stream gives the same ids.
 */
static void make_ids(struct call *c, const struct event *ev)
{
	uint64_t h = key_hash(ev->pid, ev->goid, ev->depth, ev->span_hash);
	uint64_t word;

	if (c->proc->start_known)
		h = hash_u64(h, c->proc->start);
	h = hash_u64(h, ev->t);
	for (size_t i = 0; !ev->has_trace && i < sizeof(c->trace_id); i += sizeof(word)) {
		word = h = hash_u64(h, 1);
		memcpy(c->trace_id + i, &word, sizeof(word));
	}
	if (ev->has_span)
		return;
	word = hash_u64(h, 2);
	memcpy(c->span_id, word ? &word : &h, sizeof(word));
}

static struct call *take_spare(struct calls *cs)
{
	struct call *c = cs->spare;

	if (!c)
		return calloc(1, sizeof(*c));
	cs->spare = c->next_spare;
	cs->spares--;
	return c;
}

static void fill(struct call *c, const struct event *ev)
{
	c->goid = ev->goid;
	c->depth = ev->depth;
	c->span_hash = ev->span_hash;
	c->probe = ev->probe;
	c->begin = ev->t;
	c->dated = false;
	c->flags = ev->flags;
	c->has_parent = ev->has_parent;
	c->made_id = !ev->has_span;
	memcpy(c->trace_id, ev->trace_id, sizeof(c->trace_id));
	memcpy(c->span_id, ev->span_id, sizeof(c->span_id));
	memcpy(c->parent_id, ev->parent_id, sizeof(c->parent_id));
	if (!ev->has_trace || !ev->has_span)
		make_ids(c, ev);
	c->bytes = 0;
	c->begun = c->begun_text = 0;
	c->retries = 0;
}

struct call *calls_open(struct calls *cs, const struct event *ev)
{
	struct proc *p = procs_get(&cs->procs, ev->pid);
	struct call *c = p ? take_spare(cs) : NULL;

	if (!c)
		goto out;
	c->proc = p;
	fill(c, ev);
	if (table_add(&cs->by_key, &c->by_key,
		      key_hash(ev->pid, ev->goid, ev->depth, ev->span_hash)))
		goto out;
	if (table_add(&cs->by_id, &c->by_id, id_hash(c->span_id))) {
		table_remove(&cs->by_key, &c->by_key);
		goto out;
	}
	list_add_last(&cs->by_age, &c->by_age);
	list_add_last(&p->calls, &c->of_proc);
	cs->open++;
	return c;
out:
	if (c)
		call_free(c);
	if (p)
		procs_put(&cs->procs, p);
	return NULL;
}

void calls_account(struct calls *cs, struct call *c)
{
	cs->bytes -= c->bytes;
	c->bytes = c->values.text_len + c->values.n * sizeof(*c->values.v);
	cs->bytes += c->bytes;
}

void calls_close(struct calls *cs, struct call *c)
{
	table_remove(&cs->by_key, &c->by_key);
	table_remove(&cs->by_id, &c->by_id);
	list_remove(&c->by_age);
	list_remove(&c->of_proc);
	cs->open--;
	cs->bytes -= c->bytes;
	procs_put(&cs->procs, c->proc);
	c->proc = NULL;
	values_clear(&c->values);
	if (cs->spares == SPARES_KEPT) {
		call_free(c);
		return;
	}
	c->next_spare = cs->spare;
	cs->spare = c;
	cs->spares++;
}

bool calls_heavy(const struct calls *cs)
{
	return cs->bytes > cs->max_bytes;
}

struct call *calls_oldest(const struct calls *cs)
{
	return list_empty(&cs->by_age) ? NULL : list_entry(cs->by_age.next, struct call, by_age);
}
