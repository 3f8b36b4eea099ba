// SPDX-License-Identifier: Apache-2.0
/* The ELF header, program headers and section headers of a struct gobin. */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gobin_internal.h"
#include "le.h"

/* The kernel refuses program headers of more than 64 KiB (fs/binfmt_elf.c). */
#define MAX_PHDRS (65536 / sizeof(Elf64_Phdr))
/* Linkers write three to ten. */
#define MAX_LOADS 64
/* Code refers to data by 32-bit distances: what is loaded of a Go binary is smaller. */
#define MAX_LOADED (2ull << 30)
/* Linkers write some tens; more would cost memory. */
#define MAX_SECTIONS 65536

static int check_ident(const struct gobin *b, struct errinfo *e)
{
	const uint8_t *p = b->image;

	if (b->size < SELFMAG || memcmp(p, ELFMAG, SELFMAG) != 0)
		return errinfo_set(e, -ENOEXEC, "not an ELF file");
	if (b->size < sizeof(Elf64_Ehdr))
		return errinfo_set(e, -EBADMSG, "ELF header cut short: %zu of %zu bytes", b->size,
				   sizeof(Elf64_Ehdr));
	if (p[EI_CLASS] != ELFCLASS64)
		return errinfo_set(e, -ENOEXEC, "not a 64-bit ELF file (class %u)", p[EI_CLASS]);
	if (p[EI_DATA] != ELFDATA2LSB)
		return errinfo_set(e, -ENOEXEC, "not a little-endian ELF file (data %u)",
				   p[EI_DATA]);
	return 0;
}

static int read_ehdr(struct gobin *b, Elf64_Ehdr *h, struct errinfo *e)
{
	int r = check_ident(b, e);

	if (r)
		return r;
	memcpy(h, b->image, sizeof(*h));
	if (h->e_type != ET_EXEC && h->e_type != ET_DYN)
		return errinfo_set(e, -ENOEXEC, "ELF type %u is no executable", h->e_type);
	b->pie = h->e_type == ET_DYN;
	switch (h->e_machine) {
	case EM_X86_64:
		b->arch = GOBIN_AMD64;
		break;
	case EM_AARCH64:
		b->arch = GOBIN_ARM64;
		break;
	default:
		return errinfo_set(e, -ENOEXEC, "ELF machine %u is neither amd64 nor arm64",
				   h->e_machine);
	}
	return 0;
}

static int check_load(const struct gobin *b, const Elf64_Phdr *p, size_t i, struct errinfo *e)
{
	if (!gobin_in_file(b, p->p_offset, p->p_filesz))
		return errinfo_set(e, -EBADMSG,
				   "segment %zu: 0x%llx bytes at offset 0x%llx reach past the end "
				   "of the file (0x%zx)",
				   i, (unsigned long long)p->p_filesz,
				   (unsigned long long)p->p_offset, b->size);
	if (p->p_filesz > p->p_memsz || p->p_memsz > UINT64_MAX - p->p_vaddr)
		return errinfo_set(e, -EBADMSG,
				   "segment %zu: impossible sizes 0x%llx, 0x%llx at address 0x%llx",
				   i, (unsigned long long)p->p_filesz,
				   (unsigned long long)p->p_memsz, (unsigned long long)p->p_vaddr);
	return 0;
}

/*
 * ELF has segments in order of addresses; linkers keep that, and let no two have the
 * same bytes of the file. Others could make each search cost as many times as they like,
 * and a loader sees other bytes where two of them are at one address.
 */
static int check_order(const struct gobin *b, uint64_t *loaded, size_t i, struct errinfo *e)
{
	const struct gobin_segment *s = &b->segs[b->n_segs - 1], *last = s - 1;

	if (b->n_segs > 1 && (s->addr < last->addr || s->addr - last->addr < last->memsz))
		return errinfo_set(e, -EBADMSG,
				   "segment %zu: its address 0x%llx is not behind the end of the "
				   "one before it",
				   i, (unsigned long long)s->addr);
	*loaded += s->filesz;
	if (*loaded > MAX_LOADED || *loaded > 2 * (uint64_t)b->size)
		return errinfo_set(
			e, -EBADMSG,
			"segment %zu: 0x%llx bytes to load so far, more than a Go binary "
			"has or a file of 0x%zx bytes holds",
			i, (unsigned long long)*loaded, b->size);
	return 0;
}

