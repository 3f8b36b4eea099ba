// SPDX-License-Identifier: Apache-2.0
#include "procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* include/linux/sched.h of the kernel; the same since 2.6.17. */
#define PF_FORKNOEXEC 0x00000040u
#define PF_KTHREAD    0x00200000u

/* How long a process may look unsettled, in milliseconds. */
#define SETTLE_MS 1000

int procfs_open(int pid)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	return errno == ENOENT ? -ESRCH : -errno;
}

int procfs_read(int dir, const char *name, size_t max, char **out, size_t *len)
{
	int ret = 0, fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	size_t cap = 4096, n = 0;
	char *buf = NULL;

	*out = NULL;
	*len = 0;
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	for (;;) {
		char *more = !buf || n == cap ? realloc(buf, (cap *= 2) + 1) : buf;
		size_t want;
		ssize_t got;

		if (!more) {
			ret = -ENOMEM;
			break;
		}
		buf = more;
		want = (cap < max ? cap : max) - n;
		got = want ? read(fd, buf + n, want) : 0;
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			ret = -errno;
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	close(fd);
	if (ret) {
		free(buf);
		return ret;
	}
	buf[n] = '\0';
	*out = buf;
	*len = n;
	return 0;
}

int procfs_parse_stat(char *text, struct procstat *out)
{
	unsigned long long field[29] = { 0 };
	char *p = strrchr(text, ')');

	memset(out, 0, sizeof(*out));
	if (!p || p[1] != ' ' || !p[2] || p[3] != ' ')
		return -EINVAL;
	out->state = p[2];
	p += 3;
	for (int i = 4; i <= 28; i++) {
		char *end;

		field[i] = strtoull(p, &end, 10); /* negative ones wrap: none is used */
		if (end == p)
			return -EINVAL;
		p = end;
	}
	out->flags = (uint32_t)field[9];
	out->start = field[22];
	out->stack = field[28];
	return 0;
}

int procfs_stat(int dir, struct procstat *out)
{
	char buf[2048]; /* the name is at most 64 bytes, each number at most 20 */
	int fd = openat(dir, "stat", O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	if (n <= 0)
		return n ? -errno : -ESRCH;
	buf[n] = '\0';
	return procfs_parse_stat(buf, out);
}

bool procstat_is_kernel(const struct procstat *st)
{
	return st->flags & PF_KTHREAD;
}

bool procstat_is_dead(const struct procstat *st)
{
	return st->state == 'Z' || st->state == 'X' || st->state == 'x';
}

bool procstat_is_settled(const struct procstat *st)
{
	uint64_t age_ms, ticks = (uint64_t)sysconf(_SC_CLK_TCK);
	struct timespec now;

	/* The kernel sets the stack's start last, when arguments and environment are there. */
	if (!(st->flags & PF_FORKNOEXEC) && st->stack)
		return true;
	if (clock_gettime(CLOCK_BOOTTIME, &now) || !ticks)
		return true;
	age_ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000 -
		 st->start * 1000 / ticks;
	return age_ms > SETTLE_MS;
}

/* Whether the file that @path names in the process's own root is its executable. */
static bool names_exe(int dir, const char *path)
{
	struct stat exe, named;
	int root, ret;

	if (fstatat(dir, "exe", &exe, 0))
		return false;
	root = openat(dir, "root", O_PATH | O_CLOEXEC);
	if (root < 0)
		return false;
	while (*path == '/')
		path++;
	ret = fstatat(root, path, &named, 0);
	close(root);
	return !ret && named.st_dev == exe.st_dev && named.st_ino == exe.st_ino;
}

int procfs_exe(int dir, char *buf)
{
	static const char deleted[] = " (deleted)";
	const size_t tail = sizeof(deleted) - 1;
	ssize_t n = readlinkat(dir, "exe", buf, PATH_MAX - 1);

	if (n < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	buf[n] = '\0';
	if ((size_t)n > tail && !strcmp(buf + n - tail, deleted) && !names_exe(dir, buf))
		buf[(size_t)n - tail] = '\0';
	return 0;
}

int procfs_tgid(int dir, int *tgid)
{
	char *text, *line;
	size_t len;
	int ret = procfs_read(dir, "status", 16384, &text, &len);

	if (ret || !text)
		return ret;
	line = strstr(text, "\nTgid:");
	*tgid = line ? atoi(line + 6) : 0;
	free(text);
	return *tgid > 0 ? 0 : -EINVAL;
}

int procfs_each(int (*fn)(int pid, void *arg), void *arg)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	int ret = 0;

	if (!d)
		return -errno;
	while (!ret && (e = readdir(d))) {
		int pid = atoi(e->d_name); /* 0 for a name that is no number */

		if (pid > 0)
			ret = fn(pid, arg);
	}
	closedir(d);
	return ret;
}

int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
