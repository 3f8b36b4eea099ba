// SPDX-License-Identifier: Apache-2.0
/* Real Go binaries with other tables of functions, and symbols. */
#include "realbin.h"
#include "touch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const enum realbin_region regions[] = {
	REGION_PCLN_HEAD, REGION_PCLN, REGION_FUNCTAB, REGION_SYMTAB, REGION_STRTAB,
};

static void look(struct gobin *b)
{
	touch_funcs(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	realbin_run(data, size, regions, sizeof(regions) / sizeof(regions[0]), look);
	return 0;
}
