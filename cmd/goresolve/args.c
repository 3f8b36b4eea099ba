// SPDX-License-Identifier: Apache-2.0
#include "args.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "entryregs.h"
#include "goargs.h"

#define MAX_TEXT     128 /* bytes of text that are taken unasked */
#define MAX_ELEMENTS 3	 /* of a slice, likewise */
#define MAX_PATH     192

/* One function being given captures. */
struct reading {
	const struct binary *b;
	const struct gofunc *f;
	const struct args_request *rq;
	struct plan *plan;
	struct probe *pr;
	struct goarg *args;
	size_t n;
	const char *no_params, *no_results; /* why none can be read; NULL: they can */
};

/* The number of a result among the results; -1 for a parameter. */
static int result_index(const struct reading *r, size_t i)
{
	int n = -1;

	if (!r->args[i].result)
		return -1;
	for (size_t j = 0; j <= i; j++)
		n += r->args[j].result;
	return n;
}

static bool is_named(const struct goarg *a)
{
	return a->name[0] && !strchr("~._", a->name[0]);
}

static bool is_root(const struct reading *r, size_t i, const char *root)
{
	char ret[16];

	snprintf(ret, sizeof(ret), "ret%d", result_index(r, i));
	return (is_named(&r->args[i]) && !strcmp(r->args[i].name, root)) ||
	       (r->args[i].result && !strcmp(ret, root));
}

/* The parameter or result that a path begins with; NULL: none. */
static const struct goarg *find_root(const struct reading *r, const char *root)
{
	for (size_t i = 0; i < r->n; i++)
		if (is_root(r, i, root))
			return &r->args[i];
	return NULL;
}

static void skip_path(const struct reading *r, const char *path, const char *reason,
		      const char *detail)
{
	struct skip *k = plan_add_skip(r->plan);

	if (!k)
		return;
	k->recipe = r->pr->recipe;
	k->span = r->pr->span;
	k->symbol = r->pr->symbol;
	k->reason = reason;
	snprintf(k->field, sizeof(k->field), "%s", path ? path : "");
	snprintf(k->detail, sizeof(k->detail), "%s", detail);
}

/* Why a parameter or result cannot be read; NULL: it can. */
static const char *why_not(const struct reading *r, const struct goarg *a)
{
	const char *all = a->result ? r->no_results : r->no_params;

	if (all)
		return all;
	if (a->available)
		return NULL;
	if (!a->placed)
		return "the layout of its type, or of one before it, is not known";
	if (a->result)
		return "a result on the stack, where its place is not sure";
	return a->located ? "the compiler has it elsewhere than the rules say"
			  : "the compiler optimised it away";
}

/* A parameter or local name may be one that paths have a meaning of their own for. */
static int own_root(const struct reading *r, struct recipe_path *p)
{
	static const char *const special[] = { [ROOT_G] = "g", [ROOT_CLOSURE] = "closure" };
	char kept[8];
	const char *name = p->root == ROOT_KEPT ? kept : special[p->root];

	if (p->root == ROOT_PARAM)
		return 0;
	snprintf(kept, sizeof(kept), "kept%u", p->kept);
	if (!find_root(r, name))
		return 0;
	p->root = ROOT_PARAM;
	p->param = strdup(name);
	return p->param ? 0 : -ENOMEM;
}

/*
 * "arg.key", "ret.0.Name", "ret.err", "arg.list.len": the path, with its root said in
 * another way where it begins with it. NULL without memory.
 */
static char *attribute_name(const struct goarg *a, const struct recipe_path *p)
{
	const char *kind = a && a->result ? "ret" : "arg", *text = p->text, *end = "";
	int n = (int)strlen(text);
	char *name;

	if (!strncmp(text, "len(", 4) && text[n - 1] == ')') {
		text += 4;
		n -= 5;
		end = ".len";
	} else if (!strncmp(text, "typeof(", 7) && text[n - 1] == ')') {
		text += 7;
		n -= 8;
		end = ".type";
	}
	if (a && a->result && !is_named(a) && !strncmp(text, "ret", 3)) {
		text += 3;
		n -= 3;
	}
	return asprintf(&name, "%s.%.*s%s", kind, n, text, end) < 0 ? NULL : name;
}

