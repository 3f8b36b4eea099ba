// SPDX-License-Identifier: Apache-2.0
/*
 * arm64. Every instruction has four bytes, and the few that branch are told by
 * their encoding (Arm ARM, C4.1.65 "Branches, Exception Generating and System
 * instructions"); so one that capstone does not know (SHA3, SVE, …) costs nothing.
 *
 * What the kernel simulates at a uprobe is arch/arm64/kernel/probes/decode-insn.c,
 * arm_probe_decode_insn(): branches, bl, blr, br, ret, adr, adrp, literal ldr of a
 * general register, and nop (since 6.13; stepped before).
 *
 * Depth: a bl leaves the stack pointer alone. The callee stores the link register
 * itself, below the SP that it was entered with ("str x30, [sp, #-80]!", or "sub
 * x20, sp, #N; stp x29, x30, [x20, #-8]; mov sp, x20" for a big frame;
 * cmd/internal/obj/arm64/obj7.go), and has given the frame back at each RET and
 * tail jump. So SP at a bl in the caller, at the callee's entry, before and after
 * its stack check, at its returns, and behind the bl is one value: no adjustment.
 */
#include <capstone/capstone.h>
#include <errno.h>
#include <string.h>

#include "le.h"
#include "sites.h"

enum {
	NOP = 0xd503201f,
	REG_ZR = 31,
};

static int open_arm64(uintptr_t *handle)
{
	csh h;

	if (cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &h) != CS_ERR_OK)
		return -ENOMEM;
	if (cs_option(h, CS_OPT_DETAIL, CS_OPT_ON) != CS_ERR_OK) {
		cs_close(&h);
		return -ENOMEM;
	}
	*handle = h;
	return 0;
}

static bool is(uint32_t w, uint32_t mask, uint32_t value)
{
	return (w & mask) == value;
}

/* @bits of @w from bit @low on, a signed number of words, from @addr. */
static uint64_t relative(uint32_t w, unsigned int low, unsigned int bits, uint64_t addr)
{
	int64_t n = (w >> low) & ((1u << bits) - 1);

	if (n >> (bits - 1))
		n -= (int64_t)1 << bits;
	return addr + (uint64_t)(n * 4);
}

static bool is_bcond(uint32_t w)
{
	return is(w, 0xff000000, 0x54000000); /* b.cond and bc.cond */
}

static bool is_compare_branch(uint32_t w)
{
	return is(w, 0x7e000000, 0x34000000); /* cbz, cbnz */
}

static bool is_test_branch(uint32_t w)
{
	return is(w, 0x7e000000, 0x36000000); /* tbz, tbnz */
}

static bool is_literal(uint32_t w)
{
	return is(w, 0x3b000000, 0x18000000); /* ldr, ldrsw, prfm; of SIMD registers too */
}

static bool is_emulated(uint32_t w)
{
	return is(w, 0xff000010, 0x54000000) || is_compare_branch(w) || is_test_branch(w) ||
	       is(w, 0x7c000000, 0x14000000) ||			    /* b, bl */
	       is(w, 0xfffffc1f, 0xd61f0000) ||			    /* br */
	       is(w, 0xfffffc1f, 0xd63f0000) ||			    /* blr */
	       is(w, 0xfffffc1f, 0xd65f0000) ||			    /* ret */
	       is(w, 0x1f000000, 0x10000000) ||			    /* adr, adrp */
	       is(w, 0xbf000000, 0x18000000) ||			    /* ldr literal */
	       is(w, 0xff000000, 0x98000000) || w == (uint32_t)NOP; /* ldrsw literal */
}

/* Unconditional branches to a register, with and without pointer authentication. */
static enum insn_class register_branch(uint32_t w)
{
	static const uint8_t classes[16] = {
		[0] = INSN_JUMP_IND, [1] = INSN_CALL_IND, [2] = INSN_RET,
		[8] = INSN_JUMP_IND, [9] = INSN_CALL_IND,
	}; /* 0 is INSN_OTHER */
	unsigned int opc = (w >> 21) & 15;

