// SPDX-License-Identifier: Apache-2.0
#include "probe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "foreign.h"
#include "jsonw.h"
#include "program.h"
#include "record.h"

#if defined(__x86_64__)
#define MACHINE_ARCH "amd64"
#define MACHINE_ARGS 9
#elif defined(__aarch64__)
#define MACHINE_ARCH "arm64"
#define MACHINE_ARGS 16
#else
#error "unknown architecture"
#endif

/* In the order of enum gotap_event_kind and enum site_at. */
static const char *const events[] = {
	[GOTAP_BEGIN] = "begin", [GOTAP_END] = "end",	    [GOTAP_UNWIND] = "unwind",
	[GOTAP_POINT] = "point", [GOTAP_CREATE] = "create", [GOTAP_DISOWN] = "disown",
	[GOTAP_COVER] = "cover", [GOTAP_AGAIN] = "again",   [GOTAP_DETACH] = "detach",
};
static const char *const places[] = { NULL, "entry", "ret", "call", "after", "tail" };

const char *event_name(enum gotap_event_kind event)
{
	return events[event];
}

static int name_index(const struct jsonv *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (names[i] && jsonv_is(name, names[i]))
			return (int)i;
	return -EINVAL;
}

int event_parse(const struct jsonv *name)
{
	return name_index(name, events, sizeof(events) / sizeof(events[0]));
}

int site_at_parse(const struct jsonv *name)
{
	return name_index(name, places, sizeof(places) / sizeof(places[0]));
}

bool probe_has(const struct probe *p, enum gotap_event_kind event)
{
	for (uint32_t i = 0; i < p->n_sites; i++)
		if (p->sites[i].event == event)
			return true;
	return false;
}

struct parser {
	struct jsonv_doc *d;
	const struct jsonv *root;
	struct probe *p;
	probe_complaint complain;
	void *arg;
	struct errinfo *e;
};

static const char *probe_label(const struct probe *p)
{
	return p->id ? p->id : "?";
}

/* --- names ----------------------------------------------------------------- */

static int parse_names(struct parser *ps)
{
	struct probe *p = ps->p;
	const struct {
		const char *key;
		char **to;
		bool needed;
	} names[] = {
		{ K_PROBE, &p->id, true },   { K_BINARY, &p->binary, true },
		{ K_SPAN, &p->span, true },  { K_SYMBOL, &p->symbol, true },
		{ K_PATH, &p->path, false }, { K_RECIPE, &p->recipe, false },
		{ K_KIND, &p->kind, false }, { K_SCOPE, &p->scope, false },
		{ K_NAME, &p->name, false }, { K_TRACED_BY, &p->traced_by, false },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct jsonv *v = jsonv_member(ps->root, names[i].key);

		if (!v && !names[i].needed)
			continue;
		*names[i].to = jsonv_strdup(ps->d, v);
		if (!*names[i].to || (names[i].needed && !**names[i].to))
			return errinfo_set(ps->e, -EINVAL,
					   "probe %s: \"%s\" is missing or no string",
					   probe_label(p), names[i].key);
	}
	return 0;
}

/* One of some words, the first of them the default: its number. */
static int parse_choice(struct parser *ps, const char *key, const char *const *words, size_t n,
			int *out)
{
	const struct jsonv *v = jsonv_member(ps->root, key);

	*out = v ? name_index(v, words, n) : 0;
	if (*out >= 0)
		return 0;
	return errinfo_set(ps->e, -EINVAL, "probe %s: unknown \"%s\"", probe_label(ps->p), key);
}

static int parse_modes(struct parser *ps)
{
	const struct jsonv *arch = jsonv_member(ps->root, K_ARCH);
	static const char *const role[] = { "span", "unwind", "lineage", "cover" };
	static const char *const pair[] = { "depth", "goroutine", "object" };
	int n, ret;

	if (arch && !jsonv_is(arch, MACHINE_ARCH))
		return errinfo_set(ps->e, -EINVAL,
				   "probe %s: for another architecture than " MACHINE_ARCH,
				   probe_label(ps->p));
	ret = parse_choice(ps, K_ROLE, role, 4, &n);
	if (!ret)
		ret = parse_choice(ps, K_PAIR, pair, 3, &n);
	ps->p->by_goroutine = n == 1;
	ps->p->by_object = n == 2;
	return ret;
}

