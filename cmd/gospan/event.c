// SPDX-License-Identifier: Apache-2.0
#include "event.h"

#include <errno.h>
#include <string.h>

#include "record.h"
#include "table.h"

/* Every key of an event, in the order that goattach writes them. */
#define EVENT_KEYS(X)                                                                              \
	X(TYPE)                                                                                    \
	X(V)                                                                                       \
	X(T)                                                                                       \
	X(PID)                                                                                     \
	X(TID)                                                                                     \
	X(GOID)                                                                                    \
	X(DEPTH)                                                                                   \
	X(PROBE)                                                                                   \
	X(SPAN)                                                                                    \
	X(SYMBOL)                                                                                  \
	X(EVENT)                                                                                   \
	X(UNWIND)                                                                                  \
	X(TRACE_ID)                                                                                \
	X(SPAN_ID)                                                                                 \
	X(PARENT_ID)                                                                               \
	X(PARENT_FROM)                                                                             \
	X(FLAGS)                                                                                   \
	X(TRACE_STATE)                                                                             \
	X(LINKS)                                                                                   \
	X(VALUES)                                                                                  \
	X(UNREAD)                                                                                  \
	X(TRUNCATED)

enum event_key {
#define X(name) KEY_##name,
	EVENT_KEYS(X)
#undef X
		KEY_COUNT,
};

static const struct {
	const char *text;
	size_t len;
} keys[] = {
#define X(name) [KEY_##name] = { K_##name, sizeof(K_##name) - 1 },
	EVENT_KEYS(X)
#undef X
};

static bool is_key(unsigned i, const struct jsonv *k)
{
	return keys[i].len == k->len && !memcmp(keys[i].text, k->text, k->len);
}

/* KEY_COUNT if @k is not known. Keys come in one order, so @hint is mostly right. */
static unsigned key_find(const struct jsonv *k, unsigned hint)
{
	if (hint < KEY_COUNT && is_key(hint, k))
		return hint;
	for (unsigned i = 0; i < KEY_COUNT; i++)
		if (is_key(i, k))
			return i;
	return KEY_COUNT;
}

uint64_t event_name_hash(const struct jsonv *string)
{
	uint64_t h = hash_bytes(0, string->text, string->len);

	return h ? h : 1;
}

static enum event_kind event_kind(const struct jsonv *v)
{
	static const char *const kinds[] = {
		[EVENT_BEGIN] = "begin", [EVENT_END] = "end",	  [EVENT_UNWIND] = "unwind",
		[EVENT_POINT] = "point", [EVENT_AGAIN] = "again",
	};

	for (int i = 0; i < EVENT_UNKNOWN; i++)
		if (jsonv_is(v, kinds[i]))
			return (enum event_kind)i;
	return EVENT_UNKNOWN;
}

/* Whether @v is an identifier of @n bytes that is not all zeros. */
static bool read_id(const struct jsonv *v, uint8_t *id, size_t n)
{
	if (jsonv_hex(v, id, n))
		return false;
	for (size_t i = 0; i < n; i++)
		if (id[i])
			return true;
	return false;
}

static const struct jsonv *of_type(const struct jsonv *v, enum jsonv_type type)
{
	return v && v->type == type ? v : NULL;
}

static int missing(struct errinfo *e, const char *key)
{
	return errinfo_set(e, -EINVAL, "event: no usable \"%s\"", key);
}

/* What pairing cannot do without. */
static int read_identity(const struct jsonv *const *got, struct event *ev, struct errinfo *e)
{
	uint64_t pid;

	if (!of_type(got[KEY_EVENT], JSONV_STRING))
		return missing(e, K_EVENT);
	ev->kind = event_kind(got[KEY_EVENT]);
	if (ev->kind == EVENT_UNKNOWN)
		return 0;
	if (jsonv_u64(got[KEY_T], &ev->t))
		return missing(e, K_T);
	if (jsonv_u64(got[KEY_PID], &pid) || pid > UINT32_MAX)
		return missing(e, K_PID);
	ev->pid = (uint32_t)pid;
	if (jsonv_u64(got[KEY_GOID], &ev->goid))
		return missing(e, K_GOID);
	if (jsonv_i64(got[KEY_DEPTH], &ev->depth))
		return missing(e, K_DEPTH);
	ev->span = of_type(got[KEY_SPAN], JSONV_STRING);
	if (!ev->span)
		return missing(e, K_SPAN);
	ev->span_hash = event_name_hash(ev->span);
	return 0;
}

int event_read(const struct jsonv *root, struct event *ev, struct errinfo *e)
{
	const struct jsonv *got[KEY_COUNT] = { NULL };
	const struct jsonv *k = jsonv_first(root);
	unsigned hint = 0;
	uint64_t flags;
	int ret;

	ev->extras = ev->extras_left_out = 0;
	for (uint32_t i = 0; i < root->count; i++, k = jsonv_after(k + 1)) {
		unsigned key = key_find(k, hint);

		hint = key + 1;
		if (key < KEY_COUNT)
			got[key] = got[key] ? got[key] : k + 1;
		else if (ev->extras < EVENT_MAX_EXTRAS)
			ev->extra[ev->extras++] = k;
		else
			ev->extras_left_out++;
	}
	ret = read_identity(got, ev, e);
	if (ret || ev->kind == EVENT_UNKNOWN)
		return ret;
	ev->probe = of_type(got[KEY_PROBE], JSONV_STRING) ? event_name_hash(got[KEY_PROBE]) : 0;
	ev->flags = !jsonv_u64(got[KEY_FLAGS], &flags) && flags <= 255 ? (int)flags : -1;
	ev->has_trace = read_id(got[KEY_TRACE_ID], ev->trace_id, sizeof(ev->trace_id));
	ev->has_span = read_id(got[KEY_SPAN_ID], ev->span_id, sizeof(ev->span_id));
	ev->has_parent = read_id(got[KEY_PARENT_ID], ev->parent_id, sizeof(ev->parent_id));
	ev->symbol = of_type(got[KEY_SYMBOL], JSONV_STRING);
	ev->parent_from = of_type(got[KEY_PARENT_FROM], JSONV_STRING);
	ev->trace_state = of_type(got[KEY_TRACE_STATE], JSONV_STRING);
	ev->unwind = of_type(got[KEY_UNWIND], JSONV_STRING);
	ev->links = got[KEY_LINKS];
	ev->values = of_type(got[KEY_VALUES], JSONV_OBJECT);
	ev->truncated = of_type(got[KEY_TRUNCATED], JSONV_ARRAY);
	ev->unread = of_type(got[KEY_UNREAD], JSONV_ARRAY);
	return 0;
}
