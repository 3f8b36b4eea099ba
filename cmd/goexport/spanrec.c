// SPDX-License-Identifier: Apache-2.0
#include "spanrec.h"

#include <errno.h>

#include "attr_read.h"
#include "cleantext.h"
#include "record.h"

/* Room for the attributes that are made of other keys, see add_notes(). */
#define EXTRA_ATTRS 3

struct reader {
	struct spanrec *sp;
	struct jsonv_doc *doc;
	struct arena *arena;
	struct errinfo *e;
	bool has_trace, has_span, has_start, has_end, has_name;
	const struct jsonv *unread, *truncated;
};

static int bad(struct reader *rd, const char *what)
{
	return errinfo_set(rd->e, -EINVAL, "span: %s", what);
}

static int read_text(struct reader *rd, const struct jsonv *v, struct text *out, const char *what)
{
	const char *s;
	size_t len;
	int ret = jsonv_str(rd->doc, v, &s, &len);

	if (ret == -EINVAL)
		return bad(rd, what);
	return ret ? ret : text_clean(rd->arena, s, len, out);
}

static bool all_zero(const uint8_t *p, size_t n)
{
	while (n && !*p)
		p++, n--;
	return !n;
}

static int read_trace_id(struct reader *rd, const struct jsonv *v)
{
	if (jsonv_hex(v, rd->sp->trace_id, 16) || all_zero(rd->sp->trace_id, 16))
		return bad(rd, "\"trace_id\" is not 32 hexadecimal digits, not all zero");
	rd->has_trace = true;
	return 0;
}

static int read_span_id(struct reader *rd, const struct jsonv *v)
{
	if (jsonv_hex(v, rd->sp->span_id, 8) || all_zero(rd->sp->span_id, 8))
		return bad(rd, "\"span_id\" is not 16 hexadecimal digits, not all zero");
	rd->has_span = true;
	return 0;
}

static int read_parent_id(struct reader *rd, const struct jsonv *v)
{
	if (jsonv_hex(v, rd->sp->parent_id, 8))
		return bad(rd, "\"parent_id\" is not 16 hexadecimal digits");
	rd->sp->has_parent = !all_zero(rd->sp->parent_id, 8);
	return 0;
}

static int read_parent_from(struct reader *rd, const struct jsonv *v)
{
	rd->sp->remote_parent = jsonv_is(v, "remote");
	if (v->type != JSONV_STRING)
		return 0;
	return read_text(rd, v, &rd->sp->parent_from, "\"parent_from\"");
}

static int read_flags(struct reader *rd, const struct jsonv *v)
{
	uint64_t n;

	if (jsonv_u64(v, &n))
		return bad(rd, "\"flags\" is not a number");
	rd->sp->flags = n & 0xff;
	return 0;
}

static int read_trace_state(struct reader *rd, const struct jsonv *v)
{
	return read_text(rd, v, &rd->sp->trace_state, "\"trace_state\" is not a string");
}

static int read_name(struct reader *rd, const struct jsonv *v)
{
	rd->has_name = true;
	return read_text(rd, v, &rd->sp->name, "\"name\" is not a string");
}

static int read_scope(struct reader *rd, const struct jsonv *v)
{
	return read_text(rd, v, &rd->sp->scope, "\"scope\" is not a string");
}

static int read_status_message(struct reader *rd, const struct jsonv *v)
{
	return read_text(rd, v, &rd->sp->status_message, "\"status_message\" is not a string");
}

static int read_kind(struct reader *rd, const struct jsonv *v)
{
	static const char *const names[] = {
		[SPAN_INTERNAL] = "internal", [SPAN_SERVER] = "server",
		[SPAN_CLIENT] = "client",     [SPAN_PRODUCER] = "producer",
		[SPAN_CONSUMER] = "consumer",
	};

	for (int i = SPAN_INTERNAL; i <= SPAN_CONSUMER; i++)
		if (jsonv_is(v, names[i])) {
			rd->sp->kind = (enum span_kind)i;
			return 0;
		}
	return bad(rd, "\"kind\" is not one that is known");
}

static int read_status(struct reader *rd, const struct jsonv *v)
{
	static const char *const names[] = { "unset", "ok", "error" };

	for (int i = STATUS_UNSET; i <= STATUS_ERROR; i++)
		if (jsonv_is(v, names[i])) {
			rd->sp->status = (enum span_status)i;
			return 0;
		}
	return bad(rd, "\"status\" is not unset, ok or error");
}

