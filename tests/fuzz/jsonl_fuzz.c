// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes as a stream of lines: read, parsed, written again. What was accepted
 * must come out as text that is accepted and comes out the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "jsonl.h"
#include "jsonv.h"
#include "jsonw.h"
#include "utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_value(struct jsonv_doc *d, const struct jsonv *v, struct jsonw *w);

static void write_container(struct jsonv_doc *d, const struct jsonv *v, struct jsonw *w)
{
	const struct jsonv *item = jsonv_first(v);
	const char *key;
	size_t len;

	if (v->type == JSONV_OBJECT)
		jsonw_obj(w, NULL);
	else
		jsonw_arr(w, NULL);
	for (uint32_t i = 0; i < v->count; i++, item = jsonv_after(item)) {
		if (v->type == JSONV_OBJECT) {
			if (jsonv_str(d, item++, &key, &len))
				abort();
			jsonw_key(w, key, len);
		}
		write_value(d, item, w);
	}
	if (v->type == JSONV_OBJECT)
		jsonw_end_obj(w);
	else
		jsonw_end_arr(w);
}

static void write_value(struct jsonv_doc *d, const struct jsonv *v, struct jsonw *w)
{
	const char *s;
	size_t len;

	if (v->type == JSONV_OBJECT || v->type == JSONV_ARRAY) {
		write_container(d, v, w);
	} else if (v->type == JSONV_STRING) {
		if (jsonv_str(d, v, &s, &len))
			abort();
		jsonw_str(w, NULL, s, len);
	} else {
		jsonw_raw(w, NULL, v->text, v->len);
	}
}

/* The text of the document as the writer writes it. */
static void again(struct jsonv_doc *d, struct jsonw *w)
{
	w->len = w->mark = 0;
	w->comma = false;
	write_value(d, jsonv_root(d), w);
}

static void check_line(struct jsonv_doc *d, struct jsonw *a, struct jsonw *b, const char *text,
		       size_t len)
{
	struct errinfo e;
	uint64_t u;
	int64_t i;
	double f;

	if (jsonv_parse(d, text, len, &e))
		return;
	jsonv_u64(jsonv_root(d), &u);
	jsonv_i64(jsonv_root(d), &i);
	jsonv_double(jsonv_root(d), &f);
	again(d, a);
	if (utf8_valid(a->buf, a->len) != a->len || jsonv_parse(d, a->buf, a->len, &e))
		abort();
	/* Once more: U+FFFD in place of a bad byte is an escape at first. */
	again(d, b);
	if (jsonv_parse(d, b->buf, b->len, &e))
		abort();
	again(d, a);
	if (a->len != b->len || memcmp(a->buf, b->buf, a->len))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("lines", 0), ret;
	struct jsonv_doc d = { 0 };
	struct jsonw a, b;
	struct jsonl r;
	const char *text;
	size_t len;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	lseek(fd, 0, SEEK_SET);
	jsonl_init(&r, fd);
	jsonw_init(&a, -1);
	jsonw_init(&b, -1);
	while ((ret = jsonl_next(&r, -1, &text, &len)) > 0)
		if (ret == JSONL_LINE)
			check_line(&d, &a, &b, text, len);
	if (ret < 0)
		abort();
	jsonl_release(&r);
	jsonw_release(&a);
	jsonw_release(&b);
	jsonv_release(&d);
	close(fd);
	return 0;
}
