// SPDX-License-Identifier: Apache-2.0
#include "inlining.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN 4 /* places in a text */
/* Ten times what the largest programs have. */
#define MAX_CALLS (2u << 20)

struct inlining {
	const struct gobin *b;
	const struct gofuncs *fs;
	bool read;
	struct errinfo e;
	struct inlined *calls;
	size_t n_calls, cap_calls;
	struct inlined_name *names;
	size_t n_names;
};

struct inlining *inlining_new(const struct gobin *b, const struct gofuncs *fs)
{
	struct inlining *in = calloc(1, sizeof(*in));

	if (in) {
		in->b = b;
		in->fs = fs;
	}
	return in;
}

void inlining_free(struct inlining *in)
{
	if (!in)
		return;
	free(in->names);
	free(in->calls);
	free(in);
}

static int add(void *arg, const struct inlined *call)
{
	struct inlining *in = arg;

	if (in->n_calls == MAX_CALLS)
		return errinfo_set(&in->e, -EFBIG, "more than %u inlined calls", MAX_CALLS);
	if (in->n_calls == in->cap_calls) {
		size_t cap = in->cap_calls ? 2 * in->cap_calls : 1024;
		struct inlined *calls = realloc(in->calls, cap * sizeof(*calls));

		if (!calls)
			return -ENOMEM;
		in->calls = calls;
		in->cap_calls = cap;
	}
	in->calls[in->n_calls++] = *call;
	return 0;
}

static int by_name(const void *a_, const void *b_)
{
	const struct inlined *a = a_, *b = b_;

	if (a->name != b->name) /* one name, one place: the linker has each once */
		return (uintptr_t)a->name < (uintptr_t)b->name ? -1 : 1;
	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static int names_order(const void *a_, const void *b_)
{
	const struct inlined_name *a = a_, *b = b_;

	return strcmp(a->name, b->name);
}

static int group(struct inlining *in)
{
	size_t n = 0;

	qsort(in->calls, in->n_calls, sizeof(*in->calls), by_name);
	for (size_t i = 0; i < in->n_calls; i++)
		n += !i || in->calls[i].name != in->calls[i - 1].name;
	in->names = calloc(n + 1, sizeof(*in->names));
	if (!in->names)
		return -ENOMEM;
	for (size_t i = 0; i < in->n_calls; i++) {
		if (!i || in->calls[i].name != in->calls[i - 1].name)
			in->names[in->n_names++] = (struct inlined_name){ in->calls[i].name,
									  &in->calls[i], 0 };
		in->names[in->n_names - 1].n++;
	}
	qsort(in->names, in->n_names, sizeof(*in->names), names_order);
	return 0;
}

static void read_once(struct inlining *in)
{
	int ret;

	if (in->read)
		return;
	in->read = true;
	ret = inltree_each(in->b, in->fs, add, in, &in->e);
	if (!ret && in->n_calls)
		ret = group(in);
	if (ret && !in->e.text[0])
		errinfo_set(&in->e, 0, "%s", strerror(-ret));
	if (ret)
		in->n_names = 0;
}

const char *inlining_error(struct inlining *in)
{
	read_once(in);
	return in->e.text;
}

const char *inlining_warning(const struct inlining *in)
{
	return in->e.text;
}

size_t inlining_names(struct inlining *in, const struct inlined_name **out)
{
	read_once(in);
	*out = in->names;
	return in->n_names;
}

struct inlined_name inlining_find(struct inlining *in, const char *name)
{
	struct inlined_name key = { .name = name }, *found;

	read_once(in);
	found = in->n_names ? bsearch(&key, in->names, in->n_names, sizeof(key), names_order)
			    : NULL;
	return found ? *found : key;
}

void inlining_text(const struct inlined_name *n, char *buf, size_t len)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < n->n && i < SHOWN && used < len; i++)
		used += (size_t)snprintf(buf + used, len - used, "%s%s at 0x%" PRIx64,
					 i ? ", " : "", n->calls[i].in->name, n->calls[i].addr);
	if (n->n > SHOWN && used < len)
		snprintf(buf + used, len - used, " and %zu more", n->n - SHOWN);
}