static int read_start(struct reader *rd, const struct jsonv *v)
{
	if (jsonv_u64(v, &rd->sp->start))
		return bad(rd, "\"start\" is not a time in nanoseconds");
	rd->has_start = true;
	return 0;
}

static int read_end(struct reader *rd, const struct jsonv *v)
{
	if (jsonv_u64(v, &rd->sp->end))
		return bad(rd, "\"end\" is not a time in nanoseconds");
	rd->has_end = true;
	return 0;
}

static int read_incomplete(struct reader *rd, const struct jsonv *v)
{
	if (jsonv_bool(v, &rd->sp->incomplete))
		return bad(rd, "\"incomplete\" is not true or false");
	return 0;
}

static int read_sampled(struct reader *rd, const struct jsonv *v)
{
	bool sampled;

	if (jsonv_bool(v, &sampled))
		return bad(rd, "\"sampled\" is not true or false");
	rd->sp->unsampled = !sampled;
	return 0;
}

static int read_pid(struct reader *rd, const struct jsonv *v)
{
	uint64_t pid;

	if (jsonv_u64(v, &pid) || pid > INT32_MAX)
		return bad(rd, "\"pid\" is not a process id");
	rd->sp->pid = (uint32_t)pid;
	rd->sp->has_pid = true;
	return 0;
}

static int read_goid(struct reader *rd, const struct jsonv *v)
{
	if (jsonv_u64(v, &rd->sp->goid))
		rd->sp->goid = 0;
	return 0;
}

static int read_unread(struct reader *rd, const struct jsonv *v)
{
	rd->unread = v;
	return 0;
}

static int read_truncated(struct reader *rd, const struct jsonv *v)
{
	rd->truncated = v;
	return 0;
}

static int read_attributes(struct reader *rd, const struct jsonv *v)
{
	struct spanrec *sp = rd->sp;
	const struct jsonv *k;
	uint32_t n;

	if (v->type != JSONV_OBJECT)
		return bad(rd, "\"attributes\" is not an object");
	n = v->count < SPAN_MAX_ATTRS ? v->count : SPAN_MAX_ATTRS;
	sp->dropped_attrs = v->count - n;
	sp->n_attrs = 0;
	sp->attrs = arena_array(rd->arena, n + EXTRA_ATTRS, sizeof(*sp->attrs));
	if (!sp->attrs)
		return -ENOMEM;
	k = jsonv_first(v);
	for (uint32_t i = 0; i < n; i++, k = jsonv_after(k + 1)) {
		struct attr *at = &sp->attrs[sp->n_attrs];
		int ret = read_text(rd, k, &at->key, "key");

		if (!ret)
			ret = attr_value_read(rd->doc, k + 1, rd->arena, &at->value);
		if (ret)
			return ret;
		if (at->key.len && k[1].type != JSONV_NULL)
			sp->n_attrs++;
		else
			sp->dropped_attrs++; /* OpenTelemetry has no such attribute */
	}
	return 0;
}

static int read_links(struct reader *rd, const struct jsonv *v)
{
	struct spanrec *sp = rd->sp;
	const struct jsonv *item;
	uint32_t n;

	if (v->type != JSONV_ARRAY)
		return bad(rd, "\"links\" is not an array");
	n = v->count < SPAN_MAX_LINKS ? v->count : SPAN_MAX_LINKS;
	sp->dropped_links = v->count - n;
	sp->n_links = 0;
	sp->links = arena_array(rd->arena, n, sizeof(*sp->links));
	if (!sp->links)
		return -ENOMEM;
	item = jsonv_first(v);
	for (uint32_t i = 0; i < n; i++, item = jsonv_after(item)) {
		struct span_link *l = &sp->links[sp->n_links++];

		if (jsonv_hex(jsonv_member(item, K_TRACE_ID), l->trace_id, 16) ||
		    jsonv_hex(jsonv_member(item, K_SPAN_ID), l->span_id, 8))
			return bad(rd, "a link without \"trace_id\" and \"span_id\"");
	}
	return 0;
}

struct field {
	const char *key;
	size_t len;
	int (*read)(struct reader *rd, const struct jsonv *v);
};

#define FIELD(key, read)                                                                           \
	{                                                                                          \
		key, sizeof(key) - 1, read                                                         \
	}

