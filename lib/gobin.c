// SPDX-License-Identifier: Apache-2.0
#include "gobin.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gobin_internal.h"

/* Of larger files not all that is looked through can stay in memory. */
#define BIG_FILE (192ull << 20)
#define CHUNK	 (16ull << 20)

static int open_image(struct gobin *b, struct errinfo *e)
{
	int r;

	b->lazy = calloc(1, sizeof(*b->lazy));
	if (!b->lazy)
		return errinfo_set(e, -ENOMEM, "out of memory");
	r = gobin_read_headers(b, e);
	return r ? r : gobin_read_buildinfo(b, e);
}

int gobin_open_image(const void *image, size_t size, struct gobin **out, struct errinfo *e)
{
	struct gobin *b = calloc(1, sizeof(*b));
	int r;

	if (!b)
		return errinfo_set(e, -ENOMEM, "out of memory");
	b->fd = -1;
	b->image = image;
	b->size = size;
	r = open_image(b, e);
	if (r) {
		gobin_free(b);
		return r;
	}
	*out = b;
	return 0;
}

static int map_file(struct gobin *b, int fd, struct errinfo *e)
{
	struct stat st;
	void *p;

	if (fstat(fd, &st) < 0)
		return errinfo_set(e, -errno, "fstat: %s", strerror(errno));
	if (S_ISDIR(st.st_mode))
		return errinfo_set(e, -EISDIR, "%s", strerror(EISDIR));
	if (!S_ISREG(st.st_mode))
		return errinfo_set(e, -ENOEXEC, "not a regular file");
	if (st.st_size == 0)
		return errinfo_set(e, -ENOEXEC, "an empty file");
	/*
	 * Shared, because the kernel puts uprobes into every private mapping of a file
	 * that may be executed (valid_vma() in kernel/events/uprobes.c): of a binary that
	 * is being traced we would read breakpoints where its instructions are.
	 */
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return errinfo_set(e, -errno, "mmap: %s", strerror(errno));
	b->image = p;
	b->size = (size_t)st.st_size;
	b->mapped = true;
	b->written = st.st_mtim;
	b->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (b->fd < 0)
		return errinfo_set(e, -errno, "dup: %s", strerror(errno));
	b->dev = st.st_dev;
	b->inode = st.st_ino;
	return 0;
}

/* What a file says that is written at the same time is no news, but that it is written. */
static int check_unchanged(const struct gobin *b, int ret, struct errinfo *e)
{
	return ret && ret != -ENOMEM && gobin_changed(b)
		       ? errinfo_set(e, -ESTALE, "the file was changed while it was read")
		       : ret;
}

static int open_fd(int fd, int (*read)(struct gobin *b, struct errinfo *e), struct gobin **out,
		   struct errinfo *e)
{
	struct gobin *b = calloc(1, sizeof(*b));
	int r;

	if (!b)
		return errinfo_set(e, -ENOMEM, "out of memory");
	b->fd = -1;
	r = map_file(b, fd, e);
	if (!r)
		r = check_unchanged(b, read(b, e), e);
	if (r) {
		gobin_free(b);
		return r;
	}
	*out = b;
	return 0;
}

int gobin_open_fd(int fd, struct gobin **out, struct errinfo *e)
{
	return open_fd(fd, open_image, out, e);
}

int gobin_open_debug_fd(int fd, struct gobin **out, struct errinfo *e)
{
	return open_fd(fd, gobin_read_debug_headers, out, e);
}

void gobin_attach_debug(struct gobin *b, struct gobin *debug)
{
	gobin_free(b->debug);
	b->debug = debug;
}

const struct gobin *gobin_debug(const struct gobin *b)
{
	return b->debug;
}

