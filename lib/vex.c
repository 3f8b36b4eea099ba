// SPDX-License-Identifier: Apache-2.0
#include "vex.h"

#include <stdbool.h>

#define MAX_LENGTH 15

enum { VEX2 = 0xc5, VEX3 = 0xc4, EVEX = 0x62 };

/* Opcode maps: 0F, 0F 38, 0F 3A; 5 and 6 are AVX512-FP16's. */
enum { MAP_0F = 1, MAP_0F38 = 2, MAP_0F3A = 3, MAP_5 = 5, MAP_6 = 6 };

static bool known_map(uint8_t prefix, unsigned int map)
{
	return (map >= MAP_0F && map <= MAP_0F3A) ||
	       (prefix == EVEX && (map == MAP_5 || map == MAP_6));
}

static bool has_immediate(unsigned int map, uint8_t opcode)
{
	if (map == MAP_0F3A)
		return true;
	return map == MAP_0F && ((opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 ||
				 (opcode >= 0xc4 && opcode <= 0xc6));
}

/* ModRM, SIB and displacement at @p; -1 if cut off. */
static int operand_length(const uint8_t *p, size_t left)
{
	uint8_t mod, rm;
	int len = 1;

	if (!left)
		return -1;
	mod = p[0] >> 6;
	rm = p[0] & 7;
	if (mod == 3)
		return len;
	if (rm == 4) {
		if (left < 2)
			return -1;
		len++;
		rm = p[1] & 7; /* the base; 5 is none, with a displacement, if mod is 0 */
	}
	if (mod == 1)
		return len + 1; /* EVEX scales it, but it is one byte */
	return mod == 2 || rm == 5 ? len + 4 : len;
}

int vex_length(const uint8_t *p, size_t left)
{
	unsigned int map = MAP_0F;
	int prefix, operand, len;

	if (!left || (p[0] != VEX2 && p[0] != VEX3 && p[0] != EVEX))
		return 0;
	prefix = p[0] == VEX2 ? 2 : p[0] == VEX3 ? 3 : 4;
	if (left <= (size_t)prefix)
		return -1;
	if (p[0] != VEX2)
		map = p[1] & (p[0] == VEX3 ? 0x1f : 0x07);
	if (!known_map(p[0], map))
		return -1;
	/* vzeroupper and vzeroall have no operand. */
	if (map == MAP_0F && p[prefix] == 0x77 && p[0] != EVEX)
		return prefix + 1;
	operand = operand_length(p + prefix + 1, left - (size_t)prefix - 1);
	if (operand < 0)
		return -1;
	len = prefix + 1 + operand + has_immediate(map, p[prefix]);
	return len <= MAX_LENGTH && (size_t)len <= left ? len : -1;
}