static size_t used_bytes(const struct probe *pr, enum recipe_event ev, size_t *n)
{
	size_t bytes = 0;

	*n = 0;
	for (size_t i = 0; i < pr->n_captures; i++) {
		const struct plan_capture *c = &pr->captures[i];

		if (c->from->event != ev)
			continue;
		++*n;
		bytes += c->max ? c->max : c->size;
	}
	return bytes;
}

static const char *over_limit(const struct probe *pr, const struct plan_capture *c)
{
	size_t n, bytes = used_bytes(pr, c->from->event, &n);

	if (n >= PLAN_MAX_CAPTURES)
		return "more captures than one event may have";
	if (bytes + (c->max ? c->max : c->size) > PLAN_MAX_BYTES)
		return "more bytes of values than one event may have";
	return NULL;
}

/*
 * Compiles and adds one capture. The path and name belong to the plan from then on.
 * @asked: by the user, so that it is said when it cannot be.
 */
static void add(const struct reading *r, struct recipe_capture *cap, bool asked)
{
	const struct goarg *a = cap->path.root == ROOT_PARAM ? find_root(r, cap->path.param) : NULL;
	struct scene s = { .b = r->b, .plan = r->plan, .probe = r->pr };
	struct errinfo e = { .text = "" };
	struct plan_capture out, *slot;
	size_t n_fields = r->pr->n_fields;
	const char *why = a ? why_not(r, a) : NULL;
	int ret;

	cap->event = a && a->result ? EVENT_END : EVENT_BEGIN;
	if (cap->path.root == ROOT_PARAM && !a)
		why = "the function has no such parameter or result";
	if (why) {
		if (asked)
			skip_path(r, cap->path.text, "unavailable", why);
		return;
	}
	s.arg = a;
	s.at = a && a->result ? SITE_RET : SITE_ENTRY;
	memset(&out, 0, sizeof(out));
	ret = compile_capture(&s, cap, &out, &e);
	why = ret ? e.text : over_limit(r->pr, &out);
	if (!why) {
		slot = probe_add_capture(r->plan, r->pr);
		if (slot)
			*slot = out;
		return;
	}
	r->pr->n_fields = n_fields;
	if (asked || ret != -ENOENT)
		skip_path(r, cap->path.text,
			  !ret || ret == -E2BIG ? "limit"
			  : ret == -ENOENT	? "offset-unknown"
						: "unavailable",
			  why);
}

/* A capture that the plan owns, of the path @text. NULL without memory, or for no path. */
static struct recipe_capture *new_capture(const struct reading *r, const char *text,
					  const char *name)
{
	struct recipe_capture *cap = plan_own_capture(r->plan);
	struct errinfo e;

	if (!cap)
		return NULL;
	cap->max = MAX_TEXT;
	if (recipe_path_parse("", 1, 1, text, strlen(text), &cap->path, &e) ||
	    own_root(r, &cap->path))
		return NULL;
	cap->name = name ? strdup(name)
			 : attribute_name(cap->path.root == ROOT_PARAM
						  ? find_root(r, cap->path.param)
						  : NULL,
					  &cap->path);
	if (!cap->name)
		r->plan->err = -ENOMEM;
	return cap->name ? cap : NULL;
}

static void read_path(const struct reading *r, const char *path, const char *name)
{
	struct recipe_capture *cap = new_capture(r, path, name);

	if (cap)
		add(r, cap, false);
}

static bool is_value(const struct gotype *t)
{
	return t->kind == GOTYPE_INT || t->kind == GOTYPE_UINT || t->kind == GOTYPE_BOOL ||
	       t->kind == GOTYPE_FLOAT || t->kind == GOTYPE_STRING;
}

static void read_value(const struct reading *r, const char *path, const struct gotype *t,
		       unsigned int depth);

static bool is_time(const struct gotype *t)
{
	return t->kind == GOTYPE_STRUCT && !strcmp(t->name, "time.Time");
}

