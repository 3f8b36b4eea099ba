// SPDX-License-Identifier: Apache-2.0
/* Direct calls by their encoding alone: what they lead to is looked at by the caller. */
#include "gofuncs_internal.h"
#include "le.h"

/* Wrappers of 1.18 to 1.27 have 40 to 300 bytes, more where they pass much. */
#define MAX_LEN 2048

static int each_amd64(const uint8_t *p, uint64_t addr, uint64_t len,
		      int (*fn)(void *arg, uint64_t target), void *arg)
{
	for (uint64_t i = 0; i + 5 <= len; i++) {
		int r;

		if (p[i] != 0xe8 && p[i] != 0xe9) /* call, jmp */
			continue;
		r = fn(arg, addr + i + 5 + (uint64_t)(int64_t)(int32_t)le32(p + i + 1));
		if (r)
			return r;
	}
	return 0;
}

static int each_arm64(const uint8_t *p, uint64_t addr, uint64_t len,
		      int (*fn)(void *arg, uint64_t target), void *arg)
{
	for (uint64_t i = 0; i + 4 <= len; i += 4) {
		uint32_t w = le32(p + i);
		int r;

		if ((w & 0x7c000000) != 0x14000000) /* bl, b */
			continue;
		/* 26 bits with a sign, in instructions. */
		r = fn(arg, addr + i + (uint64_t)((int64_t)((uint64_t)w << 38) >> 36));
		if (r)
			return r;
	}
	return 0;
}

int gofuncs_each_call(const struct gobin *b, const struct gofunc *f,
		      int (*fn)(void *arg, uint64_t target), void *arg)
{
	uint64_t len = f->end - f->entry < MAX_LEN ? f->end - f->entry : MAX_LEN;
	const uint8_t *p = gobin_at(b, f->entry, len);

	if (!p)
		return 0;
	return gobin_arch(b) == GOBIN_AMD64 ? each_amd64(p, f->entry, len, fn, arg)
					    : each_arm64(p, f->entry, len, fn, arg);
}
