// SPDX-License-Identifier: Apache-2.0
#include "rtype.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "le.h"
#include "pclntab.h"
#include "rtype_internal.h"

/* Offsets in abi.Type and behind it. */
enum {
	T_SIZE = 0,
	T_PTRDATA = 8,
	T_TFLAG = 20,
	T_ALIGN = 21,
	T_FIELD_ALIGN = 22,
	T_KIND = 23,
	T_STR = 40,
	T_END = 48,

	TFLAG_UNCOMMON = 1,
	TFLAG_EXTRA_STAR = 2,
	TFLAG_NAMED = 4,
	TFLAG_ALL = 63,

	NAME_EMBEDDED = 8,
	NAME_FLAGS_ALL = 15,

	KIND_MASK = 31,
	FIELD_SIZE = 24,
};

/* Struct types have fewer fields, names fewer bytes. */
#define MAX_FIELDS 65536
#define MAX_TEXT   (64u << 10)
/* Types that one name is made of: a map is made of two, which may be maps. */
#define MAX_PARTS 64
/* The package of the types that generic functions are compiled for. */
#define SHAPE	  "go.shape"
#define SHAPE_LEN (sizeof(SHAPE) - 1)

static uint64_t word(const struct rtypes *rs, uint64_t addr)
{
	uint64_t w;

	return gobin_word(rs->b, addr, &w) ? 0 : w;
}

/* @len bytes of the region at @addr, NULL if they are not in it. */
static const uint8_t *region(const struct rtypes *rs, uint64_t addr, uint64_t len)
{
	if (addr < rs->start || addr > rs->end || rs->end - addr < len)
		return NULL;
	return rs->p + (addr - rs->start);
}

int rtypes_open(const struct gobin *b, struct rtypes **out, struct errinfo *e)
{
	struct pclntab tab;
	struct rtypes *rs;
	int r = pclntab_find(b, &tab, e);

	if (r)
		return r;
	if (!tab.mod.addr || !tab.mod.types)
		return errinfo_set(e, -ENODATA, "moduledata does not say where types are");
	rs = calloc(1, sizeof(*rs));
	if (!rs)
		return errinfo_set(e, -ENOMEM, "out of memory");
	rs->b = b;
	rs->start = tab.mod.types;
	rs->end = tab.mod.etypes;
	rs->p = gobin_at(b, rs->start, rs->end - rs->start);
	rs->minor = gobin_go_minor(b);
	if (!rs->p || rs->end - rs->start > UINT32_MAX) {
		free(rs);
		return errinfo_set(e, -EBADMSG, "types at address 0x%llx are not in the file",
				   (unsigned long long)tab.mod.types);
	}
	*out = rs;
	return 0;
}

void rtypes_free(struct rtypes *rs)
{
	if (!rs)
		return;
	rtypes_free_index(rs);
	free(rs);
}

uint64_t rtypes_base(const struct rtypes *rs)
{
	return rs->start;
}

