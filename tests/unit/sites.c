// SPDX-License-Identifier: Apache-2.0
#include "sites.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

#define BASE   0x1000
#define MORE   0x9000 /* runtime.morestack_noctxt */
#define DEFER  0x9100 /* runtime.deferreturn */
#define CALLEE 0x9200 /* main.callee */

static const char *name_at(const void *ctx, uint64_t addr)
{
	(void)ctx;
	switch (addr) {
	case MORE:
		return "runtime.morestack_noctxt.abi0";
	case DEFER:
		return "runtime.deferreturn";
	case CALLEE:
		return "main.callee";
	default:
		return NULL;
	}
}

/* Code under construction. */
static uint8_t text[256];
static size_t len;
static struct errinfo e;

static void put(const char *hex)
{
	unsigned int byte;
	int used;

	for (; sscanf(hex, "%2x%n", &byte, &used) == 1; hex += used)
		text[len++] = (uint8_t)byte;
}

static void begin(const char *hex)
{
	len = 0;
	put(hex);
}

/* A call or jump with a 4-byte distance. */
static void put_rel(const char *opcode, uint64_t target)
{
	int64_t rel;

	put(opcode);
	rel = (int64_t)target - (int64_t)(BASE + len + 4);
	for (int i = 0; i < 4; i++)
		text[len++] = (uint8_t)((uint64_t)rel >> (8 * i));
}

static struct code *code_with(uint32_t deferreturn)
{
	struct code *c = NULL;

	e.text[0] = '\0';
	if (code_new(GOBIN_AMD64, text, BASE, len, deferreturn, name_at, NULL, &c, &e))
		printf("# %s\n", e.text);
	return c;
}

static struct code *code(void)
{
	return code_with(0);
}

static void check_entry(const char *name, int has_check, uint64_t at, const char *insn,
			int emulated, int repeats)
{
	struct code *c = code();
	struct site s;

	code_entry(c, false, &s);
	is_int(code_has_check(c), has_check, name);
	is_int((long long)s.addr, (long long)(BASE + at), "  its place");
	is(s.text, insn, "  its text");
	is_int(s.emulated, emulated, "  emulated or not");
	is_int(s.repeats, repeats, "  repeats or not");
	is_int(s.depth_adjust, 0, "  the depth is the function's own");
	ok(!memcmp(s.bytes, text + at, s.len) && s.len, "  the bytes of the file");
	code_free(c);
}

static void test_entries(void)
{
	struct code *c;
	struct site s;

	/* cmp rsp, 16(r14); jbe +6; push rbp; mov rbp, rsp; pop rbp; ret; more */
	begin("493b6610 7606 55 4889e5 5d c3 4889442408");
	put_rel("e8", MORE);
	put("ebe8");
	check_entry("a small frame", 1, 6, "push rbp", 1, 0);
	c = code();
	code_entry(c, true, &s);
	ok(s.addr == BASE && s.repeats && !s.emulated, "its first instruction repeats");
	code_free(c);

	/* mov r12, rsp; sub r12, 0x10000; jb +8; cmp r12, 16(r14); jbe +2; push rbp; ret */
	begin("4989e4 4981ec00000100 7208 4d3b6610 7602 55 c3");
	put_rel("e8", MORE);
	put("ebdf");
	check_entry("a huge frame with two branches", 1, 18, "push rbp", 1, 0);

	/* g from thread-local storage, and sub rsp as in Go before 1.21 */
	begin("64488b0c25f8ffffff 483b6110 7609 4883ec18 4883c418 c3");
	put_rel("e8", MORE);
	put("ebdd");
	check_entry("g loaded from thread-local storage", 1, 15, "sub rsp, 0x18", 0, 0);

	begin("55 4889e5 5d c3");
	check_entry("no stack check", 0, 0, "push rbp", 1, 0);

	/* cmp; jbe +5; dec rax; jne -5 (back to the site); ret */
	begin("493b6610 7606 48ffc8 75fb c3");
	put_rel("e8", MORE);
	put("ebed");
	check_entry("a loop right behind the check", 1, 6, "dec rax", 0, 1);

	begin("493b6610 7607 0f1f440000 55 c3");
	put_rel("e8", MORE);
	check_entry("a long nop behind the check is left alone", 1, 11, "push rbp", 1, 0);

	/* lock inc dword ptr [rax]; then lock xadd, which changes an argument */
	begin("493b6610 7606 f0ff00 55 5d c3");
	put_rel("e8", MORE);
	put("ebeb");
	check_entry("what the kernel refuses is passed by", 1, 9, "push rbp", 1, 0);
	begin("493b6610 7607 f0480fc108 55 c3");
	put_rel("e8", MORE);
	c = code();
	code_entry(c, false, &s);
	ok(s.addr == BASE + 6 && s.refused, "unless it changes an argument");
	code_free(c);
	/* vmovdqu64 zmm1, [rax]; ret */
	begin("62f1fe486f08 c3");
	c = code();
	code_entry(c, false, &s);
	ok(s.addr == BASE + 6 && !s.refused, "also an AVX-512 instruction");
	code_free(c);

	/* The branch leads to a block that calls something else. */
	begin("4885c0 7402 55 c3");
	put_rel("e8", CALLEE);
	put("c3");
	check_entry("a branch that is no stack check", 0, 0, "test rax, rax", 0, 0);
}

