// SPDX-License-Identifier: Apache-2.0
#include "upx.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

#include "le.h"

/* UPX's struct l_info {checksum, magic, …} stands right behind the program headers. */
bool upx_packed(const uint8_t *head, size_t len)
{
	uint64_t phoff, n, size, at;

	if (len < sizeof(Elf64_Ehdr) || memcmp(head, ELFMAG, SELFMAG) != 0 ||
	    head[EI_CLASS] != ELFCLASS64)
		return false;
	phoff = le64(head + offsetof(Elf64_Ehdr, e_phoff));
	size = le16(head + offsetof(Elf64_Ehdr, e_phentsize));
	n = le16(head + offsetof(Elf64_Ehdr, e_phnum));
	if (phoff > len)
		return false;
	at = phoff + n * size + 4;
	return at <= len && len - at >= 4 && !memcmp(head + at, "UPX!", 4);
}

bool upx_packed_fd(int fd)
{
	uint8_t head[4096];
	ssize_t n = pread(fd, head, sizeof(head), 0);

	return n > 0 && upx_packed(head, (size_t)n);
}
