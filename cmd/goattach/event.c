// SPDX-License-Identifier: Apache-2.0
#include "event.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "attributes.h"
#include "gotime.h"
#include "record.h"

/* In the order of enum gotap_parent and enum gotap_unwind_reason. */
static const char *const parents[] = {
	"\"none\"", "\"stack\"", "\"remote\"", "\"context\"", "\"goroutine\"", "\"none\"",
};
static const char *const unwinds[] = { "\"panic\"", "\"goexit\"", "\"stale\"", "\"closed\"",
				       "\"covered\"" };

static void put_word(struct jsonw *w, const char *key, const char *const *words, size_t n,
		     unsigned int i)
{
	if (i < n)
		jsonw_raw(w, key, words[i], strlen(words[i]));
}

static bool all_zero(const uint8_t *p, size_t n)
{
	while (n && !*p) {
		p++;
		n--;
	}
	return !n;
}

static void put_parent(struct jsonw *w, const struct gotap_event *ev)
{
	if (ev->parent_from != GOTAP_PARENT_LINK && !all_zero(ev->parent_id, sizeof(ev->parent_id)))
		jsonw_hex(w, K_PARENT_ID, ev->parent_id, sizeof(ev->parent_id));
	put_word(w, K_PARENT_FROM, parents, sizeof(parents) / sizeof(parents[0]), ev->parent_from);
	jsonw_uint(w, K_FLAGS, ev->flags);
}

/* To a span that is no parent: its trace id is behind the values. */
static void put_link(struct jsonw *w, const struct gotap_event *ev, size_t size)
{
	const uint8_t *trace = (const uint8_t *)(ev + 1) + ev->used;

	if (ev->event != GOTAP_BEGIN || ev->parent_from != GOTAP_PARENT_LINK ||
	    size < sizeof(*ev) + ev->used + GOTAP_TRACE_ID)
		return;
	jsonw_arr(w, K_LINKS);
	jsonw_obj(w, NULL);
	jsonw_hex(w, K_TRACE_ID, trace, GOTAP_TRACE_ID);
	jsonw_hex(w, K_SPAN_ID, ev->parent_id, sizeof(ev->parent_id));
	jsonw_end_obj(w);
	jsonw_end_arr(w);
}

static void put_trace(struct jsonw *w, const struct gotap_event *ev)
{
	if (!all_zero(ev->span_id, sizeof(ev->span_id))) {
		jsonw_hex(w, K_TRACE_ID, ev->trace_id, sizeof(ev->trace_id));
		jsonw_hex(w, K_SPAN_ID, ev->span_id, sizeof(ev->span_id));
	}
	if (ev->event == GOTAP_BEGIN)
		put_parent(w, ev);
	if (ev->event == GOTAP_BEGIN && !(ev->flags & GOTAP_FLAG_SAMPLED))
		jsonw_bool(w, K_SAMPLED, false);
	if (ev->event == GOTAP_UNWIND)
		put_word(w, K_UNWIND, unwinds, sizeof(unwinds) / sizeof(unwinds[0]), ev->unwind);
}

static int64_t sign_extend(uint64_t n, unsigned int size)
{
	unsigned int shift = 64 - 8 * size;

	return (int64_t)(n << shift) >> shift;
}

static uint64_t low_bytes(uint64_t n, unsigned int size)
{
	return size >= 8 ? n : n & ((1ULL << (8 * size)) - 1);
}

static double to_double(uint64_t n, unsigned int size)
{
	uint32_t low = (uint32_t)n;
	double d;
	float f;

	if (size == 4) {
		memcpy(&f, &low, sizeof(f));
		return (double)f;
	}
	memcpy(&d, &n, sizeof(d));
	return d;
}

static void put_number(struct jsonw *w, const struct capture *c, uint64_t n)
{
	unsigned int size = c->size && c->size <= 8 ? c->size : 8;
	char text[32];

	if (c->form == FORM_FLOAT && !isfinite(to_double(n, size)))
		return;
	jsonw_key(w, c->name, c->name_len);
	switch (c->form) {
	case FORM_INT:
		jsonw_int(w, NULL, sign_extend(n, size));
		break;
	case FORM_UINT:
		jsonw_uint(w, NULL, low_bytes(n, size));
		break;
	case FORM_BOOL:
		jsonw_bool(w, NULL, low_bytes(n, size) != 0);
		break;
	case FORM_FLOAT:
		jsonw_double(w, NULL, to_double(n, size));
		break;
	default:
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)low_bytes(n, size));
		jsonw_cstr(w, NULL, text);
		break;
	}
}

static void put_type(struct jsonw *w, const struct capture *c, uint64_t n,
		     const struct event_from *from)
{
	const char *name = NULL;

	if (from->types && n > from->bias)
		name = typenames_find(from->types, c->types, n - from->bias);
	if (name)
		jsonw_str_key(w, c->name, c->name_len, name, strlen(name));
}

static void put_time(struct jsonw *w, const struct capture *c, uint64_t wall, uint64_t ext)
{
	char text[40];

	if (gotime_text(wall, ext, text, sizeof(text)))
		jsonw_str_key(w, c->name, c->name_len, text, strlen(text));
}

