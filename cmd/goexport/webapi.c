// SPDX-License-Identifier: Apache-2.0
#include "webapi.h"

#include <stdio.h>
#include <time.h>

#include "resource.h"
#include "utf8.h"

/* A search lets go of the lock after so many spans, so that the pipe is never held up. */
#define SEARCH_STEP 2000
/* Different resources named in one trace; spans of others have none. */
#define MAX_RESOURCES 256
/* Bytes of a name in a list. */
#define MAX_NAME 300

static void put_text(struct jsonw *w, const char *key, struct text t)
{
	jsonw_str(w, key, t.p, t.len);
}

/* In a list a long name is cut. */
static void put_name(struct jsonw *w, const char *key, struct text t)
{
	if (t.len > MAX_NAME)
		t.len = utf8_valid(t.p, MAX_NAME);
	put_text(w, key, t);
}

/* The path or address that a request was for, where the name does not say it. */
static struct text target_of(const struct spanrec *sp)
{
	static const char *const keys[] = { "url.path", "url.full", "db.query.text",
					    "messaging.destination.name" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		struct text t = spanrec_text(sp, keys[i]);

		if (t.len)
			return t;
	}
	return (struct text){ 0 };
}

static int64_t code_of(const struct spanrec *sp)
{
	const struct attr *at = attr_find(sp->attrs, sp->n_attrs, "http.response.status_code");

	return at && at->value.type == ATTR_INT ? at->value.i : 0;
}

static bool ends_with(struct text t, struct text end)
{
	return t.len >= end.len && !memcmp(t.p + t.len - end.len, end.p, end.len);
}

static void put_what(struct jsonw *w, const struct spanrec *sp)
{
	struct text target = target_of(sp);
	int64_t code = code_of(sp);

	put_name(w, "name", sp->name);
	if (target.len && !ends_with(sp->name, target))
		put_name(w, "target", target);
	if (code)
		jsonw_int(w, "code", code);
}

static struct text resource_text(const struct resource *r, const char *key)
{
	const struct attr *at = attr_find(r->attrs, r->n_attrs, key);

	return at && at->value.type == ATTR_STRING ? at->value.str : (struct text){ 0 };
}

/*
 * How long the trace took by the clock of the host that it began on: those of others
 * may be hours away.
 */
static uint64_t length_of(const struct stored_trace *t)
{
	const struct resource *r = t->top->resource, *last = r;
	struct text home = resource_text(r, "host.name"), host;
	uint64_t start = t->top->start, end = t->top->end;
	bool here = true, others = false;

	for (const struct kept_span *k = t->spans; k; k = k->next) {
		if (k->sp.resource != last) {
			last = k->sp.resource;
			host = resource_text(last, "host.name");
			here = !host.len || !home.len || text_equal(host, home);
			others |= !here;
		}
		if (!here)
			continue;
		start = k->sp.start < start ? k->sp.start : start;
		end = k->sp.end > end ? k->sp.end : end;
	}
	return others ? end - start : t->end - t->start;
}

void webapi_summary(struct jsonw *w, const struct stored_trace *t)
{
	jsonw_obj(w, NULL);
	jsonw_hex(w, "id", t->id, sizeof(t->id));
	jsonw_u64(w, "start", t->mixed ? t->top->start : t->start);
	jsonw_uint(w, "duration", t->mixed ? length_of(t) : t->end - t->start);
	jsonw_uint(w, "spans", t->n_spans + t->more);
	jsonw_uint(w, "errors", t->n_errors);
	jsonw_uint(w, "changed", t->changed);
	put_name(w, "service", t->top->resource->service);
	put_what(w, t->top);
	if (t->n_services > 1) {
		jsonw_arr(w, "services");
		for (unsigned i = 0; i < t->n_services; i++)
			put_name(w, NULL, t->services[i]);
		jsonw_end_arr(w);
	}
	jsonw_end_obj(w);
}

/* Whether a span of the trace is wanted; counts those looked at in @n. */
static bool trace_wanted(const struct filter *f, const struct stored_trace *t, uint64_t *n)
{
	if (!f->any)
		return true;
	if (f->has_trace && memcmp(f->trace_id, t->id, sizeof(t->id)))
		return false;
	if (f->slower && t->end - t->start <= f->slower)
		return false;
	if (f->has_status && f->status == STATUS_ERROR && !t->n_errors)
		return false;
	for (const struct kept_span *k = t->spans; k; k = k->next, ++*n)
		if (filter_wants(f, &k->sp))
			return true;
	return false;
}