	/* eret and the like have no business in user space. */
	return (w >> 16 & 31) == 31 && classes[opc] ? classes[opc] : INSN_BAD;
}

/* Of bits 25 to 28: where nothing is allocated, or nothing that Go would run. */
static const uint16_t bad_groups = 1u << 0 | 1u << 1 | 1u << 3;

static int decode_arm64(uintptr_t handle, void *cs_insn_, const uint8_t *p, size_t left,
			uint64_t addr, struct insn *out)
{
	uint32_t w;

	(void)handle;
	(void)cs_insn_;
	if (left < 4)
		return -EILSEQ;
	w = le32(p);
	out->len = 4;
	out->cls = INSN_OTHER;
	out->emulated = is_emulated(w);
	if (is(w, 0x7c000000, 0x14000000)) {
		out->cls = w >> 31 ? INSN_CALL : INSN_JUMP;
		out->target = relative(w, 0, 26, addr);
	} else if (is_bcond(w) || is_compare_branch(w)) {
		out->cls = INSN_BRANCH;
		out->target = relative(w, 5, 19, addr);
	} else if (is_test_branch(w)) {
		out->cls = INSN_BRANCH;
		out->target = relative(w, 5, 14, addr);
	} else if (is(w, 0xfe000000, 0xd6000000)) {
		out->cls = register_branch(w);
	} else if (!w) {
		out->cls = INSN_PAD; /* udf #0, which is UNDEF in Go's assembly too */
	} else if (bad_groups >> (w >> 25 & 15) & 1) {
		out->cls = INSN_BAD;
	}
	return 0;
}

static uint64_t literal_arm64(const uint8_t *p, uint64_t addr, unsigned int *len)
{
	uint32_t w = le32(p);

	if (!is_literal(w) || w >> 30 == 3)
		return 0;
	/* opc: 0 is 4 bytes; 1 is 8; 2 is ldrsw, or 16 bytes of a SIMD register */
	*len = w >> 30 == 1 ? 8 : w >> 30 == 2 && w >> 26 & 1 ? 16 : 4;
	return relative(w, 5, 19, addr);
}

static int number_of(arm64_reg reg)
{
	if (reg >= ARM64_REG_X0 && reg <= ARM64_REG_X28)
		return (int)(reg - ARM64_REG_X0);
	if (reg >= ARM64_REG_W0 && reg <= ARM64_REG_W30)
		return (int)(reg - ARM64_REG_W0);
	if (reg == ARM64_REG_X29)
		return 29;
	return reg == ARM64_REG_X30 ? 30 : -1;
}

static bool in_group(const cs_insn *in, uint8_t group)
{
	for (uint8_t i = 0; i < in->detail->groups_count; i++)
		if (in->detail->groups[i] == group)
			return true;
	return false;
}

static bool harmless_arm64(uintptr_t handle, const void *cs_insn_, unsigned int keep)
{
	const cs_insn *in = cs_insn_;
	cs_regs read, write;
	uint8_t n_read, n_write;

	if (in_group(in, CS_GRP_JUMP) || in_group(in, CS_GRP_CALL) || in_group(in, CS_GRP_RET) ||
	    in_group(in, CS_GRP_INT) || in->id == ARM64_INS_BRK || in->id == ARM64_INS_HLT)
		return false;
	if (cs_regs_access(handle, in, read, &n_read, write, &n_write) != CS_ERR_OK)
		return false;
	for (uint8_t i = 0; i < n_write; i++) {
		int n = number_of((arm64_reg)write[i]);

		if (write[i] == ARM64_REG_SP || write[i] == ARM64_REG_WSP ||
		    (n >= 0 && (unsigned int)n < keep))
			return false;
	}
	return true;
}

static int jump_reg_arm64(const uint8_t *p)
{
	return (le32(p) >> 5) & 31;
}

/*
 * By encoding: what compilers and Go's linker put in front of a "br". Jump tables
 * are "ldr x27, [table, index, lsl #3]; br x27" (cmd/compile/internal/arm64/ssa.go).
 */
