// SPDX-License-Identifier: Apache-2.0

#include "textflag.h"

TEXT ·Getg(SB), NOSPLIT, $0-8
	MOVQ (TLS), AX
	MOVQ AX, ret+0(FP)
	RET

// Instructions that disassemblers are slow to learn.
TEXT ·Wide(SB), NOSPLIT, $0-8
	MOVQ p+0(FP), AX
	VPXORQ Z0, Z0, Z0
	VPTERNLOGD $0x96, Z1, Z2, Z3
	VMOVDQU64 Z0, (AX)
	KMOVW K1, CX
	VZEROUPPER
	RET

TEXT ·Plain(SB), NOSPLIT, $0-16
	MOVQ n+0(FP), AX
	TESTQ AX, AX
	JNE more
	INT $3
	MOVQ $0, ret+8(FP)
	RET
more:
	INCQ AX
	MOVQ AX, ret+8(FP)
	RET
