// SPDX-License-Identifier: Apache-2.0
#include "upx.h"

#include <elf.h>
#include <string.h>

#include "tap.h"

int main(void)
{
	union {
		Elf64_Ehdr h;
		uint8_t p[512];
	} f = { .h = { .e_phoff = 64, .e_phentsize = 56, .e_phnum = 3 } };
	const size_t magic = 64 + 3 * 56 + 4;

	memcpy(f.p, ELFMAG, SELFMAG);
	f.p[EI_CLASS] = ELFCLASS64;
	ok(!upx_packed(f.p, sizeof(f)), "an ordinary file");
	memcpy(f.p + magic, "UPX!", 4);
	ok(upx_packed(f.p, sizeof(f)), "a packed one");
	ok(!upx_packed(f.p, magic + 3), "cut off in the mark");
	ok(!upx_packed(f.p, 63), "and in the header");
	f.h.e_phnum = 0xffff;
	ok(!upx_packed(f.p, sizeof(f)), "headers that go past the end");
	f.h.e_phnum = 3;
	f.h.e_phoff = UINT64_MAX - 100;
	ok(!upx_packed(f.p, sizeof(f)), "or begin there");
	f.h.e_phoff = 65;
	ok(!upx_packed(f.p, sizeof(f)), "the mark elsewhere");
	f.h.e_phoff = 64;
	f.p[0] = 0;
	ok(!upx_packed(f.p, sizeof(f)), "no ELF file");
	return done();
}