/* Two words that become one attribute, @name or what is made of the path. */
static void read_time(const struct reading *r, const char *path, const char *name)
{
	static const char *const fields[] = { "wall", "ext" };
	char text[MAX_PATH];

	for (int i = 0; i < 2; i++) {
		struct recipe_capture *cap;

		snprintf(text, sizeof(text), "%s.%s", path, fields[i]);
		cap = new_capture(r, text, name);
		if (!cap)
			return;
		if (!name)
			*strrchr(cap->name, '.') = '\0';
		cap->time = i ? TIME_EXT : TIME_WALL;
		add(r, cap, false);
	}
}

static void read_fields(const struct reading *r, const char *path, const struct gotype *t,
			unsigned int depth)
{
	char field[MAX_PATH];
	struct gofield f;

	for (size_t i = 0; depth && i < t->n_fields; i++) {
		if (gotypes_field_at(r->b->types, t, i, &f) || f.name[0] == '_' ||
		    snprintf(field, sizeof(field), "%s.%s", path, f.name) >= (int)sizeof(field))
			continue;
		read_value(r, field, f.type, depth - 1);
	}
}

static void read_len(const struct reading *r, const char *path)
{
	char text[MAX_PATH];

	snprintf(text, sizeof(text), "len(%s)", path);
	read_path(r, text, NULL);
}

/* The first elements of a slice or an array, if they are values themselves. */
static void read_elements(const struct reading *r, const char *path, const struct gotype *t)
{
	const struct gotype *elem = gotypes_elem(r->b->types, t);
	char text[MAX_PATH];

	if (t->kind == GOTYPE_SLICE)
		read_len(r, path);
	for (unsigned int i = 0; elem && i < MAX_ELEMENTS; i++) {
		if ((t->kind == GOTYPE_ARRAY && i >= t->count) || !is_value(elem))
			return;
		snprintf(text, sizeof(text), "%s[%u]", path, i);
		read_path(r, text, NULL);
	}
}

static void read_type(const struct reading *r, const char *path)
{
	char text[MAX_PATH];

	snprintf(text, sizeof(text), "typeof(%s)", path);
	read_path(r, text, NULL);
}

/* Of an error: whether there is one, and the text of those that package errors and fmt make. */
static void read_error(const struct reading *r, const char *path)
{
	static const char *const texts[] = { ".(*errors.errorString).s", ".(*fmt.wrapError).msg",
					     ".(*fmt.wrapErrors).msg" };
	struct recipe_capture *cap = new_capture(r, path, NULL);
	char text[MAX_PATH], *name;

	if (!cap)
		return;
	name = strdup(cap->name);
	free(cap->name);
	cap->nonzero = true;
	if (!name || asprintf(&cap->name, "%s.set", name) < 0) {
		cap->name = NULL;
		r->plan->err = -ENOMEM;
	} else {
		add(r, cap, false);
		for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
			snprintf(text, sizeof(text), "%s%s", path, texts[i]);
			read_path(r, text, name);
		}
	}
	free(name);
}

static void read_value(const struct reading *r, const char *path, const struct gotype *t,
		       unsigned int depth)
{
	const struct gotype *elem = gotypes_elem(r->b->types, t);

	if (is_value(t))
		read_path(r, path, NULL);
	switch (t->kind) {
	case GOTYPE_SLICE:
		if (elem && elem->size == 1)
			read_path(r, path, NULL);
		else
			read_elements(r, path, t);
		return;
	case GOTYPE_ARRAY:
		read_elements(r, path, t);
		return;
	case GOTYPE_MAP:
	case GOTYPE_CHAN:
		read_len(r, path);
		return;
	case GOTYPE_STRUCT:
		if (is_time(t))
			read_time(r, path, NULL);
		else
			read_fields(r, path, t, depth);
		return;
	case GOTYPE_PTR:
		if (elem && elem->kind == GOTYPE_STRUCT)
			read_fields(r, path, elem, depth);
		return;
	case GOTYPE_INTERFACE:
		read_type(r, path);
		if (!strcmp(t->name, "error"))
			read_error(r, path);
		return;
	default:
		return;
	}
}

