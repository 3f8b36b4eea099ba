// SPDX-License-Identifier: Apache-2.0
#include "rotated.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gzip.h"
#include "sink.h"

/* ".20261130T194500.123" */
#define STAMP_LEN 20

struct rotated {
	const char *path;
	struct rotated_limits l;
	struct gzip *gzip;
	struct textbuf packed;
	int fd;
	bool is_stdout;
	uint64_t size;
	int64_t since;
};

static int open_target(const struct rotated *r)
{
	int fd = r->is_stdout ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
			      : open(r->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	return fd < 0 ? -errno : fd;
}

static int begin(struct rotated *r)
{
	r->fd = open_target(r);
	if (r->fd < 0)
		return r->fd;
	r->size = 0;
	r->since = clock_ms();
	return 0;
}

static int end(struct rotated *r)
{
	int ret = 0;

	if (r->fd >= 0 && close(r->fd))
		ret = -errno;
	r->fd = -1;
	return ret;
}

int rotated_open(struct rotated **out, const char *path, const struct rotated_limits *l,
		 struct errinfo *e)
{
	struct rotated *r = calloc(1, sizeof(*r));
	int ret;

	if (!r)
		return errinfo_set(e, -ENOMEM, "out of memory");
	r->path = path;
	r->l = *l;
	r->is_stdout = !strcmp(path, "-");
	r->fd = -1;
	r->gzip = l->gzip ? gzip_new() : NULL;
	ret = l->gzip && !r->gzip ? -ENOMEM : begin(r);
	if (ret) {
		rotated_close(r);
		return errinfo_set(e, ret, "file: %s: %s", strcmp(path, "-") ? path : "stdout",
				   strerror(-ret));
	}
	*out = r;
	return 0;
}

static void stamp(char to[STAMP_LEN + 1])
{
	struct timespec ts;
	struct tm tm;
	size_t n;

	clock_gettime(CLOCK_REALTIME, &ts);
	gmtime_r(&ts.tv_sec, &tm);
	n = strftime(to, STAMP_LEN + 1, ".%Y%m%dT%H%M%S", &tm);
	snprintf(to + n, STAMP_LEN + 1 - n, ".%03ld", ts.tv_nsec / 1000000 % 1000);
}

/* Whether @name is that of a renamed file of @base. */
static bool is_renamed(const char *name, const char *base)
{
	static const char form[] = ".ddddddddTdddddd.ddd";
	size_t n = strlen(base);

	if (strlen(name) != n + STAMP_LEN || strncmp(name, base, n) != 0)
		return false;
	for (int i = 0; i < STAMP_LEN; i++)
		if (form[i] == 'd' ? !isdigit((unsigned char)name[n + (size_t)i])
				   : name[n + (size_t)i] != form[i])
			return false;
	return true;
}

static const char *base_of(const struct rotated *r)
{
	const char *slash = strrchr(r->path, '/');

	return slash ? slash + 1 : r->path;
}

static const char *sought; /* the base, for scandir(3): only one thread rotates */

static int select_renamed(const struct dirent *d)
{
	return is_renamed(d->d_name, sought);
}

/* The oldest, by their names, make room. */
static void remove_old(const struct rotated *r)
{
	char dir[PATH_MAX], path[2 * PATH_MAX];
	size_t len = (size_t)(base_of(r) - r->path);
	struct dirent **found;
	int n;

	if (!r->l.keep || len >= sizeof(dir))
		return;
	snprintf(dir, sizeof(dir), "%.*s", (int)len, len ? r->path : "");
	sought = base_of(r);
	n = scandir(len ? dir : ".", &found, select_renamed, alphasort);
	for (int i = 0; i < n; i++) {
		if (i + (int)r->l.keep < n) {
			snprintf(path, sizeof(path), "%s%s", dir, found[i]->d_name);
			unlink(path);
		}
		free(found[i]);
	}
	if (n >= 0)
		free(found);
}

static bool is_due(const struct rotated *r, size_t more)
{
	if (r->is_stdout || !r->size)
		return false;
	return (r->l.bytes && r->size + more > r->l.bytes) ||
	       (r->l.seconds && clock_ms() - r->since >= (int64_t)r->l.seconds * 1000);
}

static int rotate(struct rotated *r)
{
	char to[PATH_MAX], when[STAMP_LEN + 1];
	int ret = end(r);

	if (ret)
		return ret;
	/* Two in one millisecond are not to have one name. */
	do {
		stamp(when);
		if ((size_t)snprintf(to, sizeof(to), "%s%s", r->path, when) >= sizeof(to))
			return -ENAMETOOLONG;
	} while (!access(to, F_OK) && !usleep(1000));
	if (rename(r->path, to))
		return -errno;
	remove_old(r);
	return begin(r);
}

/* A descriptor that somebody made non-blocking is waited for. */
static int write_all(int fd, const char *p, size_t len)
{
	while (len) {
		struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };
		ssize_t n = write(fd, p, len);

		if (n >= 0) {
			p += n;
			len -= (size_t)n;
		} else if (errno == EAGAIN) {
			poll(&poll_fd, 1, -1);
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	return 0;
}

int rotated_write(struct rotated *r, const void *p, size_t len)
{
	int ret = 0;

	if (r->gzip) {
		r->packed.len = 0;
		gzip_pack(r->gzip, p, len, &r->packed);
		if (r->packed.failed)
			return -ENOMEM;
		p = r->packed.buf;
		len = r->packed.len;
	}
	if (is_due(r, len))
		ret = rotate(r);
	if (ret)
		return ret;
	r->size += len;
	return write_all(r->fd, p, len);
}

int rotated_close(struct rotated *r)
{
	int ret = end(r);

	gzip_free(r->gzip);
	free(r->packed.buf);
	free(r);
	return ret;
}
