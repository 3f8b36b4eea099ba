// SPDX-License-Identifier: Apache-2.0
#include "span.h"

#include <string.h>

#include "record.h"
#include "utf8.h"

/* JSON text of a target: bytes in its strings that are not UTF-8 become U+FFFD. */
static void write_raw(struct jsonw *w, struct scratch *text, const char *s, size_t len)
{
	size_t good = utf8_valid(s, len);

	if (good == len) {
		jsonw_raw(w, NULL, s, len);
		return;
	}
	text->len = 0;
	while (good < len) {
		scratch_put(text, s, good);
		scratch_put(text, "\xef\xbf\xbd", 3);
		s += good + 1;
		len -= good + 1;
		good = utf8_valid(s, len);
	}
	scratch_put(text, s, len);
	jsonw_raw(w, NULL, text->text, text->len);
}

/* What was cut is left out by whole members (W3C Trace Context level 2, section 3.3.1.5). */
static struct slice captured_tracestate(const struct attrs *a)
{
	struct slice state = attrs_get(a, NAME_GO_TRACESTATE);
	const char *comma;

	if (!state.len || !a->known[NAME_GO_TRACESTATE]->cut)
		return state;
	comma = memrchr(state.s, ',', state.len);
	state.len = comma ? (size_t)(comma - state.s) : 0;
	return state;
}

static void write_context(const struct call *c, const struct attrs *a, struct jsonw *w)
{
	struct slice from = attrs_text(a, values_last(a->vs, ROLE_PARENT_FROM));
	struct slice state = attrs_text(a, values_last(a->vs, ROLE_TRACE_STATE));

	jsonw_hex(w, K_TRACE_ID, c->trace_id, sizeof(c->trace_id));
	jsonw_hex(w, K_SPAN_ID, c->span_id, sizeof(c->span_id));
	if (c->has_parent)
		jsonw_hex(w, K_PARENT_ID, c->parent_id, sizeof(c->parent_id));
	if (!c->has_parent)
		jsonw_cstr(w, K_PARENT_FROM, "none");
	else if (from.len)
		jsonw_str(w, K_PARENT_FROM, from.s, from.len);
	if (c->flags >= 0)
		jsonw_int(w, K_FLAGS, c->flags);
	if (!state.len)
		state = captured_tracestate(a);
	/* Others' state belongs to others' parent; a bad one is as none (W3C). */
	if (from.len == 6 && !memcmp(from.s, "remote", 6) && state.len &&
	    tracestate_valid(state.s, state.len))
		jsonw_str(w, K_TRACE_STATE, state.s, state.len);
}

enum family { FAMILY_FUNCTION, FAMILY_HTTP_SERVER, FAMILY_HTTP_CLIENT };

static enum family family_of(struct slice type)
{
	if (type.len != 11)
		return FAMILY_FUNCTION;
	if (!memcmp(type.s, "http.server", 11))
		return FAMILY_HTTP_SERVER;
	return memcmp(type.s, "http.client", 11) ? FAMILY_FUNCTION : FAMILY_HTTP_CLIENT;
}

/* The probe's kind if it is one, else what the type of span suggests. */
static const char *span_kind(const struct probe *probe, enum family family)
{
	static const char *const kinds[] = { "server", "client", "internal", "producer",
					     "consumer" };

	for (size_t i = 0; probe && probe->kind && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(probe->kind, kinds[i]))
			return kinds[i];
	if (family == FAMILY_HTTP_CLIENT)
		return "client";
	return family == FAMILY_HTTP_SERVER ? "server" : "internal";
}

/* The elements of "truncated" or "unread", each once. */
static void write_list(struct jsonw *w, const char *key, const struct attrs *a,
		       enum value_role role)
{
	bool open = false;

	for (size_t i = 0; i < a->vs->n; i++) {
		struct slice t;

		if (a->vs->v[i].role != role || values_overridden(a->vs, i))
			continue;
		if (!open)
			jsonw_arr(w, key);
		open = true;
		t = attrs_text(a, &a->vs->v[i]);
		jsonw_str(w, NULL, t.s ? t.s : "", t.len);
	}
	if (open)
		jsonw_end_arr(w);
}

static void write_links(struct jsonw *w, const struct attrs *a)
{
	const struct values *vs = a->vs;
	bool open = false;

	for (size_t i = 0; i < vs->n; i++) {
		const struct value *v = &vs->v[i];

		if (v->role != ROLE_LINK)
			continue;
		if (!open)
			jsonw_arr(w, K_LINKS);
		open = true;
		jsonw_obj(w, NULL);
		jsonw_str(w, K_TRACE_ID, vs->text + v->key, v->key_len);
		jsonw_str(w, K_SPAN_ID, vs->text + v->text, v->len);
		jsonw_end_obj(w);
	}
	if (open)
		jsonw_end_arr(w);
}

