/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of Go binaries: the same file as if its section headers were stripped. */
#ifndef GOTAP_BARE_H
#define GOTAP_BARE_H

#include <elf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "gobin.h"

/* *@copy holds the file and is to be freed after the gobin; NULL if it does not open. */
static inline struct gobin *without_sections(const struct gobin *b, uint8_t **copy)
{
	struct errinfo e;
	struct gobin *out = NULL;
	size_t n;
	const uint8_t *p = gobin_image(b, &n);

	*copy = malloc(n);
	if (!*copy)
		return NULL;
	memcpy(*copy, p, n);
	memset(*copy + offsetof(Elf64_Ehdr, e_shoff), 0, 8);
	return gobin_open_image(*copy, n, &out, &e) ? NULL : out;
}

#endif
