// SPDX-License-Identifier: Apache-2.0
#include "activerec.h"

#include <errno.h>

#include "attr_read.h"
#include "record.h"

static int read_attributes(struct activerec *ar, const struct record *r, const struct jsonv *v,
			   struct arena *a)
{
	const struct jsonv *k = jsonv_first(v);

	for (uint32_t i = 0; i < v->count && i < ACTIVE_MAX_ATTRS; i++, k = jsonv_after(k + 1)) {
		struct attr *at = &ar->attrs[ar->n_attrs++];
		struct attr_value key;

		if (attr_value_read(r->doc, k, a, &key) ||
		    attr_value_read(r->doc, k + 1, a, &at->value))
			return -ENOMEM;
		at->key = key.str;
	}
	return 0;
}

int activerec_parse(struct activerec *ar, const struct record *r, struct arena *a,
		    struct errinfo *e)
{
	const struct jsonv *span = jsonv_member(r->root, K_SPAN);
	const struct jsonv *attrs = jsonv_member(r->root, K_ATTRIBUTES);
	uint64_t pid;

	*ar = (struct activerec){ 0 };
	if (jsonv_u64(jsonv_member(r->root, K_PID), &pid) || pid > INT32_MAX)
		return errinfo_set(e, -EINVAL, "active: no usable \"%s\"", K_PID);
	if (jsonv_u64(jsonv_member(r->root, K_COUNT), &ar->count) || ar->count > INT64_MAX)
		return errinfo_set(e, -EINVAL, "active: no usable \"%s\"", K_COUNT);
	if (!span || span->type != JSONV_STRING || !attrs || attrs->type != JSONV_OBJECT)
		return errinfo_set(e, -EINVAL, "active: no usable \"%s\" or \"%s\"", K_SPAN,
				   K_ATTRIBUTES);
	ar->pid = (uint32_t)pid;
	ar->server = jsonv_is(span, "http.server");
	ar->client = jsonv_is(span, "http.client");
	return read_attributes(ar, r, attrs, a);
}