/* In the order in which gospan writes them, so that a look-up is mostly one comparison. */
static const struct field fields[] = {
	FIELD(K_PID, read_pid),
	FIELD(K_GOID, read_goid),
	FIELD(K_TRACE_ID, read_trace_id),
	FIELD(K_SPAN_ID, read_span_id),
	FIELD(K_PARENT_ID, read_parent_id),
	FIELD(K_PARENT_FROM, read_parent_from),
	FIELD(K_FLAGS, read_flags),
	FIELD(K_TRACE_STATE, read_trace_state),
	FIELD(K_NAME, read_name),
	FIELD(K_KIND, read_kind),
	FIELD(K_SCOPE, read_scope),
	FIELD(K_START, read_start),
	FIELD(K_END, read_end),
	FIELD(K_STATUS, read_status),
	FIELD(K_STATUS_MESSAGE, read_status_message),
	FIELD(K_ATTRIBUTES, read_attributes),
	FIELD(K_LINKS, read_links),
	FIELD(K_INCOMPLETE, read_incomplete),
	FIELD(K_TRUNCATED, read_truncated),
	FIELD(K_UNREAD, read_unread),
	FIELD(K_SAMPLED, read_sampled),
};

#define N_FIELDS (sizeof(fields) / sizeof(*fields))

static const struct field *field_of(const struct jsonv *k, size_t *at)
{
	for (size_t i = 0; i < N_FIELDS; i++) {
		const struct field *f = &fields[(*at + i) % N_FIELDS];

		if (f->len == k->len && !memcmp(f->key, k->text, k->len)) {
			*at = (size_t)(f - fields) + 1;
			return f;
		}
	}
	return NULL;
}

static int check(struct reader *rd)
{
	if (!rd->has_trace)
		return bad(rd, "no \"trace_id\"");
	if (!rd->has_span)
		return bad(rd, "no \"span_id\"");
	if (!rd->has_name)
		return bad(rd, "no \"name\"");
	if (!rd->has_start || !rd->has_end)
		return bad(rd, "no \"start\" or no \"end\"");
	if (rd->sp->end < rd->sp->start)
		return bad(rd, "\"end\" is before \"start\"");
	return 0;
}

static void attr_add(struct spanrec *sp, const char *key, const struct attr_value *value)
{
	sp->attrs[sp->n_attrs].key = text_of(key);
	sp->attrs[sp->n_attrs++].value = *value;
}

/* What gospan says about a span beside its attributes, as attributes of ours. */
static int add_notes(struct reader *rd)
{
	struct spanrec *sp = rd->sp;
	struct attr_value value = { .type = ATTR_BOOL, .b = true };

	if (!sp->incomplete && !rd->truncated && !rd->unread)
		return 0;
	if (!sp->attrs)
		sp->attrs = arena_array(rd->arena, EXTRA_ATTRS, sizeof(*sp->attrs));
	if (!sp->attrs)
		return -ENOMEM;
	if (sp->incomplete)
		attr_add(sp, "gotap.incomplete", &value);
	if (rd->truncated) {
		if (attr_value_read(rd->doc, rd->truncated, rd->arena, &value))
			return -ENOMEM;
		attr_add(sp, "gotap.truncated", &value);
	}
	if (rd->unread) {
		if (attr_value_read(rd->doc, rd->unread, rd->arena, &value))
			return -ENOMEM;
		attr_add(sp, "gotap.unread", &value);
	}
	return 0;
}

int spanrec_parse(struct spanrec *sp, const struct record *r, struct arena *a, struct errinfo *e)
{
	struct reader rd = { .sp = sp, .doc = r->doc, .arena = a, .e = e };
	const struct jsonv *k = jsonv_first(r->root);
	size_t at = 0;
	int ret;

	memset(sp, 0, sizeof(*sp));
	sp->kind = SPAN_INTERNAL;
	for (uint32_t i = 0; i < r->root->count; i++, k = jsonv_after(k + 1)) {
		const struct field *f = field_of(k, &at);

		ret = f ? f->read(&rd, k + 1) : 0;
		if (ret)
			return ret;
	}
	ret = check(&rd);
	if (ret)
		return ret;
	sp->remote_parent = sp->remote_parent && sp->has_parent;
	sp->flags |= 0x100u | (sp->remote_parent ? 0x200u : 0);
	return add_notes(&rd);
}

struct text spanrec_text(const struct spanrec *sp, const char *key)
{
	const struct attr *at = attr_find(sp->attrs, sp->n_attrs, key);

	return at && at->value.type == ATTR_STRING ? at->value.str : (struct text){ 0 };
}
