// SPDX-License-Identifier: Apache-2.0
#include "vex.h"

#include <stdio.h>
#include <string.h>

#include "tap.h"

/* Encodings as GNU as makes them. */
static const struct {
	const char *hex, *text;
	int len;
} list[] = {
	{ "c5f877", "vzeroupper", 3 },
	{ "c5fc77", "vzeroall", 3 },
	{ "c5fd6f06", "vmovdqa ymm0, [rsi]", 4 },
	{ "c5fd6f4640", "vmovdqa ymm0, [rsi+0x40]", 5 },
	{ "c5fd6f8680000000", "vmovdqa ymm0, [rsi+0x80]", 8 },
	{ "c5fd6f0510000000", "vmovdqa ymm0, [rip+0x10]", 8 },
	{ "c5fd6f0424", "vmovdqa ymm0, [rsp]", 5 },
	{ "c5fd6f0425 00010000", "vmovdqa ymm0, [0x100]", 9 },
	{ "c5fd6f442410", "vmovdqa ymm0, [rsp+0x10]", 6 },
	{ "c5f970c001", "vpshufd xmm0, xmm0, 1", 5 },
	{ "c5f172d107", "vpsrld xmm1, xmm1, 7", 5 },
	{ "c5f8c2c100", "vcmpps xmm0, xmm0, xmm1, 0", 5 },
	{ "c5f9c4c001", "vpinsrw xmm0, xmm0, eax, 1", 5 },
	{ "c4e27d180424", "vbroadcastss ymm0, [rsp]", 6 },
	{ "c4e37d06c131", "vperm2f128 ymm0, ymm0, ymm1, 0x31", 6 },
	{ "c4e37d0f44241008", "vpalignr ymm0, ymm0, [rsp+0x10], 8", 8 },
	{ "c4e2fbf6d8", "mulx rbx, rax, rax", 5 },
	{ "c4e3fbf0c108", "rorx rax, rcx, 8", 6 },
	{ "c5f892c8", "kmovw k1, eax", 4 },
	{ "62f17c48100408", "vmovups zmm0, [rax+rcx]", 7 },
	{ "62f17c48104001", "vmovups zmm0, [rax+0x40]", 7 },
	{ "62f17c48108010000000", "vmovups zmm0, [rax+0x10]", 10 },
	{ "62f37548 25c296", "vpternlogd zmm0, zmm1, zmm2, 0x96", 7 },
	{ "62f1f54872 e004", "vpsraq zmm1, zmm0, 4", 7 },
	{ "62f2fd4888c0", "vexpandpd zmm0, zmm0", 6 },
	{ "62f57c4858c1", "vaddph zmm0, zmm0, zmm1", 6 },
	{ "62f67d4898c1", "vfmadd132ph zmm0, zmm0, zmm1", 6 },
	{ "90", "another instruction", 0 },
	{ "660f6fc1", "SSE", 0 },
	{ "", "nothing", 0 },
	{ "c5", "a prefix alone", -1 },
	{ "c5f8", "without an opcode", -1 },
	{ "c5fd6f", "without an operand", -1 },
	{ "c5fd6f04", "without SIB", -1 },
	{ "c5fd6f46", "without its displacement", -1 },
	{ "c5f970c0", "without its immediate", -1 },
	{ "62f17c48", "EVEX without an opcode", -1 },
	{ "c4e07d1804", "map 0", -1 },
	{ "62f47c4858c1", "map 4, which APX has", -1 },
	{ "c4e57d58c1", "map 5 with VEX", -1 },
};

int main(void)
{
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		uint8_t bytes[20] = { 0 };
		const char *hex = list[i].hex;
		unsigned int byte;
		size_t n = 0;
		int used;

		for (; sscanf(hex, "%2x%n", &byte, &used) == 1; hex += used)
			bytes[n++] = (uint8_t)byte;
		is_int(vex_length(bytes, n), list[i].len, list[i].text);
		/* What follows must not matter. */
		if (list[i].len > 0) {
			memset(bytes + n, 0xff, sizeof(bytes) - n);
			is_int(vex_length(bytes, sizeof(bytes)), list[i].len, "  with more behind");
		}
	}
	return done();
}