static int exits(struct site *s, size_t max, uint32_t deferreturn)
{
	struct code *c = code_with(deferreturn);
	int n = c ? code_exits(c, s, max, &e) : -EILSEQ;

	code_free(c);
	return n;
}

static void test_exits(void)
{
	struct site s[8] = { 0 };

	begin("55 7502 5d c3 f3c3 c20800 cccccc");
	is_int(exits(s, 8, 0), 3, "every return: ret, repz ret, ret imm16");
	ok(s[0].addr == BASE + 4 && s[1].addr == BASE + 5 && s[2].addr == BASE + 7, "in order");
	ok(s[0].at == SITE_RET && !s[0].emulated && !s[0].recovered && !s[0].depth_adjust,
	   "a return is stepped, at the depth of the entry");
	is_int(exits(s, 1, 0), 3, "counted past the room for them");

	begin("55 7508 5d c3");
	put_rel("e8", DEFER);
	put("5d c3 5d c3");
	is_int(exits(s, 8, 0), 3, "a function with deferreturn");
	ok(!s[0].recovered && s[1].recovered && !s[2].recovered,
	   "just the return behind deferreturn is taken after a recovered panic");

	begin("55");
	put_rel("e8", 0x7777);
	put("5d c3");
	is_int(exits(s, 8, 1), 1, "deferreturn found by the offset in the pclntab");
	ok(s[0].recovered, "  marks its return");

	begin("4885c0 7501 c3");
	put_rel("e9", CALLEE);
	is_int(exits(s, 8, 0), 2, "a jump to another function is a way out");
	ok(s[1].emulated && s[1].bytes[0] == 0xe9 && s[1].at == SITE_TAIL && s[1].target == CALLEE,
	   "  and a cheap one");

	begin("ebfe");
	is_int(exits(s, 8, 0), -ENOENT, "a function that never returns");
	begin("0f0b cccc");
	is_int(exits(s, 8, 0), -ENOENT, "one that always panics");

	begin("4885c0");
	put_rel("0f84", CALLEE);
	put("c3");
	is_int(exits(s, 8, 0), -EXDEV, "a conditional jump out of the function");
	ok(strstr(e.text, "0x1003") != NULL, "  says where");
	begin("4889f8 7500 4889c1 ffe1");
	is_int(exits(s, 8, 0), -EXDEV, "a jump through a register that may come from elsewhere");
	begin("ff24c8 c3");
	is_int(exits(s, 8, 0), 1, "a jump table stays inside");

	begin("eb03 010203 c3");
	is_int(exits(s, 8, 0), -EILSEQ, "data that looks like code, jumped over");
	ok(strstr(e.text, "0x1000 jumps into the middle") != NULL, "  says what is wrong");

	begin("55 06 c3");
	is_int(exits(s, 8, 0), -EILSEQ, "bytes that are no instruction");
	ok(strstr(e.text, "0x1001") != NULL, "  say where");
	begin("55 e8");
	is_int(exits(s, 8, 0), -EILSEQ, "an instruction cut off");
}

static int after(struct site *s, unsigned int keep)
{
	struct code *c = code();
	int n = code_after_calls(c, "main.callee", keep, s, 4);

	code_free(c);
	return n;
}

