// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes as the text of a function, for both architectures: sites are
 * instructions of it, and no function takes long.
 */
#include <stdlib.h>
#include <string.h>

#include "sites.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ADDR 0x401000ull
#define MAX  64

static const char *name_of(const void *ctx, uint64_t addr)
{
	(void)ctx;
	return addr % 3 ? NULL : "runtime.morestack_noctxt.abi0";
}

static void check(const struct code *c, const struct site *s, size_t n)
{
	const struct insn *in;
	size_t n_insns = code_insns(c, &in);

	for (size_t i = 0; i < n && i < MAX; i++) {
		size_t j = 0;

		while (j < n_insns && in[j].addr != s[i].addr)
			j++;
		if (j == n_insns || !s[i].len || s[i].len > sizeof(s[i].bytes))
			abort();
	}
}

static void look(enum gobin_arch arch, const uint8_t *text, size_t len, uint32_t deferreturn)
{
	struct errinfo e = { "" };
	struct site sites[MAX];
	struct code *c;
	char buf[96];

	if (code_new(arch, text, ADDR, len, deferreturn, name_of, NULL, &c, &e)) {
		if (!e.text[0])
			abort();
		return;
	}
	code_entry(c, false, sites);
	check(c, sites, 1);
	code_entry(c, true, sites);
	check(c, sites, 1);
	code_text(c, 0, buf, sizeof(buf));
	for (int i = 0; i < 3; i++) {
		int n = i == 0	 ? code_exits(c, sites, MAX, &e)
			: i == 1 ? code_calls(c, NULL, sites, MAX)
				 : code_after_calls(c, NULL, 2, sites, MAX);

		check(c, sites, n > 0 ? (size_t)n : 0);
	}
	code_free(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy;

	if (size < 2)
		return 0;
	copy = malloc(size - 1); /* so that reading too far is seen */
	if (!copy)
		return 0;
	memcpy(copy, data + 1, size - 1);
	look(data[0] & 1 ? GOBIN_ARM64 : GOBIN_AMD64, copy, size - 1, data[0] >> 1);
	free(copy);
	return 0;
}