/* Keys that a span record has of its own; a future event's key must not double them. */
static bool own_key(const char *s, size_t len)
{
	static const char *const own[] = {
		K_NAME,	  K_KIND,	    K_SCOPE,	  K_START,	K_END,
		K_STATUS, K_STATUS_MESSAGE, K_ATTRIBUTES, K_INCOMPLETE,
	};

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (strlen(own[i]) == len && !memcmp(own[i], s, len))
			return true;
	return false;
}

/* The event's keys that gospan does not know. */
static void write_extras(struct span_writer *sw, const struct attrs *a)
{
	const struct values *vs = a->vs;

	for (size_t i = 0; i < vs->n; i++) {
		const struct value *v = &vs->v[i];

		if (v->role != ROLE_EXTRA || own_key(vs->text + v->key, v->key_len) ||
		    values_overridden(vs, i))
			continue;
		attrs_write_key(a, v, sw->out);
		if (v->type == JSONV_OBJECT || v->type == JSONV_ARRAY)
			write_raw(sw->out, &sw->scratch, vs->text + v->text, v->len);
		else
			attrs_write_value(a, v, NULL, sw->out);
	}
}

/* Start and end, each CLOCK_REALTIME; hostile times must not turn them round. */
static void write_times(const struct call *c, uint64_t end, int64_t real_minus_mono,
			struct jsonw *w)
{
	const struct clock clock = { .real_minus_mono = real_minus_mono, .known = true };
	uint64_t start = clock_real(&clock, c->begin), stop;

	if (__builtin_add_overflow(start, end - c->begin, &stop))
		stop = UINT64_MAX;
	jsonw_u64(w, K_START, start);
	jsonw_u64(w, K_END, stop);
}

static void write_status(const struct description *d, struct jsonw *w)
{
	jsonw_cstr(w, K_STATUS, d->error ? "error" : d->ok ? "ok" : "unset");
	if (d->said.len)
		jsonw_str(w, K_STATUS_MESSAGE, d->said.s, d->said.len);
	else if (d->error && d->message)
		jsonw_cstr(w, K_STATUS_MESSAGE, d->message);
}

/* Everything that the conventions have a say in. */
static void write_body(struct span_writer *sw, const struct call *c, const struct attrs *a,
		       enum ending how, uint64_t end, int64_t real_minus_mono,
		       const struct probe *probe)
{
	struct slice type = attrs_text(a, values_last(a->vs, ROLE_SPAN));
	enum family family = family_of(type);
	struct jsonw *w = sw->out;
	struct slice scope;
	struct description d;

	if (family == FAMILY_HTTP_SERVER)
		http_server_describe(a, how, sw->methods, &sw->scratch, &d);
	else if (family == FAMILY_HTTP_CLIENT)
		http_client_describe(a, how, sw->methods, &d);
	else
		function_describe(a, how, probe, &d);
	jsonw_str(w, K_NAME, d.name.s, d.name.len);
	jsonw_cstr(w, K_KIND, span_kind(probe, family));
	scope = attrs_get(a, NAME_GO_SCOPE);
	if (scope.len)
		jsonw_str(w, K_SCOPE, scope.s, scope.len);
	else if (probe && probe->scope)
		jsonw_cstr(w, K_SCOPE, probe->scope);
	else if (family != FAMILY_FUNCTION)
		jsonw_cstr(w, K_SCOPE, "net/http");
	jsonw_str(w, K_SPAN, type.s, type.len);
	write_times(c, end, real_minus_mono, w);
	write_status(&d, w);
	jsonw_obj(w, K_ATTRIBUTES);
	if (family == FAMILY_HTTP_SERVER)
		http_server_attributes(a, &d, &sw->scratch, w);
	else if (family == FAMILY_HTTP_CLIENT)
		http_client_attributes(a, &d, &sw->scratch, w);
	else
		function_attributes(a, &d, &sw->scratch, w);
	jsonw_end_obj(w);
}

void span_write(struct span_writer *sw, const struct call *c, enum ending how, uint64_t end,
		int64_t real_minus_mono, const struct probe *probe)
{
	struct jsonw *w = sw->out;
	struct attrs a;

	attrs_init(&a, &c->values, sw->doc);
	jsonw_record(w, T_SPAN);
	jsonw_uint(w, K_PID, c->proc->pid);
	jsonw_u64(w, K_GOID, c->goid);
	write_context(c, &a, w);
	write_body(sw, c, &a, how, end, real_minus_mono, probe);
	if (how == ENDING_INCOMPLETE)
		jsonw_bool(w, K_INCOMPLETE, true);
	write_links(w, &a);
	write_list(w, K_TRUNCATED, &a, ROLE_TRUNCATED);
	write_list(w, K_UNREAD, &a, ROLE_UNREAD);
	write_extras(sw, &a);
	jsonw_end_record(w);
}
