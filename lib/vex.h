/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long AVX and AVX-512 instructions are: those with a VEX or EVEX prefix, of
 * which disassemblers of some age know only a part. None of them jumps or calls, so
 * that their length is all that is needed to go on behind them. Used by
 * sites_amd64.c alone. Nothing here fails or allocates.
 */
#ifndef GOTAP_VEX_H
#define GOTAP_VEX_H

#include <stddef.h>
#include <stdint.h>

/*
 * The bytes of the instruction at @p, of which @left are there: 0 if it begins with
 * another prefix (in 64-bit mode C4, C5 and 62 are nothing else), -1 if it is cut
 * off or of an opcode map that is not known. Intel SDM volume 2, 2.3 and 2.7; the
 * opcodes that have an immediate byte are in its appendix A, tables.
 */
int vex_length(const uint8_t *p, size_t left);

#endif
