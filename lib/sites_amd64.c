// SPDX-License-Identifier: Apache-2.0
/*
 * amd64. What the kernel emulates at a uprobe is arch/x86/kernel/uprobes.c,
 * branch_setup_xol_ops() and push_setup_xol_ops() (since 4.15): call, jmp and jcc
 * with a relative target and no prefix, push of a register, the one-byte nop.
 */
#include <capstone/capstone.h>
#include <errno.h>
#include <string.h>

#include "sites.h"

static int open_amd64(uintptr_t *handle)
{
	csh h;

	if (cs_open(CS_ARCH_X86, CS_MODE_64, &h) != CS_ERR_OK)
		return -ENOMEM;
	if (cs_option(h, CS_OPT_DETAIL, CS_OPT_ON) != CS_ERR_OK) {
		cs_close(&h);
		return -ENOMEM;
	}
	*handle = h;
	return 0;
}

static bool is_emulated(const uint8_t *b, size_t len)
{
	if (len == 1)
		return b[0] == 0x90 || (b[0] & 0xf8) == 0x50;
	if (len == 2)
		return (b[0] == 0x41 && (b[1] & 0xf8) == 0x50) || b[0] == 0xeb ||
		       (b[0] & 0xf0) == 0x70;
	if (len == 5)
		return b[0] == 0xe8 || b[0] == 0xe9;
	return len == 6 && b[0] == 0x0f && (b[1] & 0xf0) == 0x80;
}

/* The target of a direct call or jump, false if it is computed. */
static bool direct_target(const cs_x86 *x, uint64_t *target)
{
	if (x->op_count != 1 || x->operands[0].type != X86_OP_IMM)
		return false;
	*target = (uint64_t)x->operands[0].imm;
	return true;
}

static enum insn_class jump_class(unsigned int id, const cs_x86 *x, uint64_t *target)
{
	if (id != X86_INS_JMP) {
		/* jcc, loop, jrcxz; not xbegin, which has no business in Go */
		return direct_target(x, target) ? INSN_BRANCH : INSN_JUMP_IND;
	}
	if (direct_target(x, target))
		return INSN_JUMP;
	/* Go's jump tables: JMP (table)(index*8), cmd/compile/internal/amd64/ssa.go. */
	if (x->op_count == 1 && x->operands[0].type == X86_OP_MEM &&
	    x->operands[0].mem.index != X86_REG_INVALID && x->operands[0].mem.scale == 8)
		return INSN_JUMP_TAB;
	return INSN_JUMP_IND;
}

static bool in_group(const cs_insn *in, uint8_t group)
{
	for (uint8_t i = 0; i < in->detail->groups_count; i++)
		if (in->detail->groups[i] == group)
			return true;
	return false;
}

static void classify_amd64(const void *cs_insn_, struct insn *out)
{
	const cs_insn *in = cs_insn_;
	const cs_x86 *x = &in->detail->x86;

	out->emulated = is_emulated(in->bytes, in->size);
	out->cls = INSN_OTHER;
	switch (in->id) {
	case X86_INS_CALL:
		out->cls = direct_target(x, &out->target) ? INSN_CALL : INSN_CALL_IND;
		return;
	case X86_INS_RET:
	case X86_INS_RETF:
	case X86_INS_RETFQ:
		out->cls = INSN_RET;
		return;
	case X86_INS_INT3:
		out->cls = INSN_PAD;
		return;
	case X86_INS_NOP:
		if (in->size > 1)
			out->cls = INSN_NOP;
		return;
	case X86_INS_XCHG: /* 66 90 comes out as xchg ax, ax */
		if (in->size == 2 && in->bytes[0] == 0x66 && in->bytes[1] == 0x90)
			out->cls = INSN_NOP;
		return;
	default:
		if (in_group(in, CS_GRP_JUMP))
			out->cls = jump_class(in->id, x, &out->target);
	}
}

/* Argument and result registers in ABIInternal's order, with their parts. */
static const x86_reg arg_regs[][5] = {
	{ X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH },
	{ X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH },
	{ X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH },
	{ X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL },
	{ X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL },
	{ X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B },
	{ X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B },
	{ X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B },
	{ X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B },
};

static bool is_kept(uint16_t reg, unsigned int keep)
{
	if (reg == X86_REG_RSP || reg == X86_REG_ESP)
		return true;
	for (unsigned int i = 0; i < keep && i < sizeof(arg_regs) / sizeof(arg_regs[0]); i++)
		for (int j = 0; j < 5; j++)
			if (arg_regs[i][j] && reg == arg_regs[i][j])
				return true;
	return false;
}

static bool harmless_amd64(uintptr_t handle, const void *cs_insn_, unsigned int keep)
{
	const cs_insn *in = cs_insn_;
	cs_regs read, write;
	uint8_t n_read, n_write;

	if (in_group(in, CS_GRP_JUMP) || in_group(in, CS_GRP_CALL) || in_group(in, CS_GRP_RET) ||
	    in_group(in, CS_GRP_INT) || in->id == X86_INS_UD2 || in->id == X86_INS_HLT)
		return false;
	if (cs_regs_access(handle, in, read, &n_read, write, &n_write) != CS_ERR_OK)
		return false;
	for (uint8_t i = 0; i < n_write; i++)
		if (is_kept(write[i], keep))
			return false;
	return true;
}

const struct sites_arch sites_amd64 = {
	.name = "amd64",
	.call_depth = 8, /* the return address */
	.open = open_amd64,
	.classify = classify_amd64,
	.harmless = harmless_amd64,
};