static void test_calls(void)
{
	struct code *c;
	struct site s[4] = { 0 };

	begin("55");
	put_rel("e8", CALLEE);
	put_rel("e8", DEFER);
	put("4885c0");
	put_rel("e8", CALLEE);
	put("4889c1 4885db 7400 5d c3");
	c = code();
	is_int(code_calls(c, "main.callee", s, 4), 2, "calls of one function");
	ok(s[0].addr == BASE + 1 && s[1].addr == BASE + 14, "  their places");
	ok(s[0].at == SITE_CALL && s[0].emulated && s[0].depth_adjust == 8,
	   "  are cheap, eight bytes above the callee's entry");
	is_int(code_calls(c, "main.other", s, 4), 0, "no calls of another");
	is_int(code_calls(c, "runtime.morestack_noctxt", s, 4), 0, "nor of what is not called");
	is_int(code_after_calls(c, NULL, 2, s, 4), 3, "places after any call");
	is_int(code_after_calls(c, "main.callee", 2, s, 4), 2, "places after calls");
	ok(s[0].addr == BASE + 6 && s[0].emulated, "  the next instruction, if it is cheap");
	ok(s[1].addr == BASE + 25 && s[1].emulated && s[1].depth_adjust == 8 &&
		   s[1].at == SITE_AFTER,
	   "  else the first cheap one in a straight line");
	code_free(c);

	begin("");
	put_rel("e8", CALLEE);
	put("4889c1 4883c408 5d c3");
	is_int(after(s, 0), 1, "nothing cheap before the stack pointer moves");
	ok(s[0].addr == BASE + 5 && !s[0].emulated, "  the next instruction then");

	/* test rax, rax; mov ecx, 1; jne */
	begin("");
	put_rel("e8", CALLEE);
	put("4885c0 b901000000 7500 c3");
	ok(after(s, 2) == 1 && s[0].addr == BASE + 13,
	   "a register that holds no result may change");
	ok(after(s, 3) == 1 && s[0].addr == BASE + 5, "one that holds a result may not");

	begin("7405");
	put_rel("e8", CALLEE);
	put("4889c1 c3");
	is_int(after(s, 0), 0, "no place where a branch arrives without the call");
}

static const struct site_when no_err = { WHEN_ZERO, 1, 8 }, some_err = { WHEN_NOT_ZERO, 1, 8 };

/* The exits that are left when one way of the decision by @when has its end already. */
static int beside(const struct site_when *when, struct site *exits)
{
	struct code *c = code();
	struct site s;
	int n = code_decisions(c, "main.callee", when, 3, &s, 1);

	if (n == 1) {
		n = code_exits(c, exits, 4, &e);
		n = n > 0 && n <= 4 ? code_exits_beside(c, &s, exits, n) : -1;
	}
	code_free(c);
	return n;
}

static void test_decisions(void)
{
	static const struct site_when first = { WHEN_ZERO, 0, 1 };
	struct site s[4] = { 0 };
	struct code *c;

	begin("7408"); /* what comes from elsewhere meets it at the test */
	put_rel("e8", CALLEE);
	put("0f1f00 4885db 7408 31c0 4883c418 5d c3 4883c418 5d c3");
	c = code();
	is_int(code_decisions(c, "main.callee", &no_err, 3, s, 4), 1, "a decision by a result");
	ok(s[0].addr == BASE + 13 && s[0].at == SITE_AFTER && s[0].emulated, "  is at the branch");
	ok(s[0].when.how == no_err.how && s[0].when.reg == no_err.reg &&
		   s[0].when.size == no_err.size,
	   "  and by the result that was asked for");
	is_int(code_decisions(c, "main.callee", &first, 3, s, 4), 0, "by no other one");
	is_int(code_decisions(c, "main.other", &no_err, 3, s, 4), 0, "of no other call");
	code_free(c);
	is_int(beside(&no_err, s), 1, "one return is left");
	ok(s[0].addr == BASE + 22, "  where it is not zero");
	is_int(beside(&some_err, s), 1, "one return is left");
	ok(s[0].addr == BASE + 28, "  where it is");

	begin("");
	put_rel("e8", CALLEE);
	put("4885db 7505 31c0 90 5d c3 5d c3");
	is_int(beside(&no_err, s), 1, "a branch where it is not zero");
	ok(s[0].addr == BASE + 16, "  the other way round");

	begin("");
	put_rel("e8", CALLEE);
	put("4885db 7402 31c0 5d c3");
	is_int(beside(&no_err, s), -EXDEV, "a return that both ways lead to");
	begin("");
	put_rel("e8", CALLEE);
	put("4885db 7402 5d c3 ff24c1");
	is_int(beside(&no_err, s), -ENOTSUP, "jumps to nobody knows where");

	begin("");
	put_rel("e8", CALLEE);
	put("4889c3 4885db 7400 c3");
	is_int(beside(&no_err, s), 0, "no decision where the result is lost before");
	begin("");
	put_rel("e8", CALLEE);
	put("4885db 7800 c3");
	is_int(beside(&no_err, s), 0, "nor by another condition");
	begin("");
	put_rel("e8", CALLEE);
	put("4885c3 7400 c3");
	is_int(beside(&no_err, s), 0, "nor by two registers");
}