/* A walk over the values of a record, in the order of its program's captures. */
struct walk {
	const struct gotap_event *ev;
	const uint8_t *at, *end;
	const struct probe *p;
	const struct program *pr;
	uint32_t i; /* of the capture that comes next */
};

struct value {
	const struct capture *c;
	const char *text; /* of a text */
	size_t len;
	uint64_t number;
};

static void walk_start(struct walk *k, const struct gotap_event *ev, size_t size,
		       const struct probe *p, const struct program *pr)
{
	const uint8_t *from = (const uint8_t *)(ev + 1);
	size_t have = size - sizeof(*ev);

	*k = (struct walk){ ev, from, from + (ev->used < have ? ev->used : have), p, pr, 0 };
}

static bool walk_next(struct walk *k, struct value *v)
{
	uint16_t len;

	while (k->i < k->pr->n && !(k->ev->present >> k->i & 1))
		k->i++;
	if (k->i >= k->pr->n || k->end - k->at < 8)
		return false;
	v->c = &k->p->captures[k->pr->captures[k->i++]];
	if (v->c->form != FORM_TEXT && v->c->form != FORM_ATTRS) {
		memcpy(&v->number, k->at, sizeof(v->number));
		k->at += 8;
		return true;
	}
	memcpy(&len, k->at, sizeof(len));
	if (len > k->end - k->at - 2)
		return false;
	v->text = (const char *)k->at + 2;
	v->len = len;
	k->at += (2U + len + 7) & ~7U;
	return true;
}

static void put_constants(struct jsonw *w, const struct probe *p, const struct program *pr)
{
	for (uint32_t i = 0; i < pr->n; i++) {
		const struct capture *c = &p->captures[pr->captures[i]];

		if (c->form == FORM_CONST_TEXT) {
			jsonw_str_key(w, c->name, c->name_len, c->constant, strlen(c->constant));
		} else if (c->form == FORM_CONST) {
			jsonw_key(w, c->name, c->name_len);
			jsonw_raw(w, NULL, c->constant, strlen(c->constant));
		}
	}
}

static bool has_constants(const struct probe *p, const struct program *pr)
{
	for (uint32_t i = 0; i < pr->n; i++)
		if (p->captures[pr->captures[i]].form >= FORM_CONST_TEXT)
			return true;
	return false;
}

/* Takes one word of a time.Time: the first is kept, the second ends it. */
static void put_time_word(struct jsonw *w, struct value *wall, const struct value *v)
{
	if (v->c->form == FORM_TIME_WALL)
		*wall = *v;
	else if (wall->c && !strcmp(wall->c->name, v->c->name))
		put_time(w, v->c, wall->number, v->number);
}

static void put_values(struct jsonw *w, const struct gotap_event *ev, size_t size,
		       const struct event_from *from, const struct probe *p,
		       const struct program *pr)
{
	struct value wall = { .c = NULL };
	struct value v;
	struct walk k;

	walk_start(&k, ev, size, p, pr);
	jsonw_obj(w, K_VALUES);
	put_constants(w, p, pr);
	while (walk_next(&k, &v)) {
		if (v.c->form == FORM_TIME_WALL || v.c->form == FORM_TIME_EXT)
			put_time_word(w, &wall, &v);
		else if (v.c->form == FORM_TYPE)
			put_type(w, v.c, v.number, from);
		else if (v.c->form == FORM_ATTRS)
			attributes_write(w, v.c, v.text, v.len);
		else if (v.c->form == FORM_TEXT)
			jsonw_str_key(w, v.c->name, v.c->name_len, v.text, v.len);
		else
			put_number(w, v.c, v.number);
	}
	jsonw_end_obj(w);
}

/* The names of the captures whose bits are set. */
static void put_names(struct jsonw *w, const char *key, unsigned int bits, const struct probe *p,
		      const struct program *pr)
{
	if (!bits)
		return;
	jsonw_arr(w, key);
	for (uint32_t i = 0; i < pr->n; i++) {
		const struct capture *c = &p->captures[pr->captures[i]];

		if (bits >> i & 1)
			jsonw_str(w, NULL, c->name, c->name_len);
	}
	jsonw_end_arr(w);
}

void event_write(struct jsonw *w, const struct gotap_event *ev, size_t size,
		 const struct event_from *from, const struct probe *p, const struct probe *at,
		 const struct program *pr)
{
	jsonw_record(w, T_EVENT);
	jsonw_u64(w, K_T, ev->t);
	jsonw_int(w, K_PID, from->pid);
	jsonw_uint(w, K_TID, ev->tid);
	jsonw_u64(w, K_GOID, ev->goid);
	jsonw_uint(w, K_DEPTH, ev->depth);
	/* "probe" and what follows up to "event" */
	jsonw_raw(w, K_PROBE, p->head[ev->event & 15].text, p->head[ev->event & 15].len);
	put_trace(w, ev);
	put_link(w, ev, size);
	if (pr && (ev->event != GOTAP_UNWIND || ev->used)) {
		if (ev->present || has_constants(at, pr))
			put_values(w, ev, size, from, at, pr);
		put_names(w, K_UNREAD, ev->unread, at, pr);
		put_names(w, K_TRUNCATED, ev->truncated, at, pr);
	}
	jsonw_end_record(w);
}
