// SPDX-License-Identifier: Apache-2.0
/* Real Go binaries with other functions, parameters and locations in DWARF. */
#include "realbin.h"
#include "touch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define N_ENTRIES 12

static const enum realbin_region regions[] = {
	REGION_INFO, REGION_ABBREV, REGION_ADDR, REGION_LOC, REGION_LOCLISTS, REGION_INFO,
};

/* Of functions whose parameters are looked at. */
static size_t find_entries(struct gobin *b, uint64_t *out)
{
	struct errinfo e;
	struct gofuncs *fs;
	size_t n = 0;

	if (gofuncs_load(b, &fs, &e))
		return 0;
	for (size_t i = 0; i < gofuncs_count(fs) && n < N_ENTRIES;
	     i += 1 + gofuncs_count(fs) / N_ENTRIES)
		out[n++] = gofuncs_get(fs, i)->entry;
	gofuncs_free(fs);
	return n;
}

static void look(struct gobin *b)
{
	uint64_t entries[N_ENTRIES];

	touch_types(b, entries, find_entries(b, entries));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	realbin_run(data, size, regions, sizeof(regions) / sizeof(regions[0]), look);
	return 0;
}
