/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instructions of one Go function and the places in it where a probe may
 * sit: the entry after the stack check, returns, calls, what follows a call, and
 * jumps out of the function. Disassembly is capstone's. What differs between
 * architectures is behind struct sites_arch, one file for each; nothing else
 * knows registers, encodings or what a kernel emulates. Used by goresolve alone.
 *
 * A struct code owns what its functions return. The text it was made from must
 * stay as long as it does (the mapped file).
 */
#ifndef GOTAP_SITES_H
#define GOTAP_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "errinfo.h"
#include "gobin.h"

enum insn_class {
	INSN_OTHER,
	INSN_CALL,     /* direct: target is known */
	INSN_CALL_IND, /* through a register or memory */
	INSN_JUMP,     /* direct, unconditional */
	INSN_JUMP_IND, /* to a register: where to is not known */
	INSN_JUMP_OUT, /* to what a register or memory holds, which is another function */
	INSN_JUMP_TAB, /* through a table inside the function */
	INSN_BRANCH,   /* direct, conditional */
	INSN_RET,
	INSN_NOP,  /* one that a probe must not sit on */
	INSN_PAD,  /* fills the space behind a function, never run */
	INSN_DATA, /* read, never run: a literal */
	INSN_BAD,  /* no instruction, and not known to be data */
};

struct insn {
	uint64_t addr;
	uint64_t target; /* of a direct call, jump or branch */
	uint8_t len;
	uint8_t cls;   /* enum insn_class */
	bool emulated; /* every supported kernel emulates it: one trap, not two */
	bool refused;  /* a kernel may not put a probe there */
	bool reached;  /* a branch or jump of the function goes here */
};

enum site_at {
	SITE_ENTRY, /* the function begins */
	SITE_RET,   /* it ends: a return */
	SITE_CALL,  /* at a call instruction */
	SITE_AFTER, /* at the instruction after a call */
	SITE_TAIL,  /* it ends: a jump to another function, so that results are not there yet */
};

/* A site that counts only where an integer result register is zero, or is not. */
struct site_when {
	enum { WHEN_ALWAYS, WHEN_ZERO, WHEN_NOT_ZERO } how;
	uint8_t reg;  /* number in ABIInternal's order */
	uint8_t size; /* bytes of it: 1 or 8 */
};

struct site {
	enum site_at at;
	int depth_adjust; /* added to stack.hi - SP here: SP at the entry of the function
			   * that the site speaks of (for call sites: of the callee) */
	uint64_t addr;
	uint64_t target; /* of a direct call or tail jump, 0 if there is none */
	uint8_t bytes[16];
	uint8_t len; /* of the instruction */
	bool emulated;
	bool refused;	/* a kernel may not put a probe there */
	bool recovered; /* a return behind a deferreturn call */
	bool repeats;	/* may be reached more than once in one call */
	struct site_when when;
	char text[96]; /* for people: "push rbp" */
};

/* The name of the function that starts at @addr, or NULL. */
typedef const char *(*sites_name_fn)(const void *ctx, uint64_t addr);

struct code;

/*
 * Disassembles [addr, addr + len). 0; -EILSEQ where bytes are no instruction (@e
 * says where); -ENODATA if there is no room for one; -EFBIG: longer than any function; -ENOTSUP for
 * an architecture without a file here; -ENOMEM.
 * @deferreturn is struct gofunc's offset, 0 if unknown.
 */
int code_new(enum gobin_arch arch, const uint8_t *text, uint64_t addr, size_t len,
	     uint32_t deferreturn, sites_name_fn name, const void *ctx, struct code **out,
	     struct errinfo *e);
void code_free(struct code *c);

size_t code_insns(const struct code *c, const struct insn **out);
/* The text of instruction @i ("call 0x4a0"), truncated to fit. */
void code_text(const struct code *c, size_t i, char *buf, size_t len);

/*
 * Entry after the stack check (after the last branch of a large frame's check);
 * the first instruction where there is no check, or if @first. One that a kernel may
 * refuse is passed by, if it leaves alone the registers.
 */
void code_entry(const struct code *c, bool first, struct site *out);
/* Whether the function has a stack check. */
bool code_has_check(const struct code *c);

