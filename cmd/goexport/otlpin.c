// SPDX-License-Identifier: Apache-2.0
#include "otlpin.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleantext.h"
#include "diag.h"
#include "jsoncut.h"
#include "keptspan.h"
#include "otlpin_span.h"

/* Resources that are remembered, so that the spans of one share it over requests. */
#define KNOWN 256
/* Theirs are apart from those of process records. */
#define FIRST_SERIAL (1ull << 62)
/* How much of a file tells what it is. */
#define SNIFF 4096

struct known_resource {
	struct jsonpiece text; /* owned */
	struct resource *r;
};

struct otlpin {
	void (*out)(void *arg, const struct spanrec *sp);
	void *arg;
	struct jsonv_doc doc;
	struct arena arena; /* of one span */
	struct known_resource known[KNOWN];
	unsigned next;
	struct kept_span **spans; /* of one request */
	size_t n_spans, cap_spans;
	uint64_t serial, bad;
	struct errinfo why; /* of the first that was bad */
};

struct otlpin *otlpin_new(void (*out)(void *arg, const struct spanrec *sp), void *arg)
{
	struct otlpin *in = calloc(1, sizeof(*in));

	if (!in)
		return NULL;
	in->out = out;
	in->arg = arg;
	return in;
}

static void forget(struct known_resource *k)
{
	resource_drop(k->r);
	free((char *)(uintptr_t)k->text.p);
	*k = (struct known_resource){ 0 };
}

void otlpin_free(struct otlpin *in)
{
	if (!in)
		return;
	for (size_t i = 0; i < KNOWN; i++)
		forget(&in->known[i]);
	free(in->spans);
	jsonv_release(&in->doc);
	arena_release(&in->arena);
	free(in);
}

static struct text attr_text(const struct resource *r, const char *key)
{
	const struct attr *at = attr_find(r->attrs, r->n_attrs, key);

	return at && at->value.type == ATTR_STRING ? at->value.str : (struct text){ 0 };
}

/* Text with escapes is the document's, and gone with the next parse. */
static bool keep_text(struct resource *r, struct text *t)
{
	t->p = arena_copy(&r->arena, t->p, t->len);
	return t->p;
}

static bool keep_value(struct resource *r, struct attr_value *v)
{
	if (v->type == ATTR_STRING)
		return keep_text(r, &v->str);
	for (size_t i = 0; v->type == ATTR_ARRAY && i < v->array.n; i++)
		if (!keep_value(r, (struct attr_value *)(uintptr_t)&v->array.v[i]))
			return false;
	return true;
}

static int fill(struct otlpin *in, struct resource *r, struct jsonpiece text)
{
	const struct attr *pid;
	struct attr *attrs;
	uint32_t dropped = 0;
	const char *copy = arena_copy(&r->arena, text.p, text.len);
	struct errinfo e;
	int ret;

	if (!copy)
		return -ENOMEM;
	ret = jsonv_parse(&in->doc, copy, text.len, &e);
	if (!ret)
		ret = otlpin_attrs(&in->doc, jsonv_member(jsonv_root(&in->doc), "attributes"),
				   &r->arena, SPAN_MAX_ATTRS, &attrs, &r->n_attrs, &dropped);
	if (ret)
		return ret;
	for (size_t i = 0; i < r->n_attrs; i++)
		if (!keep_text(r, &attrs[i].key) || !keep_value(r, &attrs[i].value))
			return -ENOMEM;
	r->attrs = attrs;
	r->service = attr_text(r, "service.name");
	if (!r->service.len)
		r->service = text_of("unknown_service");
	r->job = r->service;
	r->instance = attr_text(r, "service.instance.id");
	pid = attr_find(r->attrs, r->n_attrs, "process.pid");
	r->has_pid = pid && pid->value.type == ATTR_INT && pid->value.i >= 0 &&
		     pid->value.i <= INT32_MAX;
	r->pid = r->has_pid ? (uint32_t)pid->value.i : 0;
	return 0;
}

/* The resource of this JSON text; NULL when it is not good, or out of memory. */
static struct resource *resource_of(struct otlpin *in, struct jsonpiece text)
{
	struct known_resource *k;
	struct resource *r;
	char *copy;

