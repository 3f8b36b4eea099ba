// SPDX-License-Identifier: Apache-2.0
/*
 * The layout of maps: Go 1.24 and later in groups of slots
 * (src/internal/runtime/maps), before in buckets (src/runtime/map.go).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gotypes_internal.h"

/* Control bytes, or the hashes' top bytes, come first in a group and in a bucket. */
#define HEAD_BYTES 8
#define SLOTS	   8

static int offset_of(struct gotypes *ts, const struct gotype *t, const char *name, uint32_t *out,
		     struct errinfo *e)
{
	struct gofield f;
	int r = gotypes_field(ts, t, name, &f, e);

	*out = r ? 0 : (uint32_t)f.offset;
	return r ? -ENOENT : 0;
}

/* The group or bucket type of a map: its descriptor always names it. */
static const struct gotype *group_of(struct gotypes *ts, struct type_node *map, bool swiss)
{
	uint64_t rt = type_descriptor(ts, map), die;
	const struct gotype *key = gotypes_key(ts, &map->pub), *elem = gotypes_elem(ts, &map->pub);
	const struct type_node *n = NULL;
	struct rtype t;
	char *name;

	if (rt && !rtype_read(ts->rtypes, rt, &t) && t.kind == RTYPE_MAP)
		n = type_of_rt(ts, t.group);
	if (n || !ts->dwarf ||
	    asprintf(&name, swiss ? "map.group[%s]%s" : "bucket<%s,%s>", key->name, elem->name) < 0)
		return n ? &n->pub : NULL;
	die = godwarf_find(ts->dwarf, name);
	free(name);
	n = die ? type_of_die(ts, die) : NULL;
	return n ? &n->pub : NULL;
}

static int swiss_slots(struct gotypes *ts, const struct gotype *map, const struct gotype *group,
		       struct gomap_layout *out, struct errinfo *e)
{
	const struct gotype *slot, *elem = gotypes_elem(ts, map);
	struct gofield slots, f;

	if (gotypes_field(ts, group, "slots", &slots, e) || slots.offset != HEAD_BYTES ||
	    slots.type->kind != GOTYPE_ARRAY || slots.type->count != SLOTS)
		return errinfo_set(e, -ENOENT, "%s: groups have no slots of keys and elements",
				   map->name);
	slot = gotypes_elem(ts, slots.type);
	if (gotypes_field(ts, slot, "key", &f, e) || f.offset != 0 ||
	    gotypes_field(ts, slot, "elem", &f, e))
		return errinfo_set(e, -ENOENT, "%s: slots have no key and elem", map->name);
	if (f.type->kind != elem->kind || f.type->size != elem->size)
		return errinfo_set(e, -ENOENT, "%s: elements are behind pointers", map->name);
	out->slot_size = (uint32_t)slot->size;
	out->elem_off = (uint32_t)f.offset;
	return 0;
}

static int swiss_layout(struct gotypes *ts, const struct gotype *map, const struct gotype *group,
			const struct gotype *head, struct gomap_layout *out, struct errinfo *e)
{
	const struct gotype *table = gotypes_find(ts, "internal/runtime/maps.table");
	struct gofield groups;
	uint32_t data;

	if (!table || gotypes_field(ts, table, "groups", &groups, e) ||
	    offset_of(ts, groups.type, "data", &data, e))
		return errinfo_set(e, -ENOENT, "internal/runtime/maps.table is not known");
	out->swiss = true;
	out->table_groups = (uint32_t)groups.offset + data;
	if (offset_of(ts, head, "used", &out->used, e) ||
	    offset_of(ts, head, "dirPtr", &out->dir_ptr, e) ||
	    offset_of(ts, head, "dirLen", &out->dir_len, e))
		return -ENOENT;
	return swiss_slots(ts, map, group, out, e);
}

static int bucket_layout(struct gotypes *ts, const struct gotype *map, const struct gotype *bucket,
			 const struct gotype *head, struct gomap_layout *out, struct errinfo *e)
{
	const struct gotype *elem = gotypes_elem(ts, map), *slot;
	struct gofield keys, elems;

	if (offset_of(ts, head, "count", &out->used, e) ||
	    offset_of(ts, head, "B", &out->log2_buckets, e) ||
	    offset_of(ts, head, "buckets", &out->buckets, e) ||
	    offset_of(ts, bucket, "overflow", &out->overflow, e))
		return -ENOENT;
	/* DWARF says values, the descriptor says elems. */
	if (gotypes_field(ts, bucket, "keys", &keys, e) || keys.offset != HEAD_BYTES ||
	    (gotypes_field(ts, bucket, "elems", &elems, NULL) &&
	     gotypes_field(ts, bucket, "values", &elems, NULL)) ||
	    elems.type->kind != GOTYPE_ARRAY || elems.type->count != SLOTS)
		return errinfo_set(e, -ENOENT, "%s: buckets have no keys and elements", map->name);
	slot = gotypes_elem(ts, elems.type);
	if (slot->kind != elem->kind || slot->size != elem->size)
		return errinfo_set(e, -ENOENT, "%s: elements are behind pointers", map->name);
	out->slot_size = (uint32_t)slot->size;
	out->elem_off = (uint32_t)elems.offset;
	return 0;
}

/* What the binary itself describes tells which kind of maps it has; the table, of its version. */
static const struct gotype *find_head(struct gotypes *ts, bool *swiss)
{
	const struct gotype *map = gotypes_find(ts, "internal/runtime/maps.Map");
	const struct gotype *hmap = gotypes_find(ts, "runtime.hmap");

	*swiss = map &&
		 (map->source != GOTYPE_FROM_TABLE || !hmap || hmap->source == GOTYPE_FROM_TABLE);
	return *swiss ? map : hmap;
}

int gotypes_map_layout(struct gotypes *ts, const struct gotype *map, struct gomap_layout *out,
		       struct errinfo *e)
{
	const struct gotype *key = gotypes_key(ts, map), *elem = gotypes_elem(ts, map);
	const struct gotype *head, *group;
	bool swiss;

	memset(out, 0, sizeof(*out));
	if (map->kind != GOTYPE_MAP || !key || !elem)
		return errinfo_set(e, -ENOENT, "%s is no map", map->name);
	if (key->kind != GOTYPE_STRING)
		return errinfo_set(e, -ENOTSUP, "%s: keys are not strings", map->name);
	head = find_head(ts, &swiss);
	if (!head)
		return errinfo_set(e, -ENOENT, "neither maps.Map nor runtime.hmap is known");
	group = group_of(ts, (struct type_node *)map, swiss);
	if (!group)
		return errinfo_set(e, -ENOENT, "%s: its %s type is not known", map->name,
				   swiss ? "group" : "bucket");
	return swiss ? swiss_layout(ts, map, group, head, out, e)
		     : bucket_layout(ts, map, group, head, out, e);
}