static int frame(const char *hex)
{
	struct code *c;
	int n;

	begin(hex);
	c = code();
	n = code_frame(c);
	code_free(c);
	return n;
}

static void test_frames(void)
{
	is_int(frame("55 4889e5 4883ec18 7400 4883c418 5d c3"), 32, "a frame");
	is_int(frame("4881ec20020000 4889ac2418020000 c3"), 0x220, "one of Go before 1.21");
	is_int(frame("4883c480 c3"), 128, "one that is added");
	is_int(frame("c3"), 0, "none");
	is_int(frame("4829c4 c3"), -ENOTSUP, "one of a size that nobody knows");
	is_int(frame("5c c3"), -ENOTSUP, "none that makes sense");
}

static void test_emulated(void)
{
	static const struct {
		const char *hex;
		int emulated;
	} list[] = {
		{ "90", 1 },	   { "6690", 0 },	{ "0f1f00", 0 },     { "55", 1 },
		{ "4154", 1 },	   { "6a01", 0 },	{ "e800000000", 1 }, { "ffd0", 0 },
		{ "eb00", 1 },	   { "e900000000", 1 }, { "7400", 1 },	     { "0f8400000000", 1 },
		{ "e300", 0 },	   { "c3", 0 },		{ "f30f1efa", 0 },   { "66e800000000", 0 },
		{ "ff742408", 0 }, { "4883ec18", 0 },
	};
	const struct insn *insns;

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		struct code *c;

		begin(list[i].hex);
		c = code();
		ok(c && code_insns(c, &insns) && insns[0].emulated == list[i].emulated, "%s is %s",
		   list[i].hex, list[i].emulated ? "emulated" : "stepped");
		code_free(c);
	}
}

/* Where a jump to a register goes, by what loaded it: a class, or 0 for none. */
static enum insn_class last_class(enum gobin_arch arch)
{
	const struct insn *insns;
	struct code *c = NULL;
	enum insn_class cls = INSN_OTHER;
	size_t n;

	if (!code_new(arch, text, BASE, len, 0, name_at, NULL, &c, &e)) {
		n = code_insns(c, &insns);
		cls = insns[n - 1].cls;
	}
	code_free(c);
	return cls;
}

/* What a hostile file can make of a function must not take long. */
static void test_huge(void)
{
	const size_t size = 3u << 20;
	uint8_t *huge = malloc(size);
	struct code *c = NULL;

	ok(huge != NULL, "room for a huge function");
	if (!huge)
		return;
	memset(huge, 0x90, size);
	is_int(code_new(GOBIN_AMD64, huge, BASE, size, 0, name_at, NULL, &c, &e), -EFBIG,
	       "too many instructions");
	for (size_t i = 0; i + 4 <= size; i += 4)
		memcpy(huge + i, "\x01\x00\x01\x00", 4); /* none of arm64 */
	is_int(code_new(GOBIN_ARM64, huge, BASE, size, 0, name_at, NULL, &c, &e), -EILSEQ,
	       "nothing but words that are no instruction");
	for (size_t i = 0; i + 4 <= size; i += 4)
		memcpy(huge + i, i % 8 ? "\x60\x00\x1f\xd6" : "\xff\xff\xff\x54", 4);
	ok(!code_new(GOBIN_ARM64, huge, BASE, size, 0, name_at, NULL, &c, &e) &&
		   code_exits(c, NULL, 0, &e) == -EXDEV,
	   "nothing but branches and jumps to a register");
	code_free(c);
	free(huge);
}

