// SPDX-License-Identifier: Apache-2.0
/* Real Go binaries with other types in DWARF, and other compressed sections. */
#include "realbin.h"
#include "touch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const enum realbin_region regions[] = {
	REGION_INFO, REGION_ABBREV, REGION_INFO, REGION_SHDRS, REGION_DEBUG_STR,
};

static void look(struct gobin *b)
{
	touch_types(b, NULL, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	realbin_run(data, size, regions, sizeof(regions) / sizeof(regions[0]), look);
	return 0;
}