static int read_segments(struct gobin *b, const Elf64_Ehdr *h, struct errinfo *e)
{
	size_t n = h->e_phnum;
	uint64_t loaded = 0;

	if (!n || h->e_phoff == 0)
		return errinfo_set(e, -EBADMSG, "no program headers");
	if (h->e_phentsize != sizeof(Elf64_Phdr) || n > MAX_PHDRS)
		return errinfo_set(e, -EBADMSG, "%zu program headers of %u bytes", n,
				   h->e_phentsize);
	if (!gobin_in_file(b, h->e_phoff, n * sizeof(Elf64_Phdr)))
		return errinfo_set(
			e, -EBADMSG,
			"program headers at offset 0x%llx reach past the end of the file",
			(unsigned long long)h->e_phoff);
	b->segs = calloc(n, sizeof(*b->segs));
	if (!b->segs)
		return errinfo_set(e, -ENOMEM, "out of memory");
	for (size_t i = 0; i < n; i++) {
		Elf64_Phdr p;
		int r;

		memcpy(&p, b->image + h->e_phoff + i * sizeof(p), sizeof(p));
		if (p.p_type == PT_DYNAMIC) {
			b->dyn_addr = p.p_vaddr;
			b->dyn_size = p.p_filesz;
		} else if (p.p_type == PT_NOTE) {
			r = gobin_read_notes(b, p.p_offset, p.p_filesz, p.p_align);
			if (r)
				return errinfo_set(e, r, "out of memory");
		} else if (p.p_type == PT_LOAD) {
			r = check_load(b, &p, i, e);
			if (r)
				return r;
			if (b->n_segs == MAX_LOADS)
				return errinfo_set(e, -EBADMSG, "more than %d segments to load",
						   MAX_LOADS);
			b->segs[b->n_segs++] = (struct gobin_segment){
				.addr = p.p_vaddr,
				.offset = p.p_offset,
				.filesz = p.p_filesz,
				.memsz = p.p_memsz,
				.exec = p.p_flags & PF_X,
				.write = p.p_flags & PF_W,
			};
			r = check_order(b, &loaded, i, e);
			if (r)
				return r;
		}
	}
	return 0;
}

/* The NUL-terminated string at @off of the section @strs, "" if it is not there. */
static const char *section_name(const struct gobin *b, const Elf64_Shdr *strs, uint32_t off)
{
	const uint8_t *s;

	if (!gobin_in_file(b, strs->sh_offset, strs->sh_size) || off >= strs->sh_size)
		return "";
	s = b->image + strs->sh_offset + off;
	return memchr(s, 0, strs->sh_size - off) ? (const char *)s : "";
}

static Elf64_Shdr section_header(const struct gobin *b, const Elf64_Ehdr *h, size_t i)
{
	Elf64_Shdr s;

	memcpy(&s, b->image + h->e_shoff + i * sizeof(s), sizeof(s));
	return s;
}

/*
 * No loader reads section headers, so a program runs without or with wrong ones:
 * a table that cannot be right is noted and left aside, like one that was
 * stripped.
 */
static int read_sections(struct gobin *b, const Elf64_Ehdr *h, struct errinfo *e)
{
	size_t n = h->e_shnum, stri = h->e_shstrndx;
	Elf64_Shdr strs = { 0 };

	if (h->e_shoff == 0)
		return 0;
	if (h->e_shentsize == sizeof(Elf64_Shdr) && (n == 0 || stri == SHN_XINDEX) &&
	    gobin_in_file(b, h->e_shoff, sizeof(Elf64_Shdr))) {
		Elf64_Shdr first = section_header(b, h, 0);

		n = n ? n : first.sh_size;
		stri = stri == SHN_XINDEX ? first.sh_link : stri;
	}
	if (n == 0)
		return 0;
	if (h->e_shentsize != sizeof(Elf64_Shdr) || n > b->size / sizeof(Elf64_Shdr) ||
	    !gobin_in_file(b, h->e_shoff, n * sizeof(Elf64_Shdr))) {
		snprintf(b->note, sizeof(b->note),
			 "%zu section headers of %u bytes at offset 0x%llx reach past the end of "
			 "the file (0x%zx): left aside",
			 n, h->e_shentsize, (unsigned long long)h->e_shoff, b->size);
		return 0;
	}
	if (n > MAX_SECTIONS) {
		snprintf(b->note, sizeof(b->note),
			 "%zu section headers at offset 0x%llx are too many: left aside", n,
			 (unsigned long long)h->e_shoff);
		return 0;
	}
	if (stri < n)
		strs = section_header(b, h, stri);
	b->secs = calloc(n, sizeof(*b->secs));
	if (!b->secs)
		return errinfo_set(e, -ENOMEM, "out of memory");
	b->n_secs = n;
	for (size_t i = 0; i < n; i++) {
		Elf64_Shdr s = section_header(b, h, i);

		b->secs[i] = (struct gobin_section){
			.name = section_name(b, &strs, s.sh_name),
			.addr = s.sh_addr,
			.offset = s.sh_offset,
			.size = s.sh_size,
			.type = s.sh_type,
			.flags = s.sh_flags,
			.link = s.sh_link,
			.index = i,
		};
		/* A PT_NOTE of Go's own linker leaves the GNU note out (1.24 to 1.27). */
		if (s.sh_type == SHT_NOTE &&
		    gobin_read_notes(b, s.sh_offset, s.sh_size, s.sh_addralign))
			return errinfo_set(e, -ENOMEM, "out of memory");
	}
	return 0;
}

int gobin_read_debug_headers(struct gobin *b, struct errinfo *e)
{
	Elf64_Ehdr h;
	int r = read_ehdr(b, &h, e);

	return r ? r : read_sections(b, &h, e);
}

int gobin_read_headers(struct gobin *b, struct errinfo *e)
{
	Elf64_Ehdr h;
	int r = read_ehdr(b, &h, e);

	if (!r)
		r = read_segments(b, &h, e);
	if (!r)
		r = read_sections(b, &h, e);
	return r;
}