	for (size_t i = 0; i < KNOWN; i++) {
		k = &in->known[i];
		if (k->r && k->text.len == text.len && !memcmp(k->text.p, text.p, text.len))
			return k->r;
	}
	r = calloc(1, sizeof(*r));
	copy = malloc(text.len + 1);
	if (r) {
		r->refs = 1;
		r->serial = FIRST_SERIAL + ++in->serial;
		r->known = true;
	}
	if (!r || !copy || fill(in, r, text)) {
		resource_drop(r);
		free(copy);
		return NULL;
	}
	memcpy(copy, text.p, text.len);
	k = &in->known[in->next++ % KNOWN];
	forget(k);
	*k = (struct known_resource){ { copy, text.len }, r };
	return r;
}

static void note_bad(struct otlpin *in, const struct errinfo *e)
{
	if (!in->bad++)
		in->why = *e;
}

static int keep(struct otlpin *in, const struct spanrec *sp)
{
	struct kept_span *k;

	if (in->n_spans == in->cap_spans) {
		size_t cap = in->cap_spans ? 2 * in->cap_spans : 512;
		void *grown = realloc(in->spans, cap * sizeof(struct kept_span *));

		if (!grown)
			return -ENOMEM;
		in->spans = grown;
		in->cap_spans = cap;
	}
	k = kept_span_new(sp);
	if (!k)
		return -ENOMEM;
	in->spans[in->n_spans++] = k;
	return 0;
}

static int by_end(const void *a, const void *b)
{
	const struct spanrec *x = &(*(struct kept_span *const *)a)->sp;
	const struct spanrec *y = &(*(struct kept_span *const *)b)->sp;

	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return memcmp(x->span_id, y->span_id, sizeof(x->span_id));
}

/* A request has them by resource; what comes after looks at them as time goes on. */
static void give_out(struct otlpin *in)
{
	if (in->n_spans)
		qsort(in->spans, in->n_spans, sizeof(struct kept_span *), by_end);
	for (size_t i = 0; i < in->n_spans; i++) {
		in->out(in->arg, &in->spans[i]->sp);
		kept_span_free(in->spans[i]);
	}
	in->n_spans = 0;
}

static int give_span(struct otlpin *in, struct jsonpiece text, struct text scope,
		     const struct resource *r)
{
	struct errinfo e = { "span: malformed" };
	struct spanrec sp;
	int ret;

	arena_reset(&in->arena);
	ret = jsonv_parse(&in->doc, text.p, text.len, &e);
	if (!ret)
		ret = otlpin_span(&sp, &in->doc, &in->arena, &e);
	if (ret == -EINVAL || ret == -E2BIG) {
		note_bad(in, &e);
		return 0;
	}
	if (ret)
		return ret;
	sp.scope = scope;
	sp.resource = r;
	sp.has_pid = r->has_pid;
	sp.pid = r->pid;
	return keep(in, &sp);
}

/* The scope's name as it stands; one with escapes is left out. */
static struct text scope_name(struct jsonpiece scope)
{
	struct jsonpiece key, value;
	struct jsoncut c;

	if (jsoncut_into(scope, '{', &c))
		while (jsoncut_member(&c, &key, &value))
			if (key.len == 6 && !memcmp(key.p, "\"name\"", 6) && value.len >= 2 &&
			    *value.p == '"' && !memchr(value.p, '\\', value.len))
				return (struct text){ value.p + 1, value.len - 2 };
	return (struct text){ 0 };
}

static bool is_key(struct jsonpiece key, const char *name)
{
	size_t len = strlen(name);

	return key.len == len + 2 && !memcmp(key.p + 1, name, len);
}

/* The value of @name in an object, wherever it stands in it; empty if there is none. */
static struct jsonpiece member(struct jsonpiece object, const char *name)
{
	struct jsonpiece key, value;
	struct jsoncut c;

	if (jsoncut_into(object, '{', &c))
		while (jsoncut_member(&c, &key, &value))
			if (is_key(key, name))
				return value;
	return (struct jsonpiece){ "", 0 };
}

