// SPDX-License-Identifier: Apache-2.0
#include "lookup.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "record.h"

/* A 32-bit unsigned member of @obj. */
static int u32_member(const struct jsonv *obj, const char *key, __u32 *out, struct errinfo *e)
{
	uint64_t n;

	if (jsonv_u64(jsonv_member(obj, key), &n) || n > UINT32_MAX)
		return errinfo_set(e, -EINVAL, "\"%s\" is missing or no 32-bit number", key);
	*out = (__u32)n;
	return 0;
}

static int map_swiss(struct gotap_lookup *l, const struct jsonv *v, __u32 slot, struct errinfo *e)
{
	if (u32_member(v, K_DIR_PTR, &l->dir_ptr, e) || u32_member(v, K_DIR_LEN, &l->dir_len, e) ||
	    u32_member(v, K_TABLE_GROUPS, &l->table_groups, e))
		return -EINVAL;
	if (slot < 16 || slot % 8)
		return errinfo_set(e, -EINVAL, "\"slot_size\" has no room for a string key");
	if (slot > GOTAP_MAX_STRIDE)
		return errinfo_set(e, -E2BIG, "map slots of %u bytes, more than %d", slot,
				   GOTAP_MAX_STRIDE);
	l->swiss = 1;
	return 0;
}

static int map_hmap(struct gotap_lookup *l, const struct jsonv *v, __u32 slot, struct errinfo *e)
{
	if (u32_member(v, K_LOG2_BUCKETS, &l->log2_buckets, e) ||
	    u32_member(v, K_BUCKETS, &l->buckets, e) || u32_member(v, K_OVERFLOW, &l->overflow, e))
		return -EINVAL;
	if (slot > UINT16_MAX)
		return errinfo_set(e, -EINVAL, "\"slot_size\" is out of range");
	return 0;
}

int lookup_parse(struct jsonv_doc *d, const struct jsonv *v, struct gotap_lookup *l,
		 struct errinfo *e)
{
	const char *key;
	size_t len;
	__u32 slot;
	int ret;

	if (v->type != JSONV_OBJECT || jsonv_str(d, jsonv_member(v, K_KEY), &key, &len))
		return errinfo_set(e, -EINVAL, "\"map\" needs an object with \"key\"");
	if (len > GOTAP_MAX_KEY)
		return errinfo_set(e, -E2BIG, "a map key of more than %d bytes", GOTAP_MAX_KEY);
	if (u32_member(v, K_SLOT_SIZE, &slot, e) || u32_member(v, K_ELEM_OFF, &l->elem_off, e))
		return -EINVAL;
	if (jsonv_is(jsonv_member(v, K_LAYOUT), "swiss"))
		ret = map_swiss(l, v, slot, e);
	else if (jsonv_is(jsonv_member(v, K_LAYOUT), "hmap"))
		ret = map_hmap(l, v, slot, e);
	else
		ret = errinfo_set(e, -EINVAL, "unknown map layout");
	l->slot_size = (__u16)slot;
	l->key_len = (__u8)len;
	memcpy(l->key, key, len);
	return ret;
}
