// SPDX-License-Identifier: Apache-2.0
/* Real Go binaries with other types in DWARF, and other compressed sections. */
#include "realbin.h"
#include "touch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const enum realbin_region regions[] = {
	REGION_INFO, REGION_ABBREV, REGION_INFO, REGION_SHDRS, REGION_DEBUG_STR,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t len;
	const uint8_t *p = realbin_open(data, size, regions, sizeof(regions) / sizeof(regions[0]),
					&len);
	struct errinfo e = { "" };
	struct gobin *b;

	if (!gobin_open_image(p, len, &b, &e)) {
		touch_types(b, NULL, 0);
		gobin_free(b);
	} else if (!e.text[0]) {
		abort();
	}
	realbin_close();
	return 0;
}
