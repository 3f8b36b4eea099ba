// SPDX-License-Identifier: Apache-2.0
/* --capture: any text gives a wish with paths or an error with its column. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../cmd/goresolve/wish.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct errinfo e = { .text = "" };
	char *text = strndup((const char *)data, size);
	struct wish w;

	if (!text)
		return 0;
	if (wish_parse(text, &w, &e)) {
		if (strncmp(e.text, "--capture:1:", 12) != 0)
			abort();
	} else {
		if (!w.func[0] || !w.n_items)
			abort();
		for (size_t i = 0; i < w.n_items; i++)
			if (!w.items[i].path.text || (w.items[i].name && !w.items[i].name[0]))
				abort();
	}
	wish_release(&w);
	free(text);
	return 0;
}