/* What tells why a goroutine waits; a plan need not have it. */
static void parse_waits(const struct jsonv *g, struct probe *p)
{
	uint64_t status, reason, switches, minor;

	if (jsonv_u64(jsonv_member(g, K_STATUS), &status) || status > UINT16_MAX ||
	    jsonv_u64(jsonv_member(g, K_WAIT_REASON), &reason) || reason > UINT16_MAX ||
	    jsonv_u64(jsonv_member(g, K_SWITCHES), &switches) || switches > UINT16_MAX ||
	    jsonv_u64(jsonv_member(g, K_GO), &minor) || minor > UINT16_MAX)
		return;
	p->has_waits = true;
	p->status_off = (uint16_t)status;
	p->wait_reason_off = (uint16_t)reason;
	p->switches_off = (uint16_t)switches;
	p->go_minor = (uint16_t)minor;
}

static int parse_g(struct parser *ps)
{
	const struct jsonv *g = jsonv_member(ps->root, K_G);
	uint64_t goid, hi;
	struct errinfo why;
	int ret;

	if (jsonv_u64(jsonv_member(g, K_GOID), &goid) || goid > UINT16_MAX)
		return errinfo_set(ps->e, -EINVAL, "probe %s: \"g\" has no good \"goid\"",
				   probe_label(ps->p));
	if (jsonv_u64(jsonv_member(g, K_STACK_HI), &hi) || hi > UINT16_MAX)
		return errinfo_set(ps->e, -EINVAL, "probe %s: \"g\" has no good \"stack_hi\"",
				   probe_label(ps->p));
	ps->p->goid_off = (uint32_t)goid;
	ps->p->stack_hi_off = (uint32_t)hi;
	parse_waits(g, ps->p);
	ret = capture_parse_g(ps->d, jsonv_member(g, K_OPS), MACHINE_ARGS, ps->p, &why);
	if (!ret)
		return 0;
	return errinfo_set(ps->e, ret == -E2BIG ? -EINVAL : ret, "probe %s: g: %s",
			   probe_label(ps->p), why.text);
}

static int parse_panic(struct parser *ps)
{
	const struct jsonv *v = jsonv_member(ps->root, K_PANIC);
	uint64_t off, via, sp;

	if (!v)
		return 0;
	if (jsonv_u64(jsonv_member(v, K_OFFSET), &off) || !off || off > UINT16_MAX ||
	    jsonv_u64(jsonv_member(v, K_VIA), &via) || via > UINT16_MAX ||
	    jsonv_u64(jsonv_member(v, K_SP), &sp) || sp > UINT16_MAX)
		return errinfo_set(ps->e, -EINVAL, "probe %s: \"panic\" lacks a good offset",
				   probe_label(ps->p));
	ps->p->panic_off = (uint16_t)off;
	ps->p->panic_via = (uint16_t)via;
	ps->p->panic_sp = (uint16_t)sp;
	return 0;
}

/* --- sites ----------------------------------------------------------------- */

static int bad_site(struct parser *ps, uint32_t i, const char *why)
{
	return errinfo_set(ps->e, -EINVAL, "probe %s: site %u: %s", probe_label(ps->p), i + 1, why);
}

static int parse_bytes(const struct jsonv *v, struct site *s)
{
	if (!v || v->type != JSONV_STRING || v->len % 2 || !v->len || v->len > 2 * SITE_BYTES)
		return -EINVAL;
	s->n_bytes = (uint8_t)(v->len / 2);
	return jsonv_hex(v, s->bytes, s->n_bytes);
}

/* "when": {"arg": 1, "size": 8, "zero": true}. -EINVAL. */
static int parse_when(const struct jsonv *v, struct site *s)
{
	uint64_t reg, size;
	bool zero;

	if (!v)
		return 0;
	if (jsonv_u64(jsonv_member(v, K_ARG), &reg) || reg >= MACHINE_ARGS ||
	    jsonv_u64(jsonv_member(v, K_SIZE), &size) || (size != 1 && size != 8) ||
	    jsonv_bool(jsonv_member(v, K_ZERO), &zero))
		return -EINVAL;
	s->when = (uint8_t)(GOTAP_WHEN_GIVEN | (zero ? GOTAP_WHEN_ZERO : 0) |
			    (size == 1 ? GOTAP_WHEN_BYTE : 0));
	s->when_reg = (uint8_t)reg;
	return 0;
}