/* Goes on from @at, which may have gone while the lock was free; then the older have, too. */
static struct stored_trace *go_on(struct webdata *d, const uint8_t id[16])
{
	static const struct timespec moment = { .tv_nsec = 100000 };
	struct stored_trace *t;

	pthread_mutex_unlock(&d->lock);
	if (d->wanted) /* else the lock would be ours again before it is seen to be free */
		nanosleep(&moment, NULL);
	pthread_mutex_lock(&d->lock);
	t = spanstore_find(&d->store, id);
	return t ? t->older : NULL;
}

void webapi_traces(struct jsonw *w, struct webdata *d, const struct filter *f, size_t limit)
{
	uint64_t looked = 0, step = 0, n = 0;
	struct stored_trace *t, *next;

	pthread_mutex_lock(&d->lock);
	t = d->store.newest;
	jsonw_obj(w, NULL);
	jsonw_uint(w, "held", d->store.n_traces);
	jsonw_uint(w, "changes", d->store.changes);
	jsonw_arr(w, "traces");
	for (; t && n < limit; t = next) {
		uint8_t id[16];

		memcpy(id, t->id, sizeof(id));
		if (t->top && trace_wanted(f, t, &step)) {
			webapi_summary(w, t);
			n++;
		}
		looked++;
		next = t->older;
		if (++step < SEARCH_STEP)
			continue;
		step = 0;
		next = go_on(d, id);
	}
	jsonw_end_arr(w);
	jsonw_uint(w, "looked", looked);
	jsonw_end_obj(w);
	pthread_mutex_unlock(&d->lock);
}

struct known_resources {
	const struct resource *r[MAX_RESOURCES];
	size_t n;
};

/* The number of @r, MAX_RESOURCES if there are too many. */
static size_t number_of(struct known_resources *known, const struct resource *r)
{
	for (size_t i = known->n; i--;)
		if (known->r[i] == r)
			return i;
	if (known->n < MAX_RESOURCES)
		known->r[known->n++] = r;
	else
		return MAX_RESOURCES;
	return known->n - 1;
}

static void put_row(struct jsonw *w, const struct stored_trace *t, const struct spanrec *sp,
		    size_t resource)
{
	jsonw_obj(w, NULL);
	jsonw_hex(w, "id", sp->span_id, sizeof(sp->span_id));
	if (sp->has_parent)
		jsonw_hex(w, "parent", sp->parent_id, sizeof(sp->parent_id));
	if (sp->parent_from.len)
		put_name(w, "from", sp->parent_from);
	jsonw_uint(w, "at", sp->start - t->start);
	jsonw_uint(w, "duration", sp->end - sp->start);
	put_what(w, sp);
	jsonw_uint(w, "resource", resource);
	jsonw_uint(w, "kind", sp->kind);
	if (sp->status != STATUS_UNSET)
		jsonw_uint(w, "status", sp->status);
	if (sp->goid)
		jsonw_uint(w, "g", sp->goid);
	if (sp->incomplete)
		jsonw_bool(w, "incomplete", true);
	jsonw_end_obj(w);
}

static void put_resources(struct jsonw *w, const struct known_resources *known)
{
	jsonw_arr(w, "resources");
	for (size_t i = 0; i < known->n; i++) {
		jsonw_obj(w, NULL);
		put_name(w, "service", known->r[i]->service);
		put_name(w, "host", resource_text(known->r[i], "host.name"));
		if (known->r[i]->has_pid)
			jsonw_uint(w, "pid", known->r[i]->pid);
		jsonw_end_obj(w);
	}
	jsonw_end_arr(w);
}

bool webapi_trace(struct jsonw *w, struct webdata *d, const uint8_t id[16])
{
	struct known_resources known = { .n = 0 };
	const struct stored_trace *t;

	pthread_mutex_lock(&d->lock);
	t = spanstore_find(&d->store, id);
	if (t) {
		jsonw_obj(w, NULL);
		jsonw_hex(w, "id", t->id, sizeof(t->id));
		jsonw_u64(w, "start", t->start);
		jsonw_uint(w, "duration", t->end - t->start);
		jsonw_uint(w, "more", t->more);
		jsonw_uint(w, "errors", t->n_errors);
		jsonw_uint(w, "changed", t->changed);
		jsonw_arr(w, "spans");
		for (const struct kept_span *k = t->spans; k; k = k->next)
			put_row(w, t, &k->sp, number_of(&known, k->sp.resource));
		jsonw_end_arr(w);
		put_resources(w, &known);
		jsonw_end_obj(w);
	}
	pthread_mutex_unlock(&d->lock);
	return t;
}

