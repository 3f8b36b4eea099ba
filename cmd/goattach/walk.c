// SPDX-License-Identifier: Apache-2.0
#include "walk.h"

#include <errno.h>

#include "sites.h"

#define MAX_FUNCTION (4U << 20) /* bytes; the largest that compilers make are far below */

static bool in_text(const struct gobin *b, uint64_t from, uint64_t to)
{
	const struct gobin_segment *seg;
	size_t n = gobin_segments(b, &seg);

	for (; n; n--, seg++)
		if (seg->exec && from >= seg->addr && from - seg->addr < seg->filesz &&
		    to - seg->addr <= seg->filesz)
			return true;
	return false;
}

int walk_from(const struct gobin *b, uint64_t entry, uint64_t end, struct code **out,
	      struct errinfo *e)
{
	const uint8_t *text;
	int ret;

	*out = NULL;
	if (entry >= end || end - entry > MAX_FUNCTION || !in_text(b, entry, end))
		return errinfo_set(e, -EINVAL, "0x%llx cannot be the entry of its function",
				   (unsigned long long)entry);
	text = gobin_at(b, entry, end - entry);
	if (!text)
		return errinfo_set(e, -EINVAL, "0x%llx is not in the file",
				   (unsigned long long)entry);
	ret = code_new(gobin_arch(b), text, entry, end - entry, 0, NULL, NULL, out, e);
	return ret && ret != -ENOMEM ? -EINVAL : ret;
}

void walk_free(struct code *c)
{
	code_free(c);
}

bool walk_meets(const struct code *c, uint64_t addr, size_t len)
{
	const struct insn *in;
	size_t lo = 0, hi = code_insns(c, &in), n = hi;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (in[mid].addr < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && in[lo].addr == addr && in[lo].len == len && in[lo].cls != INSN_PAD &&
	       in[lo].cls != INSN_DATA && in[lo].cls != INSN_BAD;
}
