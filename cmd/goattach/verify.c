// SPDX-License-Identifier: Apache-2.0
#include "verify.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "walk.h"

/* The executable segment whose part of the file holds [@offset, @offset + @n). */
static const struct gobin_segment *text_segment(const struct gobin *b, uint64_t offset, uint64_t n)
{
	const struct gobin_segment *seg;
	size_t count = gobin_segments(b, &seg);

	for (; count; count--, seg++)
		if (seg->exec && offset >= seg->offset && offset - seg->offset <= seg->filesz &&
		    n <= seg->filesz - (offset - seg->offset))
			return seg;
	return NULL;
}

static int not_one(const struct site *s, struct errinfo *e)
{
	return errinfo_set(e, -EINVAL, "the %u bytes at 0x%llx are not one whole instruction",
			   s->n_bytes, (unsigned long long)s->addr);
}

static int verify_site(const struct gobin *b, const struct site *s, struct errinfo *e)
{
	const struct gobin_segment *seg = text_segment(b, s->offset, s->n_bytes);
	const uint8_t *image;
	size_t size;

	if (!seg)
		return errinfo_set(e, -EINVAL, "offset 0x%llx is not in the program's text",
				   (unsigned long long)s->offset);
	if (s->addr - seg->addr != s->offset - seg->offset)
		return errinfo_set(e, -EINVAL, "offset 0x%llx does not belong to address 0x%llx",
				   (unsigned long long)s->offset, (unsigned long long)s->addr);
	image = gobin_image(b, &size);
	if (s->offset > size || s->n_bytes > size - s->offset)
		return errinfo_set(e, -EINVAL, "offset 0x%llx is past the file's end",
				   (unsigned long long)s->offset);
	if (memcmp(image + s->offset, s->bytes, s->n_bytes))
		return errinfo_set(e, -EINVAL, "the file has another instruction at 0x%llx",
				   (unsigned long long)s->addr);
	return 0;
}

/* With an entry: all sites stand where decoding from there meets an instruction. */
static int verify_boundaries(const struct gobin *b, const struct probe *p, const struct site **site,
			     struct errinfo *e)
{
	uint64_t end = p->entry;
	struct code *code;
	int ret;

	for (uint32_t i = 0; i < p->n_sites; i++) {
		*site = &p->sites[i];
		if ((*site)->addr < p->entry)
			return errinfo_set(e, -EINVAL, "0x%llx is before its function's entry",
					   (unsigned long long)(*site)->addr);
		if ((*site)->addr + (*site)->n_bytes > end)
			end = (*site)->addr + (*site)->n_bytes;
	}
	ret = walk_from(b, p->entry, end, &code, e);
	for (uint32_t i = 0; !ret && i < p->n_sites; i++) {
		*site = &p->sites[i];
		if (!walk_meets(code, (*site)->addr, (*site)->n_bytes))
			ret = not_one(*site, e);
	}
	walk_free(code);
	return ret;
}

/* Without an entry: the bytes of each site are one whole instruction. */
static int verify_whole(const struct gobin *b, const struct site *s, struct errinfo *e)
{
	struct code *code;
	struct errinfo why;
	int ret = walk_from(b, s->addr, s->addr + s->n_bytes, &code, &why);

	if (ret == -ENOMEM)
		return errinfo_set(e, ret, "out of memory");
	if (ret || !walk_meets(code, s->addr, s->n_bytes))
		ret = not_one(s, e);
	walk_free(code);
	return ret;
}

int verify_probe(const struct gobin *b, const struct probe *p, const struct site **site,
		 struct errinfo *e)
{
	for (uint32_t i = 0; i < p->n_sites; i++) {
		int ret = verify_site(b, &p->sites[i], e);

		if (!ret && !p->has_entry)
			ret = verify_whole(b, &p->sites[i], e);
		if (ret) {
			*site = &p->sites[i];
			return ret;
		}
	}
	return p->has_entry ? verify_boundaries(b, p, site, e) : 0;
}