static void test_register_jumps(void)
{
	static const struct {
		const char *hex, *name;
		enum insn_class cls;
	} list[] = {
		{ "488b08 488b4918 4889ca ffe2", "of a method table", INSN_JUMP_OUT },
		{ "488b0a ffe1", "of a closure", INSN_JUMP_OUT },
		{ "ff22", "in memory", INSN_JUMP_OUT },
		{ "ffe0", "that the caller gave", INSN_JUMP_OUT },
		{ "49c7c410000000 41ffe4", "a constant", INSN_JUMP_OUT },
		{ "488d0d00000000 ffe1", "the address of a function", INSN_JUMP_OUT },
		{ "488b0cc8 ffe1", "of a table", INSN_JUMP_TAB },
		{ "ff24c8", "of a table, at once", INSN_JUMP_TAB },
		{ "4801c8 ffe0", "that is computed", INSN_JUMP_IND },
		{ "488b08 89c9 ffe1", "of which half was written later", INSN_JUMP_IND },
		{ "7404 488b08 90 ffe1", "that is loaded on one way only", INSN_JUMP_IND },
		{ "488b10 ffce 75fc ffe2", "loaded before a loop", INSN_JUMP_OUT },
		{ "488b10 e800000000 ffe2", "before a call", INSN_JUMP_IND },
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		begin(list[i].hex);
		is_int(last_class(GOBIN_AMD64), list[i].cls, list[i].name);
	}
}

/* --- arm64: words --- */

static void word(uint32_t w)
{
	for (int i = 0; i < 4; i++)
		text[len++] = (uint8_t)(w >> (8 * i));
}

static void words(const uint32_t *w, size_t n)
{
	len = 0;
	for (size_t i = 0; i < n; i++)
		word(w[i]);
}

