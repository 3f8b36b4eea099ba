// SPDX-License-Identifier: Apache-2.0
#include "foreign.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"

static int bad(const struct probe *p, const char *why, struct errinfo *e)
{
	return errinfo_set(e, -EINVAL, "probe %s: \"foreign\": %s", p->id ? p->id : "?", why);
}

/* The offset @key of @v; -EINVAL if it is missing or out of range. */
static int offset(const struct jsonv *v, const char *key, uint32_t *out)
{
	uint64_t n;

	if (jsonv_u64(jsonv_member(v, key), &n) || n > INT32_MAX)
		return -EINVAL;
	*out = (uint32_t)n;
	return 0;
}

static int parse_one(const struct jsonv *v, const struct probe *p, struct foreign *f,
		     struct errinfo *e)
{
	uint32_t via = 0;

	if (v->type != JSONV_OBJECT || jsonv_u64(jsonv_member(v, K_ADDR), &f->type))
		return bad(p, "an element without an address", e);
	if (offset(v, K_TRACE_ID, &f->at.trace_id) || offset(v, K_SPAN_ID, &f->at.span_id) ||
	    offset(v, K_FLAGS, &f->at.flags) || offset(v, K_KIND, &f->at.kind) ||
	    offset(v, K_SCOPE, &f->at.scope))
		return bad(p, "an element without an offset", e);
	if (jsonv_member(v, K_VIA) && offset(v, K_VIA, &via))
		return bad(p, "an element with a bad \"via\"", e);
	f->at.scope_via = jsonv_member(v, K_VIA) ? (int32_t)via : -1;
	return 0;
}

int foreign_parse(const struct jsonv *root, struct probe *p, struct errinfo *e)
{
	const struct jsonv *list = jsonv_member(root, K_FOREIGN), *v;
	int ret = 0;

	if (!list)
		return 0;
	if (list->type != JSONV_ARRAY)
		return bad(p, "no array", e);
	if (!list->count)
		return 0;
	p->foreign = calloc(list->count, sizeof(*p->foreign));
	if (!p->foreign)
		return errinfo_set(e, -ENOMEM, "out of memory");
	v = jsonv_first(list);
	for (; !ret && p->n_foreign < list->count; p->n_foreign++, v = jsonv_after(v))
		ret = parse_one(v, p, &p->foreign[p->n_foreign], e);
	return ret;
}

int foreign_write(struct kernel *k, const struct probe *p)
{
	for (uint32_t i = 0; i < p->n_foreign; i++) {
		struct gotap_context_key key = { .binary = p->binary_number,
						 .type = p->foreign[i].type };

		if (bpf_map_update_elem(k->foreign_fd, &key, &p->foreign[i].at, BPF_ANY))
			return -errno;
		key.type = 0; /* where there is no interface to tell the type */
		if (bpf_map_update_elem(k->foreign_fd, &key, &p->foreign[i].at, BPF_ANY))
			return -errno;
		kernel_foreign_known(k);
	}
	return 0;
}

void foreign_delete(struct kernel *k, const struct probe *p)
{
	struct gotap_context_key key = { .binary = p->binary_number };

	for (uint32_t i = 0; i < p->n_foreign; i++) {
		key.type = p->foreign[i].type;
		bpf_map_delete_elem(k->foreign_fd, &key);
	}
	key.type = 0;
	if (p->n_foreign)
		bpf_map_delete_elem(k->foreign_fd, &key);
}

uint16_t foreign_kind(const struct probe *p)
{
	static const char *const kinds[] = { "",       "internal", "server",
					     "client", "producer", "consumer" };

	for (uint16_t i = 1; p->kind && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(p->kind, kinds[i]))
			return i;
	return 0;
}

uint64_t foreign_scope(const struct probe *p)
{
	__u64 words[GOTAP_SCOPE_WORDS] = { 0 };
	size_t len = p->traced_by ? strlen(p->traced_by) : 0;

	if (!len || len > sizeof(words))
		return 0;
	memcpy(words, p->traced_by, len);
	return gotap_scope_hash(words, len);
}