int gobin_open(const char *path, struct gobin **out, struct errinfo *e)
{
	/* O_NONBLOCK: a FIFO must not hold us. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	int r;

	if (fd < 0)
		return errinfo_set(e, -errno, "%s", strerror(errno));
	r = gobin_open_fd(fd, out, e);
	close(fd);
	return r;
}

void gobin_free(struct gobin *b)
{
	if (!b)
		return;
	gobin_free(b->debug);
	if (b->lazy) {
		gobin_relocs_free(b->lazy->relocs);
		free(b->lazy->text_id);
	}
	free(b->lazy);
	free(b->gnu_id);
	free(b->go_id);
	free(b->deps);
	free(b->info_text);
	free(b->secs);
	free(b->segs);
	if (b->mapped)
		munmap((void *)b->image, b->size);
	if (b->fd >= 0)
		close(b->fd);
	free(b);
}

bool gobin_changed(const struct gobin *b)
{
	struct stat st;

	return b->fd >= 0 && !fstat(b->fd, &st) &&
	       ((size_t)st.st_size != b->size || st.st_mtim.tv_sec != b->written.tv_sec ||
		st.st_mtim.tv_nsec != b->written.tv_nsec);
}

enum gobin_arch gobin_arch(const struct gobin *b)
{
	return b->arch;
}

const char *gobin_arch_name(const struct gobin *b)
{
	return b->arch == GOBIN_AMD64 ? "amd64" : "arm64";
}

bool gobin_is_pie(const struct gobin *b)
{
	return b->pie;
}

const struct gobin_buildinfo *gobin_buildinfo(const struct gobin *b)
{
	return &b->info;
}

uint64_t gobin_dev(const struct gobin *b)
{
	return b->dev;
}

uint64_t gobin_inode(const struct gobin *b)
{
	return b->inode;
}

const char *gobin_warning(const struct gobin *b)
{
	return b->note;
}

const uint8_t *gobin_image(const struct gobin *b, size_t *size)
{
	*size = b->size;
	return b->image;
}

size_t gobin_segments(const struct gobin *b, const struct gobin_segment **out)
{
	*out = b->segs;
	return b->n_segs;
}

const struct gobin_section *gobin_section(const struct gobin *b, const char *name)
{
	for (size_t i = 0; i < b->n_secs; i++)
		if (!strcmp(b->secs[i].name, name))
			return &b->secs[i];
	return NULL;
}

size_t gobin_sections(const struct gobin *b, const struct gobin_section **out)
{
	*out = b->secs;
	return b->n_secs;
}

const uint8_t *gobin_section_data(const struct gobin *b, const struct gobin_section *s)
{
	if (s->type == SHT_NOBITS || !gobin_in_file(b, s->offset, s->size))
		return NULL;
	return b->image + s->offset;
}

/* A page that others are on too is left alone. */
static void range_done(const struct gobin *b, uint64_t offset, uint64_t size)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t first = (offset + page - 1) & ~(page - 1), end = (offset + size) & ~(page - 1);

	if (b->mapped && first < end)
		madvise((void *)(b->image + first), end - first, MADV_DONTNEED);
}

void gobin_section_done(const struct gobin *b, const struct gobin_section *s)
{
	if (gobin_section_data(b, s))
		range_done(b, s->offset, s->size);
}

uint64_t gobin_chunk(const struct gobin *b, uint64_t offset, uint64_t left)
{
	if (b->size < BIG_FILE)
		return left;
	if (offset >= CHUNK && gobin_in_file(b, offset, 0))
		range_done(b, offset - CHUNK, CHUNK);
	return left < CHUNK ? left : CHUNK;
}

static const struct gobin_segment *segment_of(const struct gobin *b, uint64_t addr)
{
	for (size_t i = 0; i < b->n_segs; i++)
		if (addr >= b->segs[i].addr && addr - b->segs[i].addr < b->segs[i].filesz)
			return &b->segs[i];
	return NULL;
}

uint64_t gobin_extent(const struct gobin *b, uint64_t addr)
{
	const struct gobin_segment *s = segment_of(b, addr);

	return s ? s->filesz - (addr - s->addr) : 0;
}

const uint8_t *gobin_at(const struct gobin *b, uint64_t addr, uint64_t len)
{
	const struct gobin_segment *s = segment_of(b, addr);

	if (!s || len > s->filesz - (addr - s->addr))
		return NULL;
	return b->image + s->offset + (addr - s->addr);
}

int gobin_offset(const struct gobin *b, uint64_t addr, uint64_t *offset)
{
	const struct gobin_segment *s = segment_of(b, addr);

	if (!s)
		return -ERANGE;
	*offset = s->offset + (addr - s->addr);
	return 0;
}
