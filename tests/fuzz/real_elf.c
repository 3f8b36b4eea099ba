// SPDX-License-Identifier: Apache-2.0
/* Real Go binaries with other headers, notes, relocations and build information. */
#include "realbin.h"
#include "touch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const enum realbin_region regions[] = {
	REGION_EHDR, REGION_PHDRS,     REGION_SHDRS, REGION_DYNAMIC,
	REGION_RELA, REGION_BUILDINFO, REGION_NOTES,
};

static void touch_words(struct gobin *b)
{
	const struct gobin_segment *segs;
	size_t n = gobin_segments(b, &segs);
	uint64_t w;

	for (size_t i = 0; i < n; i++)
		for (uint64_t at = 0; at < 512 && at < segs[i].filesz; at += 8)
			if (!gobin_word(b, segs[i].addr + at, &w))
				sink += w;
}

static void look(struct gobin *b)
{
	touch_file(b);
	touch_words(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	realbin_run(data, size, regions, sizeof(regions) / sizeof(regions[0]), look);
	return 0;
}