/*
 * Every way out: returns (SITE_RET), and jumps to another function (SITE_TAIL; the
 * frame is gone by then). A jump to what a register holds is one of the latter if
 * the register was not loaded from a jump table. Writes up to @max and returns how many there are.
 * -ENOENT: no way out; -EXDEV: a way out that no probe can tell (a conditional or computed jump out
 * of the function), @e says where.
 */
int code_exits(const struct code *c, struct site *out, size_t max, struct errinfo *e);

/* Direct calls of @callee (by name; NULL: all): like code_exits, 0 if there are none. */
int code_calls(const struct code *c, const char *callee, struct site *out, size_t max);
/*
 * For each such call, the first instruction after it that is cheap and always
 * reached from it in a straight line, with the stack pointer and the first @keep
 * integer result registers still as they were; the very next one if there is none.
 */
int code_after_calls(const struct code *c, const char *callee, unsigned int keep, struct site *out,
		     size_t max);

/*
 * For each such call, the cheap branch behind it that goes by the result register that
 * @when names, with the stack pointer and the first @keep integer result registers still as
 * the call left them. Like code_calls().
 */
int code_decisions(const struct code *c, const char *callee, const struct site_when *when,
		   unsigned int keep, struct site *out, size_t max);
/*
 * Of the function's @n @exits keeps those that are not reached by the way on which the
 * decision @s counts, and returns how many. -EXDEV: one is reached by that way and by
 * others; -ENOTSUP: where a jump leads is not known; -ENOMEM.
 */
int code_exits_beside(const struct code *c, const struct site *s, struct site *exits, int n);
/* SP at the function's entry minus SP in its body, bytes; -ENOTSUP where that is not plain. */
int code_frame(const struct code *c);

/* What an instruction does to a register that is jumped to later. */
enum reg_origin {
	REG_KEPT,    /* nothing */
	REG_LOADED,  /* holds one address from memory */
	REG_ADDRESS, /* holds one that the instruction itself has, or its page */
	REG_COPIED,  /* as another one */
	REG_ADDED,   /* as another one, and a constant */
	REG_TABLE,   /* holds an element of a table */
	REG_UNKNOWN, /* holds something else */
};

/* What an architecture file provides. */
struct sites_arch {
	const char *name;
	size_t min_len; /* of an instruction, bytes */
	int call_depth; /* bytes that a call pushes: SP at a call minus SP in the callee */
	/* Opens capstone for this architecture; csh as uintptr_t. -ENOMEM. */
	int (*open)(uintptr_t *handle);
	/*
	 * Decodes the instruction at @p, of which @left bytes are there: fills len, cls,
	 * target and emulated. @cs_insn is room for one (a cs_insn). -EILSEQ.
	 */
	int (*decode)(uintptr_t handle, void *cs_insn, const uint8_t *p, size_t left, uint64_t addr,
		      struct insn *out);
	/* The address of the literal that the instruction reads, and its length; 0 if
	 * none. NULL if the architecture has none. */
	uint64_t (*literal)(const uint8_t *p, uint64_t addr, unsigned int *len);
	/*
	 * Whether an instruction (a cs_insn) goes on to the next one and leaves alone
	 * the stack pointer and the first @keep integer argument registers.
	 */
	bool (*harmless)(uintptr_t handle, const void *cs_insn, unsigned int keep);
	/* The register that an INSN_JUMP_IND jumps to, by a number of the file's own. */
	int (*jump_reg)(const uint8_t *p);
	/* What an instruction (a cs_insn) does to @reg; REG_COPIED and REG_ADDED set @from. */
	enum reg_origin (*origin)(uintptr_t handle, const void *cs_insn, int reg, int *from);
	/*
	 * Whether @branch (a cs_insn, as @before, which stands in front of it) goes by
	 * integer result register @reg: 1 it is taken where that is zero, 0 where it is not,
	 * -1 by something else.
	 */
	int (*zero_branch)(uintptr_t handle, const void *before, const void *branch,
			   unsigned int reg);
	/* By how many bytes an instruction (a cs_insn) of a prologue lowers SP; -1: not plain. */
	int (*sp_drop)(uintptr_t handle, const void *cs_insn);
};

/* NULL if there is no file for @arch. */
const struct sites_arch *sites_arch(enum gobin_arch arch);
extern const struct sites_arch sites_amd64, sites_arm64;

#endif