#define WORDS(...)                                                                                 \
	words((const uint32_t[]){ __VA_ARGS__ },                                                   \
	      sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

static uint32_t bl(size_t at, uint64_t target)
{
	return 0x94000000 | (((uint32_t)(target - BASE - at) >> 2) & 0x3ffffff);
}

enum {
	LDR_G = 0xf9400b90,  /* ldr x16, [x28, #16] */
	CMP_SP = 0xeb3063ff, /* cmp sp, x16 */
	STR_LR = 0xf81b0ffe, /* str x30, [sp, #-80]! */
	LDR_LR = 0xf84507fe, /* ldr x30, [sp], #80 */
	RET = 0xd65f03c0,
	NOP = 0xd503201f,
	MOV_3_30 = 0xaa1e03e3,
	UDF = 0,
};

static struct code *code_arm64(void)
{
	struct code *c = NULL;

	e.text[0] = '\0';
	if (code_new(GOBIN_ARM64, text, BASE, len, 0, name_at, NULL, &c, &e))
		printf("# %s\n", e.text);
	return c;
}

static void test_arm64_entry(void)
{
	struct site s[4] = { 0 };
	struct code *c;

	WORDS(LDR_G, CMP_SP, 0x54000089 /* b.ls +16 */, STR_LR, LDR_LR, RET, MOV_3_30, bl(28, MORE),
	      0x17fffff8 /* b to the start */, UDF, UDF);
	c = code_arm64();
	code_entry(c, false, s);
	ok(code_has_check(c) && s[0].addr == BASE + 12, "arm64: entry behind the stack check");
	is(s[0].text, "str x30, [sp, #-0x50]!", "  its text");
	ok(!s[0].emulated && !s[0].repeats && s[0].len == 4, "  stepped, once in a call");
	is_int(code_exits(c, s, 4, &e), 1, "one way out");
	ok(s[0].addr == BASE + 20 && s[0].emulated && s[0].at == SITE_RET && !s[0].recovered,
	   "  a cheap one");
	code_entry(c, true, s);
	ok(s[0].addr == BASE && s[0].repeats, "the first instruction repeats");
	code_free(c);

	WORDS(LDR_G, 0xd282261b, 0xf2a0003b, 0xeb3b63f1, 0x540000c3 /* b.lo +24 */, 0xeb10023f,
	      0x54000089 /* b.ls +16 */, 0xd106c3f4, 0x9100029f, RET, MOV_3_30, bl(44, MORE),
	      0x17fffff4);
	c = code_arm64();
	code_entry(c, false, s);
	ok(s[0].addr == BASE + 28, "a large frame: behind the second branch");
	code_free(c);

	WORDS(0xd10083ff, RET);
	c = code_arm64();
	code_entry(c, false, s);
	ok(!code_has_check(c) && s[0].addr == BASE, "no stack check: the first instruction");
	code_free(c);
}

static void test_arm64_calls(void)
{
	struct site s[4] = { 0 };
	struct code *c;

	WORDS(bl(0, CALLEE), 0xaa0003e5 /* mov x5, x0 */, 0xb4000040 /* cbz x0, +8 */, NOP,
	      bl(16, DEFER), LDR_LR, RET);
	c = code_arm64();
	is_int(code_calls(c, "main.callee", s, 4), 1, "arm64: a call");
	ok(s[0].emulated && !s[0].depth_adjust && s[0].target == CALLEE,
	   "  is cheap, and at the depth of the callee");
	is_int(code_after_calls(c, "main.callee", 2, s, 4), 1, "behind it");
	ok(s[0].addr == BASE + 8 && s[0].emulated && !s[0].depth_adjust, "  the cheap cbz");
	is_int(code_after_calls(c, "main.callee", 6, s, 4), 1, "with six results");
	ok(s[0].addr == BASE + 4 && !s[0].emulated, "  the mov that overwrites one");
	is_int(code_exits(c, s, 4, &e), 1, "a return");
	ok(s[0].recovered, "  taken after a recovered panic");
	code_free(c);

	WORDS(bl(0, CALLEE), 0x910083ff /* add sp, sp, #32 */, 0xb4000040, NOP, RET);
	c = code_arm64();
	is_int(code_after_calls(c, "main.callee", 0, s, 4), 1, "where SP moves behind the call");
	ok(s[0].addr == BASE + 4, "  the site is in front of that");
	code_free(c);
}

static void test_arm64_decisions(void)
{
	static const struct site_when done = { WHEN_NOT_ZERO, 0, 1 };
	struct site s[4] = { 0 };
	struct code *c;

	WORDS(0xd106c3f4 /* sub x20, sp, #0x1b0 */, 0xa9bffa9d /* stp x29, x30, [x20, #-8] */,
	      0x9100029f /* mov sp, x20 */, bl(12, CALLEE), 0xb4000061 /* cbz x1, +12 */, NOP, RET,
	      NOP, RET);
	c = code_arm64();
	is_int(code_frame(c), 0x1b0, "arm64: a frame");
	is_int(code_decisions(c, "main.callee", &no_err, 3, s, 4), 1, "a decision by cbz");
	ok(s[0].addr == BASE + 16 && s[0].emulated, "  is cheap");
	is_int(code_decisions(c, "main.callee", &done, 3, &s[1], 1), 0, "by this register alone");
	is_int(code_exits(c, &s[1], 3, &e), 2, "of two returns");
	ok(code_exits_beside(c, &s[0], &s[1], 2) == 1 && s[1].addr == BASE + 24,
	   "  one is left, where it is not zero");
	code_free(c);

	WORDS(STR_LR, bl(4, CALLEE), 0x36000060 /* tbz w0, #0, +12 */, NOP, RET, NOP, RET);
	c = code_arm64();
	is_int(code_frame(c), 80, "a small frame");
	is_int(code_decisions(c, "main.callee", &done, 1, s, 4), 1, "a decision by tbz");
	is_int(code_exits(c, &s[1], 3, &e), 2, "of two returns");
	ok(code_exits_beside(c, &s[0], &s[1], 2) == 1 && s[1].addr == BASE + 24,
	   "  one is left, where it is zero");
	code_free(c);
	WORDS(STR_LR, bl(4, CALLEE), 0x36080060 /* tbz w0, #1, +12 */, NOP, RET, NOP, RET);
	c = code_arm64();
	is_int(code_decisions(c, "main.callee", &done, 1, s, 4), 0, "none by another bit");
	code_free(c);
}

static void test_arm64_jumps(void)
{
	struct site s[4] = { 0 };
	struct code *c;

	WORDS(LDR_LR, 0x14000000 | (CALLEE - BASE - 4) >> 2);
	c = code_arm64();
	is_int(code_exits(c, s, 4, &e), 1, "arm64: a tail jump");
	ok(s[0].at == SITE_TAIL && s[0].emulated && s[0].target == CALLEE, "  is cheap");
	code_free(c);
	WORDS(0xf9400c43 /* ldr x3, [x2, #24] */, 0xd61f0060);
	is_int(last_class(GOBIN_ARM64), INSN_JUMP_OUT, "a method's address");
	WORDS(0x90000003 /* adrp x3 */, 0x91004063 /* add x3, x3, #16 */, 0xd61f0060);
	is_int(last_class(GOBIN_ARM64), INSN_JUMP_OUT, "a function's address");
	WORDS(0xf8617803 /* ldr x3, [x0, x1, lsl #3] */, 0xd61f0060);
	is_int(last_class(GOBIN_ARM64), INSN_JUMP_TAB, "a jump table's element");
	WORDS(0x8b010003 /* add x3, x0, x1 */, 0xd61f0060);
	is_int(last_class(GOBIN_ARM64), INSN_JUMP_IND, "a computed address");
}

static void test_arm64_data(void)
{
	struct site s[4] = { 0 };
	struct code *c;

	WORDS(0x58000061 /* ldr x1, +12 */, RET, UDF, RET, RET);
	c = code_arm64();
	is_int(code_exits(c, s, 4, &e), 1, "arm64: a literal that looks like a return is none");
	code_free(c);
	WORDS(RET, 0x14000000 /* b . */, 0x00010190, RET);
	c = code_arm64();
	is_int(code_exits(c, s, 4, &e), 1, "nor what stands behind one that nothing reads");
	code_free(c);
	WORDS(0xd10083ff, 0x00010190, RET);
	ok(!code_arm64() && strstr(e.text, "0x1004"), "what comes to be run is an error");
	WORDS(0xce020820 /* eor3 v0.16b, v1.16b, v2.16b, v2.16b */, RET);
	c = code_arm64();
	is_int(code_exits(c, s, 4, &e), 1, "an instruction that capstone does not know is passed");
	code_free(c);
	WORDS(RET);
	ok(code_new(GOBIN_ARM64, text, BASE, 3, 0, name_at, NULL, &c, &e) == -ENODATA,
	   "less than one instruction");
	WORDS(RET, UDF);
	ok(code_new(GOBIN_ARM64, text, BASE, 7, 0, name_at, NULL, &c, &e) == -EILSEQ,
	   "an instruction cut off");
}

static void test_arm64_emulated(void)
{
	static const struct {
		uint32_t w;
		int emulated;
	} list[] = {
		{ 0x14000001, 1 }, { 0x94000001, 1 }, { 0x54000020, 1 }, { 0xb4000020, 1 },
		{ 0xb5000020, 1 }, { 0x36000020, 1 }, { 0xd61f0060, 1 }, { 0xd63f0060, 1 },
		{ RET, 1 },	   { 0x10000000, 1 }, { 0x90000000, 1 }, { 0x58000801, 1 },
		{ 0x98000801, 1 }, { NOP, 1 },	      { 0x9c000801, 0 }, { STR_LR, 0 },
		{ LDR_LR, 0 },	   { 0xd503233f, 0 }, { CMP_SP, 0 },	 { 0xd4000001, 0 },
	};
	const struct insn *insns;

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		struct code *c;

		WORDS(list[i].w, NOP, NOP);
		c = code_arm64();
		ok(c && code_insns(c, &insns) && insns[0].emulated == list[i].emulated,
		   "arm64: %08x is %s", list[i].w, list[i].emulated ? "simulated" : "stepped");
		code_free(c);
	}
}

int main(void)
{
	struct code *c;

	test_entries();
	test_exits();
	test_calls();
	test_decisions();
	test_frames();
	test_emulated();
	test_register_jumps();
	test_huge();
	test_arm64_entry();
	test_arm64_calls();
	test_arm64_decisions();
	test_arm64_jumps();
	test_arm64_data();
	test_arm64_emulated();
	is_int(code_new((enum gobin_arch)9, text, BASE, len, 0, name_at, NULL, &c, &e), -ENOTSUP,
	       "an architecture without a file of its own");
	is_int(code_new(GOBIN_AMD64, text, BASE, 0, 0, name_at, NULL, &c, &e), -ENODATA,
	       "a function without code");
	return done();
}
