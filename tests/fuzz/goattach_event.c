// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes as a record of the ring, with values of any form in it: the kernel writes
 * its head, but what the values hold comes from the traced program. Out comes one
 * line of JSON, or nothing. Input: how many values, a byte for the form of each, the
 * record.
 */
#include <stdlib.h>
#include <string.h>

#include "../../cmd/goattach/event.h"
#include "jsonv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_VALUES GOTAP_MAX_CAPTURES

static size_t read_forms(const uint8_t *data, size_t size, struct capture *c, struct program *pr)
{
	size_t n = size ? data[0] % (MAX_VALUES + 1) : 0;

	n = n < size ? n : 0;
	for (size_t i = 0; i < n; i++) {
		c[i] = (struct capture){
			.name = (char *)(uintptr_t) "value",
			.name_len = 5,
			.form = (uint8_t)(data[1 + i] % (FORM_CONST + 1)),
			.size = (uint8_t)(1 << (data[1 + i] >> 6)),
			.types = 0x400000,
			.constant = (char *)(uintptr_t) "0",
		};
		pr->captures[i] = (uint16_t)i;
	}
	pr->n = (uint8_t)n;
	return n + (size > 0);
}

static void check_lines(const struct jsonw *w)
{
	const char *line = w->buf, *end = line + w->len, *lf;
	struct jsonv_doc doc = { 0 };
	struct errinfo e;

	for (; line < end; line = lf + 1) {
		lf = memchr(line, '\n', (size_t)(end - line));
		if (!lf || jsonv_parse(&doc, line, (size_t)(lf - line), &e))
			abort();
	}
	jsonv_release(&doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct event_from from = { .pid = 42, .bias = 0x1000 };
	struct capture captures[MAX_VALUES] = { 0 };
	struct program program = { 0 };
	struct probe probe = { .captures = captures };
	size_t at = read_forms(data, size, captures, &program);
	struct gotap_event *ev;
	struct jsonw w;

	probe.n_captures = program.n;
	for (size_t i = 0; i < sizeof(probe.head) / sizeof(probe.head[0]); i++) {
		probe.head[i].text = (char *)(uintptr_t) "\"id\"";
		probe.head[i].len = 4;
	}
	if (size - at < sizeof(*ev))
		return 0;
	ev = malloc(size - at); /* so that an overrun is seen */
	if (!ev)
		return 0;
	memcpy(ev, data + at, size - at);
	jsonw_init(&w, -1);
	event_write(&w, ev, size - at, &from, &probe, &probe, &program);
	check_lines(&w);
	jsonw_release(&w);
	free(ev);
	return 0;
}
