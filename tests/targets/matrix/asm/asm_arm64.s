// SPDX-License-Identifier: Apache-2.0

#include "textflag.h"

TEXT ·Getg(SB), NOSPLIT, $0-8
	MOVD g, ret+0(FP)
	RET

TEXT ·Wide(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VEOR V0.B16, V0.B16, V0.B16
	VST1 [V0.B16], (R0)
	RET

// With a literal that is no instruction.
TEXT ·Plain(SB), NOSPLIT, $0-16
	MOVD n+0(FP), R0
	MOVD $0x123456789abcdef1, R1
	CBNZ R0, more
	MOVD R1, ret+8(FP)
	RET
more:
	ADD $1, R0
	MOVD R0, ret+8(FP)
	RET
