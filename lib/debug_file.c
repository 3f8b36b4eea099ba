// SPDX-License-Identifier: Apache-2.0
#include "debug_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zlib.h>

#include "debug_section.h"
#include "le.h"

#define USUAL_DIR DEBUG_FILE_USUAL_DIR
#define CHUNK	  65536

/* What is looked for, and what came of it so far. */
struct search {
	struct gobin *b;
	const char *path; /* of the binary; NULL */
	const char *link; /* the name in .gnu_debuglink; NULL */
	uint32_t crc;
	char *used;
	size_t len;
	struct errinfo *e;
	int result;
};

/* In a process's root links are followed as the process would, never out of it. */
static int open_in(int root, const char *path)
{
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };

	if (root < 0)
		return open(path, (int)how.flags);
	return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

static bool same_crc(int fd, uint32_t want)
{
	uLong crc = crc32(0, NULL, 0);
	uint8_t buf[CHUNK];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		crc = crc32(crc, buf, (uInt)n);
	return n == 0 && crc == want;
}

/* Builders that set Go's build id give the same one to many programs, without a '/'. */
static const char *unique(const char *go_id)
{
	return strchr(go_id, '/') ? go_id : "";
}

/* Whether it is of the same build as the binary. 0 or -EUCLEAN. */
static int check(const struct search *s, const struct gobin *debug, int fd, const char *path)
{
	const char *mine = gobin_gnu_build_id(s->b), *its = gobin_gnu_build_id(debug);

	if (gobin_arch(debug) != gobin_arch(s->b))
		return errinfo_set(s->e, -EUCLEAN, "%.180s: it is for %s", path,
				   gobin_arch_name(debug));
	if (!mine[0] || !its[0]) {
		mine = unique(gobin_go_build_id(s->b));
		its = unique(gobin_go_build_id(debug));
	}
	if (mine[0] && its[0] && strcmp(mine, its) != 0)
		return errinfo_set(s->e, -EUCLEAN,
				   "%.160s: its build id is %.48s, that of the binary %.48s", path,
				   its, mine);
	if ((!mine[0] || !its[0]) && (!s->link || !same_crc(fd, s->crc)))
		return errinfo_set(s->e, -EUCLEAN,
				   "%.180s: neither a build id nor the checksum tells that it "
				   "belongs to the binary",
				   path);
	return 0;
}

/* 0: attached. -ENOENT: there is nothing of use; -ENOMEM; -EUCLEAN. */
static int try_file(const struct search *s, int root, const char *path)
{
	int fd = open_in(root, path), ret;
	struct gobin *debug = NULL;
	struct errinfo e = { .text = "" };

	if (fd < 0)
		return -ENOENT;
	ret = gobin_open_debug_fd(fd, &debug, &e);
	if (ret && ret != -ENOMEM)
		ret = errinfo_set(s->e, -EUCLEAN, "%.180s: %s", path, e.text);
	/* The link may lead to the binary itself. */
	if (!ret && !debug_section_any(debug) && !gobin_section(debug, ".symtab"))
		ret = -ENOENT;
	if (!ret)
		ret = check(s, debug, fd, path);
	close(fd);
	if (ret) {
		gobin_free(debug);
		return ret;
	}
	gobin_attach_debug(s->b, debug);
	snprintf(s->used, s->len, "%s", path);
	return 0;
}

/* Whether the search is over. What another place has is better than a file that is wrong. */
static bool tried(struct search *s, int root, const char *path, int n)
{
	int ret = n > 0 && n < PATH_MAX ? try_file(s, root, path) : -ENOENT;

	if (ret != -ENOENT)
		s->result = ret;
	return ret == 0 || ret == -ENOMEM;
}

static bool by_id(struct search *s, int root, const char *dir)
{
	const char *id = gobin_gnu_build_id(s->b);
	char path[PATH_MAX];

	return strlen(id) > 2 &&
	       tried(s, root, path,
		     snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s.debug", dir, id, id + 2));
}

/* The file that the link names, in @before, the binary's directory, @after. */
static bool by_link(struct search *s, int root, const char *before, const char *after)
{
	char path[PATH_MAX];
	int n;

	if (!s->link || !s->path)
		return false;
	n = (int)(strrchr(s->path, '/') - s->path);
	return tried(
		s, root, path,
		snprintf(path, sizeof(path), "%s%.*s%s/%s", before, n, s->path, after, s->link));
}

/* Where debuggers look too. */
static bool usual_places(struct search *s, int root)
{
	return by_id(s, root, USUAL_DIR) || by_link(s, root, "", "") ||
	       by_link(s, root, "", "/.debug") || by_link(s, root, USUAL_DIR, "");
}

/* .gnu_debuglink: a name, zeros up to a multiple of four, the CRC of the file. */
static void read_link(struct search *s)
{
	const struct gobin_section *sec = gobin_section(s->b, ".gnu_debuglink");
	const uint8_t *p = sec ? gobin_section_data(s->b, sec) : NULL;
	size_t n = p ? strnlen((const char *)p, sec->size) : 0, at = (n + 4) & ~(size_t)3;

	if (!n || at + 4 > sec->size || memchr(p, '/', n))
		return;
	s->link = (const char *)p;
	s->crc = le32(p + at);
}

/* A process's own root first; what an id names is right in ours too. */
static void search(struct search *s, const struct debug_places *where)
{
	for (size_t i = 0; i < where->n_dirs; i++)
		if (by_id(s, -1, where->dirs[i]) || by_link(s, -1, where->dirs[i], ""))
			return;
	if (!usual_places(s, where->root) && where->root >= 0)
		by_id(s, -1, USUAL_DIR);
}

int debug_file_attach(struct gobin *b, const struct debug_places *where, char *used, size_t len,
		      struct errinfo *e)
{
	struct search s = { .b = b, .used = used, .len = len, .e = e, .result = -ENOENT };

	s.path = where->path && where->path[0] == '/' ? where->path : NULL;
	read_link(&s);
	search(&s, where);
	return s.result;
}
