/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One Go executable, mapped read-only: what gofind, goresolve and goattach need
 * to know of the ELF file itself. The file may be hostile: every offset, size
 * and count is checked against the file before it is used, and an address that
 * no file-backed segment covers reads as "not there".
 *
 * A struct gobin owns the mapping and everything that its functions return
 * (borrowed by the caller until gobin_free()). Not for use by several threads.
 */
#ifndef GOTAP_GOBIN_H
#define GOTAP_GOBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "errinfo.h"

enum gobin_arch {
	GOBIN_AMD64,
	GOBIN_ARM64,
};

struct gobin_segment { /* a PT_LOAD */
	uint64_t addr, offset, filesz, memsz;
	bool exec, write;
};

struct gobin_section {
	const char *name; /* "" if the name is not readable */
	uint64_t addr, offset, size;
	uint32_t type;	/* SHT_… */
	uint64_t flags; /* SHF_… */
	uint32_t link;	/* sh_link: of a symbol table, the section of its strings */
	size_t index;	/* of the section header */
};

/* Go's build information (debug/buildinfo), all strings borrowed, never NULL. */
struct gobin_dep {
	const char *path;    /* as it is imported, also where another module replaces it */
	const char *version; /* of the replacement where there is one; "(devel)" of a directory */
};

struct gobin_buildinfo {
	const char *go;		    /* "go1.24.4", "go1.25.3 X:nocoverageredesign", "devel …" */
	const char *path;	    /* the main package's import path */
	const char *module;	    /* the main module's path, "" if none */
	const char *module_version; /* "(devel)", "v1.2.3", "" */
	const struct gobin_dep *deps;
	size_t n_deps;
};

struct gobin;

/*
 * Opens an ELF file by descriptor (borrowed, may be closed afterwards) or path.
 * -ESTALE: the file was changed while it was read; -ENOEXEC: no ELF file, or not one of a supported
 * class, byte order, type or machine; -ENODATA: no Go build information in it (a C program);
 * -EPROTONOSUPPORT: neither, but Go's build id or table of functions (before Go 1.13; plugins
 * before 1.20);
 * -EBADMSG: the file contradicts itself, @e says in which section at which offset; other -errno of
 * open, fstat, mmap. @e always names what was wrong, without the path.
 */
int gobin_open_fd(int fd, struct gobin **out, struct errinfo *e);
int gobin_open(const char *path, struct gobin **out, struct errinfo *e);
/* The same over @size bytes in memory, which must outlive it; dev and inode are 0. */
int gobin_open_image(const void *image, size_t size, struct gobin **out, struct errinfo *e);
/*
 * A file that holds what was stripped from another (objcopy --only-keep-debug): nothing
 * is loaded from it and it has no build information, so that only sections and build ids
 * may be asked for. Errors as gobin_open_fd(), but for -ENODATA.
 */
int gobin_open_debug_fd(int fd, struct gobin **out, struct errinfo *e);
/* Gives @debug to @b, which owns it from then on, for sections that it lacks itself. */
void gobin_attach_debug(struct gobin *b, struct gobin *debug);
const struct gobin *gobin_debug(const struct gobin *b); /* NULL: none */
void gobin_free(struct gobin *b);
/*
 * What was wrong but not needed and therefore left aside (section headers past
 * the end of the file), for a warning; "" if nothing.
 */
const char *gobin_warning(const struct gobin *b);

/*
 * Whether the file was written to or cut since it was opened: what was read of it may then be
 * of two files. Never of one in memory.
 */
bool gobin_changed(const struct gobin *b);

enum gobin_arch gobin_arch(const struct gobin *b);
const char *gobin_arch_name(const struct gobin *b); /* "amd64", "arm64": GOARCH */
bool gobin_is_pie(const struct gobin *b);	    /* ET_DYN */
const struct gobin_buildinfo *gobin_buildinfo(const struct gobin *b);
/* 24 of "go1.24.4" and of "devel go1.24-abcdef …"; -1 if there is no such number. */
int gobin_go_minor(const struct gobin *b);

/* Of the file as opened, for "dev" (decimal major:minor) and "inode". */
uint64_t gobin_dev(const struct gobin *b); /* st_dev */
uint64_t gobin_inode(const struct gobin *b);

/* Go's build id as `go tool buildid` prints it, and the GNU one in hex; "" if none.
 * Neither is needed: `-ldflags=-buildid=` leaves the first out, old linkers the second. */
const char *gobin_go_build_id(const struct gobin *b);
const char *gobin_gnu_build_id(const struct gobin *b);
/*
 * The name of this binary in the stream ("binary"): the Go build id, else
 * "gnu:" and the GNU one, else "text:" and a hash of the executable segments (made
 * at the first call). A Go build id without a '/' is passed over: it is not
 * cmd/go's, and builders give the same one to many binaries ("redacted").
 */
const char *gobin_id(const struct gobin *b);

/* The whole file, for libelf (elf_memory) and libdw. */
const uint8_t *gobin_image(const struct gobin *b, size_t *size);

size_t gobin_segments(const struct gobin *b, const struct gobin_segment **out);
/* By name, NULL if absent; and all of them. */
const struct gobin_section *gobin_section(const struct gobin *b, const char *name);
size_t gobin_sections(const struct gobin *b, const struct gobin_section **out);
/* The section's bytes in the file; NULL for SHT_NOBITS or out of bounds. */
const uint8_t *gobin_section_data(const struct gobin *b, const struct gobin_section *s);
/* Its bytes are not needed for a while: they need not stay in memory, but may be read again. */
void gobin_section_done(const struct gobin *b, const struct gobin_section *s);
/*
 * For a loop that looks through @left bytes of the file from @offset on: how many to take
 * before it asks again. A multiple of 8 but for the last. Of a huge file what was before
 * them need not stay in memory.
 */
uint64_t gobin_chunk(const struct gobin *b, uint64_t offset, uint64_t left);

/*
 * @len bytes at a virtual address, as they are in the file (not relocated); NULL
 * if one segment's file part does not hold them all.
 */
const uint8_t *gobin_at(const struct gobin *b, uint64_t addr, uint64_t len);
/* How many bytes from @addr on are in the file; 0 if none. */
uint64_t gobin_extent(const struct gobin *b, uint64_t addr);
/* The file offset of a virtual address; -ERANGE if it is not in the file. */
int gobin_offset(const struct gobin *b, uint64_t addr, uint64_t *offset);

/*
 * The 8-byte word at @addr as the loader would leave it with a load bias of 0:
 * RELATIVE relocations of PIE (RELA and RELR, found through PT_DYNAMIC) are
 * applied, and ABS64 and GLOB_DAT ones against symbols that the file defines.
 * -ERANGE if @addr is not in the file, or the word comes from another object;
 * -ENOMEM. The first call reads the relocations.
 */
int gobin_word(const struct gobin *b, uint64_t addr, uint64_t *out);
/*
 * Calls @fn with the address of each 8-aligned word in a writable segment for
 * which gobin_word() gives @value, not in order, perhaps twice, until it returns
 * other than 0. Returns what @fn returned last, 0 if there was none; -ENOMEM.
 */
int gobin_each_word(const struct gobin *b, uint64_t value, int (*fn)(void *arg, uint64_t addr),
		    void *arg);

#endif
