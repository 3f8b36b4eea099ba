// SPDX-License-Identifier: Apache-2.0
/* The parser of recipes: any bytes give a recipe or an error with its place. */
#include <stdlib.h>
#include <string.h>

#include "recipe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct errinfo e = { .text = "" };
	struct recipe *r = NULL;

	if (recipe_parse("f", (const char *)data, size, &r, &e)) {
		if (strncmp(e.text, "f:", 2))
			abort();
		return 0;
	}
	for (size_t i = 0; i < r->n_spans; i++)
		if (!r->spans[i].kind || !r->spans[i].scope)
			abort();
	recipe_free(r);
	return 0;
}
