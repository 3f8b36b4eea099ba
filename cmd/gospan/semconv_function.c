// SPDX-License-Identifier: Apache-2.0
/*
 * Spans of functions and of recipes without conventions of their own, and what
 * all spans have in common: how a call ended (semantic-conventions v1.44.0,
 * docs/general/recording-errors.md, docs/registry/attributes/code.md).
 */
#include "semconv.h"

#include <string.h>

/* error.type and status message by enum ending; _OTHER is the conventions' fallback. */
static const struct {
	const char *type, *message;
} endings[] = {
	[ENDING_PANIC] = { "panic", NULL },
	[ENDING_GOEXIT] = { "runtime.Goexit", "the goroutine exited" },
	[ENDING_STALE] = { "_OTHER", "did not return" },
	[ENDING_CLOSED] = { "_OTHER", "did not return" },
	[ENDING_INCOMPLETE] = { NULL, NULL },
};

void ending_describe(const struct attrs *a, enum ending how, struct description *d)
{
	d->error_type = attrs_get(a, NAME_ERROR_TYPE);
	d->message = endings[how].message;
	if (!d->error_type.len && endings[how].type)
		d->error_type = (struct slice){ endings[how].type, strlen(endings[how].type) };
	d->error = d->error_type.len > 0;
}

static struct slice c_text(const char *s)
{
	return (struct slice){ s, strlen(s) };
}

/* The function of a span of type "function", from its event or its attach record. */
static struct slice function_name(const struct attrs *a, const struct probe *probe)
{
	struct slice t = attrs_text(a, values_last(a->vs, ROLE_SYMBOL));

	return !t.len && probe && probe->symbol ? c_text(probe->symbol) : t;
}

/* What the program says itself, of a span that it has made. */
static void told(const struct attrs *a, struct description *d)
{
	enum { CODE_ERROR = 1, CODE_OK = 2 }; /* otel's codes/codes.go */
	struct slice name = attrs_get(a, NAME_GO_NAME);
	int64_t code;

	if (name.len)
		d->name = name;
	if (!attrs_i64(a, NAME_GO_STATUS, &code))
		return;
	d->ok = code == CODE_OK && !d->error;
	d->error |= code == CODE_ERROR;
	if (code == CODE_ERROR)
		d->said = attrs_get(a, NAME_GO_STATUS_TEXT);
}

void function_describe(const struct attrs *a, enum ending how, const struct probe *probe,
		       struct description *d)
{
	struct slice type = attrs_text(a, values_last(a->vs, ROLE_SPAN));

	memset(d, 0, sizeof(*d));
	ending_describe(a, how, d);
	d->name = function_name(a, probe);
	if (type.len == 8 && !memcmp(type.s, "function", 8))
		d->function = d->name;
	if (probe && probe->name)
		d->name = c_text(probe->name);
	told(a, d);
	if (!d->name.len)
		d->name = type;
}

/*
 * The text of runtime.errorString and runtime.errorAddressString begins with what is not
 * in them (src/runtime/error.go).
 */
void exception_attributes(const struct attrs *a, struct scratch *text, struct jsonw *w)
{
	static const char before[] = "runtime error: ";
	struct slice type = attrs_get(a, NAME_EXCEPTION_TYPE);
	struct slice message = attrs_get(a, NAME_EXCEPTION_MESSAGE);

	attrs_write(a, NAME_EXCEPTION_TYPE, w);
	if (!message.len ||
	    !((type.len == 19 && !memcmp(type.s, "runtime.errorString", 19)) ||
	      (type.len == 26 && !memcmp(type.s, "runtime.errorAddressString", 26)))) {
		attrs_write(a, NAME_EXCEPTION_MESSAGE, w);
		return;
	}
	text->len = 0;
	if (scratch_put(text, before, sizeof(before) - 1) &&
	    scratch_put(text, message.s, message.len))
		jsonw_str(w, name_text(NAME_EXCEPTION_MESSAGE), text->text, text->len);
}

void function_attributes(const struct attrs *a, const struct description *d, struct scratch *text,
			 struct jsonw *w)
{
	if (!a->known[NAME_FUNCTION] && d->function.len)
		jsonw_str(w, name_text(NAME_FUNCTION), d->function.s, d->function.len);
	for (enum name n = 0; n < NAME_EXCEPTION_TYPE; n++)
		if (n != NAME_ERROR_TYPE)
			attrs_write(a, n, w);
	if (d->error_type.len)
		jsonw_str(w, name_text(NAME_ERROR_TYPE), d->error_type.s, d->error_type.len);
	exception_attributes(a, text, w);
	attrs_write_others(a, w);
}
