// SPDX-License-Identifier: Apache-2.0
#include "sites.h"

#include <errno.h>
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
	ok(s[1].emulated && s[1].bytes[0] == 0xe9, "  and a cheap one");

	begin("ebfe");
	is_int(exits(s, 8, 0), -ENOENT, "a function that never returns");
	begin("0f0b cccc");
	is_int(exits(s, 8, 0), -ENOENT, "one that always panics");

	begin("4885c0");
	put_rel("0f84", CALLEE);
	put("c3");
	is_int(exits(s, 8, 0), -EXDEV, "a conditional jump out of the function");
	ok(strstr(e.text, "0x1003") != NULL, "  says where");
	begin("ffe0");
	is_int(exits(s, 8, 0), -EXDEV, "a jump through a register");
	begin("ff24c8 c3");
	is_int(exits(s, 8, 0), 1, "a jump table stays inside");

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

int main(void)
{
	struct code *c;

	test_entries();
	test_exits();
	test_calls();
	test_emulated();
	is_int(code_new(GOBIN_ARM64, text, BASE, len, 0, name_at, NULL, &c, &e), -ENOTSUP,
	       "an architecture without a file of its own");
	is_int(code_new(GOBIN_AMD64, text, BASE, 0, 0, name_at, NULL, &c, &e), -EILSEQ,
	       "a function without code");
	return done();
}