static enum reg_origin origin_arm64(uintptr_t handle, const void *cs_insn_, int reg, int *from)
{
	const cs_insn *in = cs_insn_;
	uint32_t w = le32(in->bytes);
	cs_regs read, write;
	uint8_t n_read, n_write;
	int rd = (int)(w & 31), rn = (int)(w >> 5 & 31);

	if (rd == reg && is(w, 0xffc00000, 0xf9400000)) /* ldr Xt, [Xn, #imm] */
		return REG_LOADED;
	if (rd == reg && is(w, 0xffe00400, 0xf8400400) && rn != reg) /* ldr with writeback */
		return REG_LOADED;
	if (rd == reg && is(w, 0xffe00c00, 0xf8400000)) /* ldur */
		return REG_LOADED;
	if (rd == reg && is(w, 0x1f000000, 0x10000000)) /* adr, adrp */
		return REG_ADDRESS;
	if (rd == reg && is(w, 0xff000000, 0x58000000)) /* ldr literal */
		return REG_LOADED;
	if (rd == reg && is(w, 0xff800000, 0x91000000)) { /* add Xd, Xn, #imm */
		*from = rn;
		return w >> 10 & 0xfff ? REG_ADDED : REG_COPIED;
	}
	if (rd == reg && is(w, 0xffe0ffe0, 0xaa0003e0)) { /* mov Xd, Xm */
		*from = (int)(w >> 16 & 31);
		return *from == REG_ZR ? REG_LOADED : REG_COPIED;
	}
	if (rd == reg && is(w, 0xffe00c00, 0xf8600800)) /* ldr Xt, [Xn, Xm …] */
		return REG_TABLE;
	if (in_group(in, CS_GRP_CALL) ||
	    cs_regs_access(handle, in, read, &n_read, write, &n_write) != CS_ERR_OK)
		return REG_UNKNOWN;
	for (uint8_t i = 0; i < n_write; i++)
		if (number_of((arm64_reg)write[i]) == reg)
			return REG_UNKNOWN;
	return REG_KEPT;
}

static int zero_branch_arm64(uintptr_t handle, const void *before, const void *branch,
			     unsigned int reg)
{
	uint32_t w = le32(((const cs_insn *)branch)->bytes);
	bool compare = is_compare_branch(w),
	     lowest = is_test_branch(w) && !(w >> 31) && !(w >> 19 & 31);

	(void)handle;
	(void)before;
	if ((w & 31) != reg || (!compare && !lowest))
		return -1;
	return !(w >> 24 & 1); /* cbz and tbz; with the bit cbnz and tbnz */
}

static int sp_drop_arm64(uintptr_t handle, const void *cs_insn_)
{
	const cs_insn *in = cs_insn_;
	uint32_t w = le32(in->bytes);
	cs_regs read, write;
	uint8_t n_read, n_write;

	if (is(w, 0xffe00fff, 0xf8000ffe)) /* str x30, [sp, #-N]! */
		return w >> 20 & 1 ? 512 - (int)(w >> 12 & 0x1ff) : -1;
	if (is(w, 0xff8003ff, 0xd10003f4)) /* sub x20, sp, #N */
		return (int)(w >> 10 & 0xfff) << (w >> 22 & 1 ? 12 : 0);
	if (w == 0x9100029f) /* mov sp, x20 */
		return 0;
	if (cs_regs_access(handle, in, read, &n_read, write, &n_write) != CS_ERR_OK)
		return -1;
	for (uint8_t i = 0; i < n_write; i++)
		if (write[i] == ARM64_REG_SP || write[i] == ARM64_REG_WSP)
			return -1;
	return 0;
}

const struct sites_arch sites_arm64 = {
	.name = "arm64",
	.min_len = 4,
	.call_depth = 0,
	.open = open_arm64,
	.decode = decode_arm64,
	.literal = literal_arm64,
	.harmless = harmless_arm64,
	.jump_reg = jump_reg_arm64,
	.origin = origin_arm64,
	.zero_branch = zero_branch_arm64,
	.sp_drop = sp_drop_arm64,
};
