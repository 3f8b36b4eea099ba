// SPDX-License-Identifier: Apache-2.0
#include "trace_span.h"

#include <stdlib.h>

#include "resource.h"
#include "utf8.h"

/* Bytes that can be seen on a line at all. */
#define MAX_WHAT    512
#define MAX_SERVICE 64
#define MAX_NOTE    160

struct builder {
	char *to;
	size_t room;
};

/* Appends as much of @t as there is room for, whole characters. */
static void add(struct builder *b, struct text t)
{
	size_t n = t.len, keep;

	if (n > b->room) {
		n = b->room;
		keep = utf8_valid(t.p, n);
		n = keep; /* text is valid, so what is not is a character cut in two */
	}
	if (n)
		memcpy(b->to, t.p, n);
	b->to += n;
	b->room -= n;
}

static struct text begin(struct builder *b, char *at, size_t room)
{
	b->to = at;
	b->room = room;
	return (struct text){ at, 0 };
}

static void end(const struct builder *b, struct text *t)
{
	t->len = (size_t)(b->to - t->p);
}

static void add_what(struct builder *b, const struct spanrec *sp)
{
	struct text method = spanrec_text(sp, "http.request.method");
	struct text path = spanrec_text(sp, "url.path"), query = spanrec_text(sp, "url.query");
	struct text url = spanrec_text(sp, "url.full");

	if (!method.len) {
		add(b, sp->name);
		return;
	}
	add(b, method);
	add(b, text_of(" "));
	if (!path.len && url.len) {
		add(b, url);
		return;
	}
	add(b, path);
	if (query.len) {
		add(b, text_of("?"));
		add(b, query);
	}
}

static void add_note(struct builder *b, const struct spanrec *sp, int64_t code)
{
	struct text type = spanrec_text(sp, "error.type");

	if (sp->status == STATUS_ERROR) {
		/* The status code says so already. */
		if (type.len && !(code && type.len == 3))
			add(b, type);
		if (b->room < MAX_NOTE && sp->status_message.len)
			add(b, text_of(": "));
		add(b, sp->status_message);
	}
	if (sp->incomplete)
		add(b, text_of(b->room < MAX_NOTE ? ", unfinished" : "unfinished"));
}

static uint64_t host_of(const struct resource *r)
{
	const struct attr *at = attr_find(r->attrs, r->n_attrs, "host.name");
	uint64_t h = 14695981039346656037u;

	if (!at || at->value.type != ATTR_STRING)
		return 0;
	for (size_t i = 0; i < at->value.str.len; i++)
		h = (h ^ (unsigned char)at->value.str.p[i]) * 1099511628211u;
	return h;
}

struct trace_span *trace_span_new(const struct spanrec *sp)
{
	const struct attr *code = attr_find(sp->attrs, sp->n_attrs, "http.response.status_code");
	char what[MAX_WHAT], note[MAX_NOTE];
	struct text t_what, t_note;
	struct builder b;
	struct trace_span *ts;
	size_t n_service = sp->resource->service.len;
	int64_t status = code && code->value.type == ATTR_INT ? code->value.i : 0;

	t_what = begin(&b, what, sizeof(what));
	add_what(&b, sp);
	end(&b, &t_what);
	t_note = begin(&b, note, sizeof(note));
	add_note(&b, sp, status);
	end(&b, &t_note);
	if (n_service > MAX_SERVICE)
		n_service = MAX_SERVICE;

	ts = calloc(1, sizeof(*ts) + t_what.len + t_note.len + n_service);
	if (!ts)
		return NULL;
	memcpy(ts->span_id, sp->span_id, sizeof(ts->span_id));
	memcpy(ts->parent_id, sp->parent_id, sizeof(ts->parent_id));
	ts->has_parent = sp->has_parent;
	ts->remote_parent = sp->remote_parent;
	ts->incomplete = sp->incomplete;
	ts->error = sp->status == STATUS_ERROR;
	ts->code = status;
	ts->from = sp->has_parent && sp->parent_from.len ? *sp->parent_from.p : 0;
	ts->host = host_of(sp->resource);
	ts->start = sp->start;
	ts->end = sp->end;
	ts->what = begin(&b, ts->text, t_what.len);
	add(&b, t_what);
	end(&b, &ts->what);
	ts->note = begin(&b, b.to, t_note.len);
	add(&b, t_note);
	end(&b, &ts->note);
	ts->service = begin(&b, b.to, n_service);
	add(&b, sp->resource->service);
	end(&b, &ts->service);
	return ts;
}
