// SPDX-License-Identifier: Apache-2.0
#include "resource.h"

#include <errno.h>
#include <stdlib.h>

#include "record.h"
#include "resource_make.h"

#define BUCKETS 1024

struct resources {
	struct resource *bucket[BUCKETS];
	struct resource *oldest, **newest; /* in the order in which they came */
	size_t count;
	uint64_t serial;
	struct resource *nameless; /* of spans without a pid */
	struct resource_wishes wishes;
};

struct resources *resources_new(const char *const *extra, size_t n)
{
	struct resources *rs = calloc(1, sizeof(*rs));

	if (!rs)
		return NULL;
	rs->newest = &rs->oldest;
	rs->wishes.extra = extra;
	rs->wishes.n_extra = n;
	return rs;
}

void resources_base(struct resources *rs, const char *const *base, size_t n)
{
	rs->wishes.base = base;
	rs->wishes.n_base = n;
}

void resources_free(struct resources *rs)
{
	struct resource *next;

	if (!rs)
		return;
	for (struct resource *r = rs->oldest; r; r = next) {
		next = r->newer;
		resource_drop(r);
	}
	resource_drop(rs->nameless);
	free(rs);
}

struct resource *resource_hold(struct resource *r)
{
	r->refs++;
	return r;
}

void resource_drop(struct resource *r)
{
	if (!r || --r->refs)
		return;
	arena_release(&r->arena);
	free(r);
}

bool resource_same_target(const struct resource *a, const struct resource *b)
{
	return a == b || (text_equal(a->instance, b->instance) && text_equal(a->job, b->job));
}

static struct resource **slot_of(struct resources *rs, uint32_t pid)
{
	struct resource **at = &rs->bucket[pid % BUCKETS];

	while (*at && (*at)->pid != pid)
		at = &(*at)->chain;
	return at;
}

/* Takes the resource at *@link of the list by age out of both lists. */
static void forget(struct resources *rs, struct resource **link)
{
	struct resource *r = *link, **slot = &rs->bucket[r->pid % BUCKETS];

	while (*slot != r)
		slot = &(*slot)->chain;
	*slot = r->chain;
	*link = r->newer;
	if (rs->newest == &r->newer)
		rs->newest = link;
	rs->count--;
	resource_drop(r);
}

static void make_room(struct resources *rs)
{
	struct resource **link = &rs->oldest;

	if (!*link)
		return;
	while (*link && !(*link)->ended)
		link = &(*link)->newer;
	forget(rs, *link ? link : &rs->oldest);
}

static void forget_pid(struct resources *rs, uint32_t pid, int64_t now)
{
	struct resource *old = *slot_of(rs, pid), **link = &rs->oldest;

	if (!old)
		return;
	while (*link != old)
		link = &(*link)->newer;
	if (!old->ended)
		old->ended = now;
	forget(rs, link);
}

static struct resource *make(struct resources *rs, bool has_pid, uint32_t pid, uint64_t start,
			     const struct record *rec, struct errinfo *e)
{
	struct resource *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->refs = 1;
	r->serial = ++rs->serial;
	r->has_pid = has_pid;
	r->pid = pid;
	r->start = start;
	r->known = rec != NULL;
	if (resource_fill(r, rec, &rs->wishes, e)) {
		resource_drop(r);
		return NULL;
	}
	return r;
}

static void remember(struct resources *rs, struct resource *r)
{
	struct resource **slot;

	if (rs->count >= RESOURCES_MAX)
		make_room(rs);
	slot = slot_of(rs, r->pid);
	r->chain = *slot;
	*slot = r;
	*rs->newest = r;
	rs->newest = &r->newer;
	rs->count++;
}

static int read_identity(const struct record *r, uint32_t *pid, uint64_t *start, struct errinfo *e)
{
	uint64_t n;

	if (jsonv_u64(jsonv_member(r->root, K_PID), &n) || n > INT32_MAX)
		return errinfo_set(e, -EINVAL, "no process id \"pid\"");
	*pid = (uint32_t)n;
	if (jsonv_u64(jsonv_member(r->root, K_START), start))
		return errinfo_set(e, -EINVAL, "no start time \"start\"");
	return 0;
}

static bool same_value(const struct attr_value *a, const struct attr_value *b)
{
	if (a->type != b->type)
		return false;
	return a->type == ATTR_STRING ? text_equal(a->str, b->str)
				      : a->type == ATTR_INT && a->i == b->i;
}

/* Whether @r says nothing that @old, which may be NULL, does not say. */
static bool is_no_news(const struct resource *old, const struct resource *r)
{
	if (!old || old->start != r->start || old->n_attrs != r->n_attrs)
		return false;
	for (size_t i = 0; i < r->n_attrs; i++)
		if (!text_equal(old->attrs[i].key, r->attrs[i].key) ||
		    !same_value(&old->attrs[i].value, &r->attrs[i].value))
			return false;
	return true;
}

int resources_process(struct resources *rs, const struct record *rec, int64_t now,
		      struct errinfo *e)
{
	struct resource *r;
	uint32_t pid;
	uint64_t start;
	int ret = read_identity(rec, &pid, &start, e);

	if (ret)
		return ret;
	r = make(rs, true, pid, start, rec, e);
	if (!r)
		return errinfo_set(e, -ENOMEM, "out of memory");
	if (is_no_news(*slot_of(rs, pid), r)) {
		resource_drop(r);
		return 0;
	}
	forget_pid(rs, pid, now);
	remember(rs, r);
	return 0;
}

int resources_exit(struct resources *rs, const struct record *rec, int64_t now, struct errinfo *e)
{
	struct resource *r;
	uint32_t pid;
	uint64_t start;
	int ret = read_identity(rec, &pid, &start, e);

	if (ret)
		return ret;
	r = *slot_of(rs, pid);
	if (r && r->start == start)
		r->ended = now;
	return 0;
}

struct resource *resources_of(struct resources *rs, bool has_pid, uint32_t pid)
{
	struct resource *r = has_pid ? *slot_of(rs, pid) : rs->nameless;

	if (r)
		return r;
	r = make(rs, has_pid, pid, 0, NULL, NULL);
	if (r && has_pid)
		remember(rs, r);
	else
		rs->nameless = r;
	return r;
}