static int give_scope(struct otlpin *in, struct jsonpiece object, const struct resource *r)
{
	struct arena names = { 0 };
	struct text scope = scope_name(member(object, "scope")), clean;
	struct jsonpiece span;
	struct jsoncut c;
	int ret = text_clean(&names, scope.p, scope.len, &clean);

	if (!ret && jsoncut_into(member(object, "spans"), '[', &c))
		while (!ret && jsoncut_value(&c, &span))
			ret = give_span(in, span, clean, r);
	arena_release(&names);
	return ret;
}

static int give_resource(struct otlpin *in, struct jsonpiece object)
{
	struct jsonpiece text = member(object, "resource"), scope;
	struct jsoncut c;
	struct resource *r;
	int ret = 0;

	r = resource_of(in, text.len ? text : (struct jsonpiece){ "{}", 2 });
	if (!r) {
		note_bad(in, &(struct errinfo){ "resource: malformed" });
		return 0;
	}
	resource_hold(r);
	if (jsoncut_into(member(object, "scopeSpans"), '[', &c) ||
	    jsoncut_into(member(object, "instrumentationLibrarySpans"), '[', &c))
		while (!ret && jsoncut_value(&c, &scope))
			ret = give_scope(in, scope, r);
	resource_drop(r);
	return ret;
}

int otlpin_request(struct otlpin *in, const char *text, size_t len, struct errinfo *e)
{
	struct jsonpiece object = { text, len }, list, one;
	struct jsoncut c;
	int ret = 0;

	while (object.len && strchr(" \t\r\n", object.p[0]))
		object.p++, object.len--;
	while (object.len && strchr(" \t\r\n", object.p[object.len - 1]))
		object.len--;
	list = member(object, "resourceSpans");
	if (!jsoncut_into(list, '[', &c)) {
		if (member(object, "resourceMetrics").len || member(object, "resourceLogs").len)
			return 0; /* of no use here, and no mistake */
		return errinfo_set(e, -EINVAL, "neither a record nor OTLP/JSON");
	}
	in->bad = 0;
	while (!ret && jsoncut_value(&c, &one))
		ret = give_resource(in, one);
	give_out(in);
	if (!ret && in->bad)
		ret = errinfo_set(e, -EINVAL, "OTLP/JSON: %llu spans left out: %s",
				  (unsigned long long)in->bad, in->why.text);
	return ret;
}

bool otlpin_is_file(int fd)
{
	off_t at = lseek(fd, 0, SEEK_CUR);
	char buf[SNIFF];
	struct stat st;
	ssize_t n;
	size_t i = 0;

	if (at < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return false;
	n = pread(fd, buf, sizeof(buf), at);
	while (n > 0 && i < (size_t)n && strchr(" \t\r\n", buf[i]))
		i++;
	if (n <= 0 || buf[i++] != '{')
		return false;
	while (i < (size_t)n && strchr(" \t\r\n", buf[i]))
		i++;
	return (size_t)n - i > 10 && !strncmp(buf + i, "\"resource", 9);
}

int otlpin_file(struct otlpin *in, int fd, unsigned long *good, struct errinfo *e)
{
	off_t at = lseek(fd, 0, SEEK_CUR);
	struct jsonpiece request;
	struct jsoncut c;
	struct stat st;
	bool bad = false;
	char *map;
	int ret = 0;

	if (fstat(fd, &st))
		return errinfo_set(e, -errno, "stdin: %s", strerror(errno));
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return errinfo_set(e, -errno, "stdin: %s", strerror(errno));
	c = (struct jsoncut){ map + at, map + st.st_size, false };
	for (*good = 0; !ret && jsoncut_value(&c, &request);) {
		ret = otlpin_request(in, request.p, request.len, e);
		if (ret == -EINVAL)
			diag(DIAG_ERROR, "stdin: %s", e->text);
		else
			++*good;
		bad |= ret == -EINVAL;
		ret = ret == -EINVAL ? 0 : ret;
	}
	if (c.broken)
		diag(DIAG_ERROR, "stdin: OTLP/JSON that ends in the middle");
	munmap(map, (size_t)st.st_size);
	return ret ? ret : bad || c.broken ? -EINVAL : 0;
}