int rtype_text_at(const struct rtypes *rs, uint64_t addr, struct rtype_text *out, uint8_t *flags)
{
	uint64_t there = gobin_extent(rs->b, addr), len = 0, n = 1;
	const uint8_t *p = there ? gobin_at(rs->b, addr, there) : NULL;
	unsigned shift = 0;
	uint8_t byte;

	if (!p || p[0] & ~NAME_FLAGS_ALL)
		return -EBADMSG;
	do {
		if (n == there || shift > 21)
			return -EBADMSG;
		byte = p[n++];
		len |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (len > there - n || len > MAX_TEXT)
		return -EBADMSG;
	*out = (struct rtype_text){ (const char *)p + n, len };
	if (flags)
		*flags = p[0];
	return 0;
}

/* A name by its offset in the region, as `str` and an import path are. */
static int text_at_offset(const struct rtypes *rs, uint32_t off, struct rtype_text *out)
{
	if (!off || off >= rs->end - rs->start)
		return -EBADMSG;
	return rtype_text_at(rs, rs->start + off, out, NULL) || !out->len ? -EBADMSG : 0;
}

static uint64_t size_of_kind(unsigned kind)
{
	static const uint8_t sizes[] = {
		[RTYPE_BOOL] = 1,
		[2] = 8,
		[3] = 1,
		[4] = 2,
		[5] = 4,
		[6] = 8,
		[7] = 8,
		[8] = 1,
		[9] = 2,
		[10] = 4,
		[11] = 8,
		[12] = 8,
		[RTYPE_FLOAT32] = 4,
		[RTYPE_FLOAT64] = 8,
		[RTYPE_COMPLEX64] = 8,
		[RTYPE_COMPLEX128] = 16,
		[RTYPE_ARRAY] = 0,
		[RTYPE_CHAN] = 8,
		[RTYPE_FUNC] = 8,
		[RTYPE_INTERFACE] = 16,
		[RTYPE_MAP] = 8,
		[RTYPE_PTR] = 8,
		[RTYPE_SLICE] = 24,
		[RTYPE_STRING] = 16,
		[RTYPE_STRUCT] = 0,
		[RTYPE_UNSAFE_PTR] = 8,
	};

	return sizes[kind];
}

bool rtype_head_plausible(const uint8_t *p)
{
	unsigned kind = p[T_KIND] & KIND_MASK, align = p[T_ALIGN];
	uint64_t size = le64(p + T_SIZE), want;

	if (kind < RTYPE_BOOL || kind > RTYPE_UNSAFE_PTR || p[T_TFLAG] & ~TFLAG_ALL ||
	    align != p[T_FIELD_ALIGN] || !align || align > 16 || align & (align - 1))
		return false;
	want = size_of_kind(kind);
	return (want ? size == want : size % align == 0) && le64(p + T_PTRDATA) <= size &&
	       le32(p + T_STR) != 0;
}

/* Bytes of a descriptor of this kind, before the uncommon part. */
static uint64_t kind_bytes(const struct rtypes *rs, enum rtype_kind kind)
{
	switch (kind) {
	case RTYPE_STRUCT:
	case RTYPE_INTERFACE:
		return T_END + 32;
	case RTYPE_PTR:
	case RTYPE_SLICE:
	case RTYPE_FUNC:
		return T_END + 8;
	case RTYPE_CHAN:
		return T_END + 16;
	case RTYPE_ARRAY:
		return T_END + 24;
	case RTYPE_MAP:
		/* MapType: buckets; slots; slots with strides. */
		return rs->minor >= 0 && rs->minor < 24 ? 88 : rs->minor < 27 ? 112 : 136;
	default:
		return T_END;
	}
}

static int read_parts(const struct rtypes *rs, struct rtype *out)
{
	uint64_t at = out->addr + T_END;

	switch (out->kind) {
	case RTYPE_ARRAY:
		out->elem = word(rs, at);
		out->count = word(rs, at + 16);
		break;
	case RTYPE_MAP:
		out->key = word(rs, at);
		out->elem = word(rs, at + 8);
		out->group = word(rs, at + 16);
		break;
	case RTYPE_CHAN:
	case RTYPE_PTR:
	case RTYPE_SLICE:
		out->elem = word(rs, at);
		break;
	case RTYPE_INTERFACE:
	case RTYPE_STRUCT:
		out->count = word(rs, at + 16);
		return out->count == word(rs, at + 24) && out->count < MAX_FIELDS ? 0 : -EBADMSG;
	default:
		return 0;
	}
	return region(rs, out->elem, T_END) ? 0 : -EBADMSG;
}

int rtype_read(const struct rtypes *rs, uint64_t addr, struct rtype *out)
{
	const uint8_t *p = addr % 8 ? NULL : region(rs, addr, T_END);
	struct rtype_text text;

	if (!p || !rtype_head_plausible(p))
		return -EBADMSG;
	*out = (struct rtype){
		.addr = addr,
		.size = le64(p + T_SIZE),
		.kind = (enum rtype_kind)(p[T_KIND] & KIND_MASK),
		.named = p[T_TFLAG] & TFLAG_NAMED,
	};
	if (!region(rs, addr, kind_bytes(rs, out->kind)) ||
	    text_at_offset(rs, le32(p + T_STR), &text))
		return -EBADMSG;
	return read_parts(rs, out);
}

int rtype_field(const struct rtypes *rs, const struct rtype *t, uint64_t i, struct rtype_field *out)
{
	uint64_t at, offset;
	uint8_t flags;

	if (t->kind != RTYPE_STRUCT || i >= t->count)
		return -ENOENT;
	at = word(rs, t->addr + T_END + 8) + i * FIELD_SIZE;
	if (rtype_text_at(rs, word(rs, at), &out->name, &flags) || !out->name.len)
		return -EBADMSG;
	out->type = word(rs, at + 8);
	if (out->type % 8 || !region(rs, out->type, T_END) || gobin_word(rs->b, at + 16, &offset))
		return -EBADMSG;
	/* offsetEmbed up to Go 1.18; then a plain offset, and a flag of the name. */
	if (rs->minor >= 0 && rs->minor < 19) {
		out->embedded = offset & 1;
		out->offset = offset >> 1;
	} else {
		out->embedded = flags & NAME_EMBEDDED;
		out->offset = offset;
	}
	return out->offset <= t->size ? 0 : -EBADMSG;
}

int rtype_string(const struct rtypes *rs, uint64_t addr, struct rtype_text *out)
{
	const uint8_t *p = region(rs, addr, T_END);

	if (!p || text_at_offset(rs, le32(p + T_STR), out))
		return -EBADMSG;
	if (p[T_TFLAG] & TFLAG_EXTRA_STAR) {
		if (out->p[0] != '*')
			return -EBADMSG;
		out->p++;
		out->len--;
	}
	return 0;
}

int rtype_own_name(const struct rtypes *rs, const struct rtype *t, struct rtype_text *path,
		   struct rtype_text *base)
{
	const uint8_t *p = region(rs, t->addr, T_END), *u;
	size_t dot = 0;

	u = p ? region(rs, t->addr + kind_bytes(rs, t->kind), 16) : NULL;
	if (!u || !(p[T_TFLAG] & TFLAG_UNCOMMON) || rtype_string(rs, t->addr, base) ||
	    text_at_offset(rs, le32(u), path))
		return -EBADMSG;
	/* A package's name has no dot but for that of shapes, "go.shape.struct { … }". */
	if (path->len == SHAPE_LEN && base->len > SHAPE_LEN && !memcmp(path->p, SHAPE, SHAPE_LEN) &&
	    !memcmp(base->p, SHAPE ".", SHAPE_LEN + 1))
		dot = SHAPE_LEN + 1;
	/* "atomic.Pointer[net/http.response]": the package ends before any bracket. */
	for (size_t i = 0; !dot && i < base->len && base->p[i] != '['; i++)
		if (base->p[i] == '.')
			dot = i + 1;
	base->p += dot;
	base->len -= dot;
	return dot && base->len ? 0 : -EBADMSG;
}

static char *name_at(const struct rtypes *rs, uint64_t addr, int *parts);

static char *composite(const struct rtypes *rs, const struct rtype *t, int *parts)
{
	char *key = NULL, *elem = name_at(rs, t->elem, parts), *s = NULL;
	int r = -1;

	if (t->kind == RTYPE_MAP && elem)
		key = name_at(rs, t->key, parts);
	if (!elem || (t->kind == RTYPE_MAP && !key))
		goto out;
	if (t->kind == RTYPE_PTR)
		r = asprintf(&s, "*%s", elem);
	else if (t->kind == RTYPE_SLICE)
		r = asprintf(&s, "[]%s", elem);
	else if (t->kind == RTYPE_ARRAY)
		r = asprintf(&s, "[%llu]%s", (unsigned long long)t->count, elem);
	else
		r = asprintf(&s, "map[%s]%s", key, elem);
out:
	free(elem);
	free(key);
	return r < 0 ? NULL : s;
}

static char *name_at(const struct rtypes *rs, uint64_t addr, int *parts)
{
	struct rtype t;
	struct rtype_text path, base;
	char *s;

	if ((*parts)-- <= 0 || rtype_read(rs, addr, &t))
		return NULL;
	if (!t.named && (t.kind == RTYPE_PTR || t.kind == RTYPE_SLICE || t.kind == RTYPE_ARRAY ||
			 t.kind == RTYPE_MAP))
		return composite(rs, &t, parts);
	if (!t.named || rtype_own_name(rs, &t, &path, &base)) {
		/* A type of the language has no package. */
		if (rtype_string(rs, addr, &base))
			return NULL;
		return strndup(base.p, base.len);
	}
	if (asprintf(&s, "%.*s.%.*s", (int)path.len, path.p, (int)base.len, base.p) < 0)
		return NULL;
	return s;
}

char *rtype_name(const struct rtypes *rs, uint64_t addr)
{
	int parts = MAX_PARTS;

	return name_at(rs, addr, &parts);
}
