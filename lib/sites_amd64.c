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
#include "vex.h"

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

/*
 * What the kernel refuses, arch/x86/kernel/uprobes.c: is_prefix_bad() the prefixes
 * lock, es, cs, ss and ds. Of AVX instructions it looks up the opcode in the table of
 * those without a prefix, so that it takes some and not others: none is planned.
 */
static bool has_bad_prefix(const cs_x86 *x)
{
	return x->prefix[0] == X86_PREFIX_LOCK || x->prefix[1] == X86_PREFIX_CS ||
	       x->prefix[1] == X86_PREFIX_SS || x->prefix[1] == X86_PREFIX_DS ||
	       x->prefix[1] == X86_PREFIX_ES;
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
	/* From memory without an index: one place, no table. */
	return x->op_count == 1 && x->operands[0].type == X86_OP_MEM &&
			       x->operands[0].mem.index == X86_REG_INVALID
		       ? INSN_JUMP_OUT
		       : INSN_JUMP_IND;
}

static bool in_group(const cs_insn *in, uint8_t group)
{
	for (uint8_t i = 0; i < in->detail->groups_count; i++)
		if (in->detail->groups[i] == group)
			return true;
	return false;
}

static void classify(const cs_insn *in, struct insn *out)
{
	const cs_x86 *x = &in->detail->x86;

	out->emulated = is_emulated(in->bytes, in->size);
	out->refused = has_bad_prefix(x);
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

static int decode_amd64(uintptr_t handle, void *cs_insn_, const uint8_t *p, size_t left,
			uint64_t addr, struct insn *out)
{
	int len = vex_length(p, left);

	if (len < 0)
		return -EILSEQ;
	if (len) {
		out->cls = INSN_OTHER;
		out->refused = true;
		out->len = (uint8_t)len;
		return 0;
	}
	if (!cs_disasm_iter(handle, &p, &left, &addr, cs_insn_))
		return -EILSEQ;
	out->len = (uint8_t)((const cs_insn *)cs_insn_)->size;
	classify(cs_insn_, out);
	return 0;
}

/* The registers in the order of their encoding, with their parts. */
static const x86_reg regs[16][5] = {
	{ X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH },
	{ X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH },
	{ X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH },
	{ X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH },
	{ X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL },
	{ X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL },
	{ X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL },
	{ X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL },
	{ X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B },
	{ X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B },
	{ X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B },
	{ X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B },
	{ X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B },
	{ X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B },
	{ X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B },
	{ X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B },
};

enum { RSP = 4 };

/* Argument and result registers in ABIInternal's order. */
static const uint8_t arg_regs[] = { 0, 3, 1, 7, 6, 8, 9, 10, 11 };

/* The number of the register that @reg is or is a part of, -1 if none. */
static int number_of(unsigned int reg)
{
	for (int i = 0; i < 16 && reg; i++)
		for (int j = 0; j < 5; j++)
			if (regs[i][j] == reg)
				return i;
	return -1;
}

static bool is_kept(uint16_t reg, unsigned int keep)
{
	int n = number_of(reg);

	for (unsigned int i = 0; i < keep && i < sizeof(arg_regs); i++)
		if (n == arg_regs[i])
			return true;
	return n == RSP;
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

/* jmp reg: FF /4, with REX.B for r8 to r15. Numbered as in the encoding. */
static int jump_reg_amd64(const uint8_t *p)
{
	int high = 0;

	while ((p[0] & 0xf0) == 0x40 || p[0] == 0x3e || p[0] == 0xf2) { /* REX; notrack, bnd */
		high = (p[0] & 0xf0) == 0x40 ? (p[0] & 1) << 3 : 0;
		p++;
	}
	return p[0] == 0xff && (p[1] & 0xf8) == 0xe0 ? high | (p[1] & 7) : -1;
}

static bool writes(uintptr_t handle, const cs_insn *in, int reg)
{
	cs_regs read, write;
	uint8_t n_read, n_write;

	if (cs_regs_access(handle, in, read, &n_read, write, &n_write) != CS_ERR_OK)
		return true;
	for (uint8_t i = 0; i < n_write; i++)
		if (number_of(write[i]) == reg)
			return true;
	return false;
}

static enum reg_origin origin_amd64(uintptr_t handle, const void *cs_insn_, int reg, int *from)
{
	const cs_insn *in = cs_insn_;
	const cs_x86 *x = &in->detail->x86;
	const cs_x86_op *to = &x->operands[0], *src = &x->operands[1];
	bool ours = x->op_count == 2 && to->type == X86_OP_REG && to->reg == regs[reg][0];

	if (in_group(in, CS_GRP_CALL))
		return REG_UNKNOWN;
	if (ours && in->id == X86_INS_MOV && src->type == X86_OP_REG) {
		*from = number_of(src->reg);
		return *from < 0 ? REG_UNKNOWN : REG_COPIED;
	}
	if (ours && in->id == X86_INS_MOV && src->type == X86_OP_MEM)
		return src->mem.index == X86_REG_INVALID ? REG_LOADED : REG_TABLE;
	if (ours && (in->id == X86_INS_MOV || in->id == X86_INS_MOVABS) && src->type == X86_OP_IMM)
		return REG_ADDRESS;
	if (ours && in->id == X86_INS_LEA && src->mem.base == X86_REG_RIP)
		return REG_ADDRESS;
	return writes(handle, in, reg) ? REG_UNKNOWN : REG_KEPT;
}

static int zero_branch_amd64(uintptr_t handle, const void *before, const void *branch,
			     unsigned int reg)
{
	const cs_insn *test = before, *jump = branch;
	const cs_x86_op *a = &test->detail->x86.operands[0], *b = &test->detail->x86.operands[1];

	(void)handle;
	if (reg >= sizeof(arg_regs) || test->id != X86_INS_TEST || a->type != X86_OP_REG ||
	    b->type != X86_OP_REG || a->reg != b->reg || number_of(a->reg) != arg_regs[reg] ||
	    a->reg == regs[arg_regs[reg]][4])
		return -1;
	return jump->id == X86_INS_JE ? 1 : jump->id == X86_INS_JNE ? 0 : -1;
}

static int sp_drop_amd64(uintptr_t handle, const void *cs_insn_)
{
	const cs_insn *in = cs_insn_;
	const cs_x86_op *to = &in->detail->x86.operands[0], *by = &in->detail->x86.operands[1];
	bool plain = to->type == X86_OP_REG && to->reg == X86_REG_RSP && by->type == X86_OP_IMM;

	if (in->id == X86_INS_PUSH)
		return 8;
	if (in->id == X86_INS_SUB && plain)
		return by->imm >= 0 && by->imm <= INT32_MAX / 2 ? (int)by->imm : -1;
	if (in->id == X86_INS_ADD && plain) /* add rsp, -0x80 */
		return by->imm <= 0 && by->imm >= -INT32_MAX / 2 ? (int)-by->imm : -1;
	if (in->detail->x86.op_count == 0 && in->id == X86_INS_NOP)
		return 0;
	return writes(handle, in, RSP) ? -1 : 0;
}

const struct sites_arch sites_amd64 = {
	.name = "amd64",
	.min_len = 1,
	.call_depth = 8, /* the return address */
	.open = open_amd64,
	.decode = decode_amd64,
	.harmless = harmless_amd64,
	.jump_reg = jump_reg_amd64,
	.origin = origin_amd64,
	.zero_branch = zero_branch_amd64,
	.sp_drop = sp_drop_amd64,
};
