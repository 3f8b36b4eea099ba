// SPDX-License-Identifier: Apache-2.0
/*
 * The readers of Go binaries: any bytes give an error with a text, or functions
 * and types of which every part can be looked at. A seed is written by
 * build/tests/unit/gobin --seed FLAGS > FILE.
 */
#include "touch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct errinfo e = { "" };
	struct gobin *b;
	uint64_t w;

	if (gobin_open_image(data, size, &b, &e)) {
		if (!e.text[0])
			abort();
		return 0;
	}
	touch_file(b);
	touch_funcs(b);
	touch_inlining(b);
	touch_types(b, NULL, 0);
	sink += (uint64_t)gobin_word(b, 0x400408, &w);
	gobin_free(b);
	return 0;
}