static int parse_site(struct parser *ps, uint32_t i, const struct jsonv *v)
{
	const struct jsonv *adjust = jsonv_member(v, K_DEPTH_ADJUST);
	const struct jsonv *repeats = jsonv_member(v, K_REPEATS);
	struct site *s = &ps->p->sites[i];
	int event = event_parse(jsonv_member(v, K_EVENT)),
	    at = site_at_parse(jsonv_member(v, K_AT));
	int64_t n = 0;

	if (v->type != JSONV_OBJECT)
		return bad_site(ps, i, "no object");
	if (event < 0)
		return bad_site(ps, i, "\"event\" is missing or unknown");
	if (at < 0)
		return bad_site(ps, i, "\"at\" is missing or unknown");
	if (jsonv_u64(jsonv_member(v, K_ADDR), &s->addr))
		return bad_site(ps, i, "\"addr\" is missing or no address");
	if (jsonv_u64(jsonv_member(v, K_OFFSET), &s->offset))
		return bad_site(ps, i, "\"offset\" is missing or no address");
	if (parse_bytes(jsonv_member(v, K_BYTES), s))
		return bad_site(ps, i, "\"bytes\" is missing or no instruction in hexadecimal");
	if (adjust && (jsonv_i64(adjust, &n) || n > INT32_MAX || n < INT32_MIN))
		return bad_site(ps, i, "\"depth_adjust\" is no 32-bit number");
	if (repeats && jsonv_bool(repeats, &s->repeats))
		return bad_site(ps, i, "\"repeats\" is neither true nor false");
	if (parse_when(jsonv_member(v, K_WHEN), s))
		return bad_site(ps, i, "\"when\" lacks a good member");
	s->depth_adjust = (int32_t)n;
	s->event = (uint8_t)event;
	s->at = (uint8_t)at;
	s->program = NO_PROGRAM;
	for (uint32_t j = 0; j < i; j++)
		if (ps->p->sites[j].offset == s->offset && ps->p->sites[j].event == s->event)
			return bad_site(ps, i, "the same as one before");
	return 0;
}

static int parse_entry(struct parser *ps)
{
	const struct jsonv *entry = jsonv_member(ps->root, K_ENTRY);

	if (!entry)
		return 0;
	if (jsonv_u64(entry, &ps->p->entry))
		return errinfo_set(ps->e, -EINVAL, "probe %s: \"entry\" is no address",
				   probe_label(ps->p));
	ps->p->has_entry = true;
	return 0;
}

static int parse_sites(struct parser *ps)
{
	const struct jsonv *sites = jsonv_member(ps->root, K_SITES), *v;

	if (!sites || sites->type != JSONV_ARRAY || !sites->count)
		return errinfo_set(ps->e, -EINVAL, "probe %s: \"sites\" is missing or empty",
				   probe_label(ps->p));
	if (sites->count > MAX_SITES)
		return errinfo_set(ps->e, -EINVAL, "probe %s: more than %d sites",
				   probe_label(ps->p), MAX_SITES);
	ps->p->sites = calloc(sites->count, sizeof(*ps->p->sites));
	if (!ps->p->sites)
		return errinfo_set(ps->e, -ENOMEM, "out of memory");
	v = jsonv_first(sites);
	for (uint32_t i = 0; i < sites->count; i++, v = jsonv_after(v)) {
		int ret = parse_site(ps, i, v);

		if (ret)
			return ret;
	}
	ps->p->n_sites = sites->count;
	return 0;
}

/* --- captures -------------------------------------------------- */

static int parse_captures(struct parser *ps)
{
	const struct jsonv *captures = jsonv_member(ps->root, K_CAPTURES), *v;
	struct probe *p = ps->p;

	if (!captures)
		return 0;
	if (captures->type != JSONV_ARRAY)
		return errinfo_set(ps->e, -EINVAL, "probe %s: \"captures\" is no array",
				   probe_label(p));
	if (captures->count > MAX_CAPTURES)
		return errinfo_set(ps->e, -EINVAL, "probe %s: more than %d captures",
				   probe_label(p), MAX_CAPTURES);
	if (!captures->count)
		return 0;
	p->captures = calloc(captures->count, sizeof(*p->captures));
	if (!p->captures)
		return errinfo_set(ps->e, -ENOMEM, "out of memory");
	v = jsonv_first(captures);
	for (uint32_t i = 0; i < captures->count; i++, v = jsonv_after(v)) {
		struct capture *c = &p->captures[p->n_captures];
		struct errinfo why;
		int ret = capture_parse(ps->d, v, MACHINE_ARGS, c, &why);

		if (!ret) {
			p->n_captures++;
			continue;
		}
		if (ret != -ENOMEM)
			ps->complain(ps->arg, p, c->name ? c->name : "?", ret == -E2BIG, why.text);
		capture_release(c);
		if (ret == -ENOMEM)
			return errinfo_set(ps->e, ret, "out of memory");
	}
	return 0;
}

