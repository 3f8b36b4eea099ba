// SPDX-License-Identifier: Apache-2.0
#include "active.h"

#include <stdlib.h>
#include <string.h>

#include "record.h"

#define SECOND 1000000000ull
/* So many open calls are looked through once a second; more of them less often. */
#define CALLS_A_SECOND 10000

struct group {
	struct table_node node;
	struct list link;
	uint64_t count, told;
	uint32_t pid;
	size_t type_len, len; /* of the type of span, and of all */
	char key[];	      /* type of span, attributes as JSON */
};

void active_init(struct active *a)
{
	memset(a, 0, sizeof(*a));
	list_init(&a->groups);
	jsonw_init(&a->key, -1);
}

static void forget(struct active *a, struct group *g)
{
	table_remove(&a->table, &g->node);
	list_remove(&g->link);
	free(g);
}

void active_release(struct active *a)
{
	while (!list_empty(&a->groups))
		forget(a, list_entry(a->groups.next, struct group, link));
	table_release(&a->table);
	jsonw_release(&a->key);
}

bool active_due(const struct active *a, const struct calls *cs, uint64_t now)
{
	uint64_t every = SECOND * (1 + cs->open / CALLS_A_SECOND);

	return a->changed && now >= a->at && now - a->at >= every;
}

/* What @c is counted under into a->key, with the length of its type; 0: under nothing. */
static size_t make_key(struct active *a, const struct call *c, struct span_writer *sw)
{
	struct slice type;
	struct attrs at;
	bool server;

	attrs_init(&at, &c->values, sw->doc);
	type = attrs_text(&at, values_last(&c->values, ROLE_SPAN));
	server = type.len == 11 && !memcmp(type.s, "http.server", 11);
	if (!server && !(type.len == 11 && !memcmp(type.s, "http.client", 11)))
		return 0;
	a->key.len = a->key.mark = 0;
	a->key.comma = false;
	jsonw_raw(&a->key, NULL, type.s, type.len);
	a->key.comma = false;
	jsonw_obj(&a->key, NULL);
	if (server)
		http_server_active(&at, sw->methods, &a->key);
	else
		http_client_active(&at, sw->methods, &a->key);
	jsonw_end_obj(&a->key);
	return a->key.err ? 0 : type.len;
}

static struct group *group_of(struct active *a, uint32_t pid, size_t type_len)
{
	uint64_t h = hash_u64(hash_bytes(0, a->key.buf, a->key.len), pid);
	struct table_node *n = table_find(&a->table, h);
	struct group *g;

	for (; n; n = table_find_next(n)) {
		g = table_entry(n, struct group, node);
		if (g->pid == pid && g->len == a->key.len && !memcmp(g->key, a->key.buf, g->len))
			return g;
	}
	if (a->table.count == ACTIVE_MAX)
		return NULL;
	g = calloc(1, sizeof(*g) + a->key.len);
	if (!g || table_add(&a->table, &g->node, h)) {
		free(g);
		return NULL;
	}
	list_add_last(&a->groups, &g->link);
	g->pid = pid;
	g->type_len = type_len;
	g->len = a->key.len;
	memcpy(g->key, a->key.buf, g->len);
	return g;
}

static void tell(const struct group *g, struct jsonw *w)
{
	jsonw_record(w, T_ACTIVE);
	jsonw_uint(w, K_PID, g->pid);
	jsonw_str(w, K_SPAN, g->key, g->type_len);
	jsonw_uint(w, K_COUNT, g->count);
	jsonw_raw(w, K_ATTRIBUTES, g->key + g->type_len, g->len - g->type_len);
	jsonw_end_record(w);
}

/* Writes what has changed, and makes the numbers ready to be counted again. */
static void tell_all(struct active *a, struct jsonw *w)
{
	struct list *link = a->groups.next, *next;

	for (; link != &a->groups; link = next) {
		struct group *g = list_entry(link, struct group, link);

		next = link->next;
		if (g->count != g->told)
			tell(g, w);
		g->told = g->count;
		g->count = 0;
		if (!g->told)
			forget(a, g);
	}
}

uint64_t active_report(struct active *a, const struct calls *cs, struct span_writer *sw,
		       uint64_t now)
{
	uint64_t left_out = 0;

	for (struct list *l = cs->by_age.next; l != &cs->by_age; l = l->next) {
		const struct call *c = list_entry(l, struct call, by_age);
		size_t type_len = make_key(a, c, sw);
		struct group *g = type_len ? group_of(a, c->proc->pid, type_len) : NULL;

		if (g)
			g->count++;
		left_out += type_len && !g;
	}
	tell_all(a, sw->out);
	a->at = now;
	a->changed = false;
	return left_out;
}
