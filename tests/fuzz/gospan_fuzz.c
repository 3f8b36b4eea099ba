// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes as gospan's input: every line goes through the handlers as in the
 * program, with limits small enough to be reached. What comes out must be JSON
 * lines, and the open calls must stay within their limit.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../cmd/gospan/handlers.h"
#include "../../cmd/gospan/semconv.h"
#include "record.h"

#define MAX_OPEN 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void handle(struct stage *s, struct pairing *p, const char *text, size_t len)
{
	struct record r = { .text = text, .len = len, .doc = &s->doc };
	const struct jsonv *type;

	if (jsonv_parse(&s->doc, text, len, &s->error))
		return;
	r.root = jsonv_root(&s->doc);
	type = jsonv_member(r.root, K_TYPE);
	for (const struct stage_handler *h = span_handlers; h->type; h++)
		if (jsonv_is(type, h->type))
			h->fn(s, &r, p);
	if (p->calls.open > MAX_OPEN)
		abort();
}

/* Every line is one JSON object whose strings are UTF-8. */
static void check_output(struct stage *s)
{
	const char *line = s->out.buf, *end = line + s->out.len, *lf;
	struct errinfo e;

	for (; line < end; line = lf + 1) {
		lf = memchr(line, '\n', (size_t)(end - line));
		if (!lf || jsonv_parse(&s->doc, line, (size_t)(lf - line), &e) ||
		    jsonv_root(&s->doc)->type != JSONV_OBJECT)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data, *end = text + size, *lf;
	struct pairing p;
	struct stage s;

	stage_init(&s, span_handlers, &p);
	s.out.fd = -1;
	pairing_init(&p, &s.out, &s.doc, HTTP_METHODS, MAX_OPEN, 1000000);
	p.undated = true; /* nobody reads the message */
	for (; text < end; text = lf + 1) {
		char *copy;

		lf = memchr(text, '\n', (size_t)(end - text));
		lf = lf ? lf : end;
		copy = malloc((size_t)(lf - text) + 1); /* so that an overrun is seen */
		memcpy(copy, text, (size_t)(lf - text));
		handle(&s, &p, copy, (size_t)(lf - text));
		free(copy);
	}
	pairing_finish(&p);
	if (p.calls.open || p.calls.bytes)
		abort();
	check_output(&s);
	pairing_release(&p);
	stage_release(&s);
	return 0;
}
