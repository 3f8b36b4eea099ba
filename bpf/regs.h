/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Go's registers, for each architecture: src/cmd/compile/abi-internal.md. Calls
 * follow ABIInternal: integer argument registers, g, the closure's context.
 */
#ifndef GOTAP_REGS_H
#define GOTAP_REGS_H

#include "gotap_abi.h"

#if defined(__TARGET_ARCH_x86)

typedef struct pt_regs regs_t;
#define REG_G(r)  ((r)->r14)
#define REG_SP(r) ((r)->sp)
#define REG_IP(r) ((r)->ip)

static __always_inline void regs_save(const regs_t *r, __u64 *to)
{
	to[0] = r->ax;
	to[1] = r->bx;
	to[2] = r->cx;
	to[3] = r->di;
	to[4] = r->si;
	to[5] = r->r8;
	to[6] = r->r9;
	to[7] = r->r10;
	to[8] = r->r11;
	to[GOTAP_REG_G] = r->r14;
	to[GOTAP_REG_CTX] = r->dx;
	to[GOTAP_REG_SP] = r->sp;
}

#elif defined(__TARGET_ARCH_arm64)

typedef struct user_pt_regs regs_t;
#define REG_G(r)  ((r)->regs[28])
#define REG_SP(r) ((r)->sp)
#define REG_IP(r) ((r)->pc)

static __always_inline void regs_save(const regs_t *r, __u64 *to)
{
	to[0] = r->regs[0];
	to[1] = r->regs[1];
	to[2] = r->regs[2];
	to[3] = r->regs[3];
	to[4] = r->regs[4];
	to[5] = r->regs[5];
	to[6] = r->regs[6];
	to[7] = r->regs[7];
	to[8] = r->regs[8];
	to[9] = r->regs[9];
	to[10] = r->regs[10];
	to[11] = r->regs[11];
	to[12] = r->regs[12];
	to[13] = r->regs[13];
	to[14] = r->regs[14];
	to[15] = r->regs[15];
	to[GOTAP_REG_G] = r->regs[28];
	to[GOTAP_REG_CTX] = r->regs[26];
	to[GOTAP_REG_SP] = r->sp;
}

#endif
#endif