/* --- contexts ---------------------------------------------------------------- */

static int bad_context(struct parser *ps, const char *why)
{
	return errinfo_set(ps->e, -EINVAL, "probe %s: \"contexts\": %s", probe_label(ps->p), why);
}

static int parse_context(struct parser *ps, const struct jsonv *v, struct context *c)
{
	const struct jsonv *via = jsonv_member(v, K_VIA);
	const struct jsonv *value = jsonv_member(v, K_VALUE);
	uint64_t off, ptr = 0, held = 0;

	if (v->type != JSONV_OBJECT || jsonv_u64(jsonv_member(v, K_ADDR), &c->type))
		return bad_context(ps, "an element without an address");
	if (jsonv_u64(jsonv_member(v, K_OFFSET), &off) || off > INT32_MAX)
		return bad_context(ps, "an element without an offset");
	if (via && (jsonv_u64(via, &ptr) || ptr > INT32_MAX))
		return bad_context(ps, "an element with a bad \"via\"");
	if (value && (jsonv_u64(value, &held) || held > INT32_MAX))
		return bad_context(ps, "an element with a bad \"value\"");
	c->to.off = (uint32_t)off;
	c->to.value = (uint32_t)held;
	c->to.via = via ? (int32_t)ptr : -1;
	return 0;
}

static int parse_contexts(struct parser *ps)
{
	const struct jsonv *list = jsonv_member(ps->root, K_CONTEXTS), *v;
	struct probe *p = ps->p;
	int ret = 0;

	if (!list)
		return 0;
	if (list->type != JSONV_ARRAY)
		return bad_context(ps, "no array");
	if (!list->count)
		return 0;
	p->contexts = calloc(list->count, sizeof(*p->contexts));
	if (!p->contexts)
		return errinfo_set(ps->e, -ENOMEM, "out of memory");
	v = jsonv_first(list);
	for (; !ret && p->n_contexts < list->count; p->n_contexts++, v = jsonv_after(v))
		ret = parse_context(ps, v, &p->contexts[p->n_contexts]);
	return ret;
}

/* The value of "probe" and the members after it, up to "event". */
static int make_heads(struct parser *ps)
{
	struct probe *p = ps->p;
	struct jsonw w;
	int err = 0;

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]) && !err; i++) {
		if (!events[i])
			continue;
		jsonw_init(&w, -1);
		jsonw_cstr(&w, NULL, p->id);
		jsonw_cstr(&w, K_SPAN, p->span);
		if (!strcmp(p->span, "function"))
			jsonw_cstr(&w, K_SYMBOL, p->symbol);
		jsonw_cstr(&w, K_EVENT, events[i]);
		err = w.err;
		p->head[i].text = w.buf;
		p->head[i].len = w.len;
	}
	return err ? errinfo_set(ps->e, err, "out of memory") : 0;
}

int probe_parse(struct jsonv_doc *d, const struct jsonv *root, probe_complaint complain, void *arg,
		struct probe **out, struct errinfo *e)
{
	struct probe *p = calloc(1, sizeof(*p));
	struct parser ps = { d, root, p, complain, arg, e };
	int ret;

	*out = NULL;
	if (!p)
		return errinfo_set(e, -ENOMEM, "out of memory");
	ret = parse_names(&ps);
	if (!ret)
		ret = parse_modes(&ps);
	if (!ret)
		ret = parse_g(&ps);
	if (!ret)
		ret = parse_panic(&ps);
	if (!ret)
		ret = parse_entry(&ps);
	if (!ret)
		ret = parse_sites(&ps);
	if (!ret)
		ret = parse_captures(&ps);
	if (!ret)
		ret = parse_contexts(&ps);
	if (!ret)
		ret = foreign_parse(root, p, e);
	if (!ret)
		ret = programs_make(p, complain, arg, e);
	if (!ret)
		ret = make_heads(&ps);
	if (ret)
		probe_free(p);
	else
		*out = p;
	return ret;
}

void probe_free(struct probe *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->n_captures; i++)
		capture_release(&p->captures[i]);
	for (size_t i = 0; i < sizeof(p->head) / sizeof(p->head[0]); i++)
		free(p->head[i].text);
	free(p->foreign);
	free(p->contexts);
	free(p->programs);
	free(p->captures);
	free(p->sites);
	free(p->traced_by);
	free(p->symbol);
	free(p->name);
	free(p->scope);
	free(p->kind);
	free(p->span);
	free(p->recipe);
	free(p->path);
	free(p->binary);
	free(p->id);
	free(p);
}