/* An integer that JavaScript cannot hold is text. */
static void put_value(struct jsonw *w, const struct attr_value *v)
{
	switch (v->type) {
	case ATTR_STRING:
		put_text(w, NULL, v->str);
		return;
	case ATTR_INT:
		if (v->i > INT64_C(9007199254740991) || v->i < -INT64_C(9007199254740991)) {
			char buf[24];

			jsonw_str(w, NULL, buf,
				  (size_t)snprintf(buf, sizeof(buf), "%lld", (long long)v->i));
			return;
		}
		jsonw_int(w, NULL, v->i);
		return;
	case ATTR_DOUBLE:
		jsonw_double(w, NULL, v->d);
		return;
	case ATTR_BOOL:
		jsonw_bool(w, NULL, v->b);
		return;
	case ATTR_ARRAY:
		jsonw_arr(w, NULL);
		for (size_t i = 0; i < v->array.n; i++)
			put_value(w, &v->array.v[i]);
		jsonw_end_arr(w);
		return;
	}
}

/* As pairs: an object's keys would be sorted or merged by the page. */
static void put_attrs(struct jsonw *w, const char *key, const struct attr *attrs, size_t n)
{
	jsonw_arr(w, key);
	for (size_t i = 0; i < n; i++) {
		jsonw_arr(w, NULL);
		put_text(w, NULL, attrs[i].key);
		put_value(w, &attrs[i].value);
		jsonw_end_arr(w);
	}
	jsonw_end_arr(w);
}

static void put_links(struct jsonw *w, const struct spanrec *sp)
{
	jsonw_arr(w, "links");
	for (size_t i = 0; i < sp->n_links; i++) {
		jsonw_obj(w, NULL);
		jsonw_hex(w, "trace_id", sp->links[i].trace_id, 16);
		jsonw_hex(w, "span_id", sp->links[i].span_id, 8);
		jsonw_end_obj(w);
	}
	jsonw_end_arr(w);
}

static void put_span(struct jsonw *w, const struct spanrec *sp)
{
	static const char *const kinds[] = { "",       "internal", "server",
					     "client", "producer", "consumer" };
	static const char *const statuses[] = { "unset", "ok", "error" };

	jsonw_obj(w, NULL);
	jsonw_hex(w, "trace_id", sp->trace_id, 16);
	jsonw_hex(w, "span_id", sp->span_id, 8);
	if (sp->has_parent)
		jsonw_hex(w, "parent_id", sp->parent_id, 8);
	put_text(w, "parent_from", sp->parent_from);
	put_text(w, "name", sp->name);
	jsonw_cstr(w, "kind", kinds[sp->kind]);
	jsonw_cstr(w, "status", statuses[sp->status]);
	put_text(w, "status_message", sp->status_message);
	put_text(w, "scope", sp->scope);
	put_text(w, "trace_state", sp->trace_state);
	jsonw_u64(w, "start", sp->start);
	jsonw_u64(w, "end", sp->end);
	if (sp->has_pid)
		jsonw_uint(w, "pid", sp->pid);
	if (sp->goid)
		jsonw_u64(w, "goid", sp->goid);
	jsonw_bool(w, "incomplete", sp->incomplete);
	put_attrs(w, "attributes", sp->attrs, sp->n_attrs);
	put_attrs(w, "resource", sp->resource->attrs, sp->resource->n_attrs);
	put_links(w, sp);
	jsonw_uint(w, "dropped", sp->dropped_attrs);
	jsonw_end_obj(w);
}

bool webapi_span(struct jsonw *w, struct webdata *d, const uint8_t trace[16], const uint8_t id[8])
{
	const struct stored_trace *t;
	const struct kept_span *k;

	pthread_mutex_lock(&d->lock);
	t = spanstore_find(&d->store, trace);
	k = t ? t->spans : NULL;
	while (k && memcmp(k->sp.span_id, id, 8))
		k = k->next;
	if (k)
		put_span(w, &k->sp);
	pthread_mutex_unlock(&d->lock);
	return k;
}