/* A value that is reachable; that nothing of it can be read is said, unless it was not asked for.
 */
static void read_known(const struct reading *r, const char *path, const struct gotype *t)
{
	size_t before = r->pr->n_captures + r->plan->n_skips;

	read_value(r, path, t, r->rq->depth);
	if (r->rq->depth && before == r->pr->n_captures + r->plan->n_skips)
		skip_path(r, path, "unavailable", "a value of this type is not read");
}

/* Whatever fits: all parameters and results. */
static void read_all(const struct reading *r)
{
	char ret[16];

	for (size_t i = 0; i < r->n; i++) {
		const struct goarg *a = &r->args[i];
		const char *path = a->name, *why = why_not(r, a);

		if (!is_named(a)) {
			if (!a->result)
				continue;
			snprintf(ret, sizeof(ret), "ret%d", result_index(r, i));
			path = ret;
		}
		if (why)
			skip_path(r, path, "unavailable", why);
		else if (a->type->kind == GOTYPE_FLOAT && !a->slot.on_stack)
			skip_path(r, path, "unavailable", "it is in a floating point register");
		else
			read_known(r, path, a->type);
	}
}

/* A whole time.Time is one value for whoever asks for it. */
static void read_wish(const struct reading *r, const struct wish_item *it)
{
	const struct recipe_path *p = &it->path;
	const struct goarg *a = p->root == ROOT_PARAM ? find_root(r, p->param) : NULL;
	struct recipe_capture *cap;

	if (a && a->available && !p->n_steps && is_time(a->type)) {
		read_time(r, p->text, it->name);
		return;
	}
	cap = new_capture(r, p->text, it->name);
	if (cap)
		add(r, cap, true);
}

static bool read_wishes(const struct reading *r)
{
	bool any = false;

	for (size_t i = 0; i < r->rq->n_wishes; i++) {
		const struct wish *w = &r->rq->wishes[i];

		if (!gofuncs_match(w->func, r->f->name))
			continue;
		any = true;
		for (size_t j = 0; j < w->n_items; j++)
			read_wish(r, &w->items[j]);
	}
	return any;
}

/*
 * The context that the function was given tells its parent in other goroutines, and
 * those of what others call with it.
 */
static void read_context(const struct reading *r)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct goarg *a = &r->args[i];
		char path[MAX_PATH];

		if (a->result || !is_named(a) || why_not(r, a))
			continue;
		if (!strcmp(a->type->name, "context.Context"))
			snprintf(path, sizeof(path), "%s", a->name);
		else if (!strcmp(a->type->name, "*net/http.Request"))
			snprintf(path, sizeof(path), "%s.ctx", a->name);
		else
			continue;
		read_path(r, path, "gotap.context");
		read_path(r, path, "gotap.own_context");
		return;
	}
}

/* At a jump to another function there are no results yet. */
static bool all_return(const struct probe *pr)
{
	for (size_t i = 0; i < pr->n_sites; i++)
		if (pr->sites[i].site.at == SITE_RET &&
		    strncmp(pr->sites[i].site.text, "ret", 3) != 0)
			return false;
	return true;
}

void plan_args(const struct binary *b, const struct gofunc *f, const struct args_request *rq,
	       struct plan *plan, struct probe *pr)
{
	struct reading r = { .b = b, .f = f, .rq = rq, .plan = plan, .pr = pr };
	int ret;

	if (rq->limited && !rq->n_wishes)
		return;
	ret = goargs_load(b->types, gobin_arch(b->bin), f->entry, &r.args, &r.n);
	if (ret == -ENOMEM)
		plan->err = ret;
	if (ret && rq->n_wishes)
		skip_path(&r, NULL, "unavailable", "no debugging information tells its parameters");
	if (ret)
		return;
	if (!entry_regs_kept(b, f, pr))
		r.no_params = "registers change in front of the site";
	if (!all_return(pr))
		r.no_results = "it ends by jumping to another function";
	read_context(&r);
	if (!read_wishes(&r) && !rq->none)
		read_all(&r);
	free(r.args);
}
