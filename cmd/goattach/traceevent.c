// SPDX-License-Identifier: Apache-2.0
#include "traceevent.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "diag.h"

static const char *const roots[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
static const char *root; /* set by traceevent_init() */

enum {
	WRITE_BYTES = 4000, /* a write is cut past 4096: WRITE_BUFSIZE, kernel/trace/trace.h */
	REMOVE_TRIES = 50,
};

static int open_events(int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/uprobe_events", root);
	return open(path, flags | O_CLOEXEC);
}

static int write_all(int fd, const char *text, size_t len)
{
	ssize_t n = len ? write(fd, text, len) : 0;

	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -EIO;
}

/* --- removing ------------------------------------------------------------------ */

static int remove_named(const char *name)
{
	int ret, fd = open_events(O_WRONLY | O_APPEND);
	char line[96];

	if (fd < 0)
		return -errno;
	snprintf(line, sizeof(line), "-:%s\n", name);
	ret = write_all(fd, line, strlen(line));
	close(fd);
	return ret;
}

static void name_of(uint32_t event, char *name, size_t size)
{
	snprintf(name, size, "gotap/p%d_%u", getpid(), event);
}

void traceevent_remove(uint32_t event)
{
	const struct timespec pause = { .tv_nsec = 20000000 };
	char name[64];
	int ret;

	name_of(event, name, sizeof(name));
	/* What runs in the kernel may hold it for a moment yet. */
	for (int i = 0; (ret = remove_named(name)) == -EBUSY && i < REMOVE_TRIES; i++)
		nanosleep(&pause, NULL);
	if (ret)
		diag(DIAG_DEBUG, "%s: not removed: %s", name, strerror(-ret));
}

/* Those of processes that are gone; one that is in use is not removed by the kernel. */
static void remove_left(void)
{
	char path[64], line[4352], last[64] = "", name[64];
	FILE *f;
	int pid;

	snprintf(path, sizeof(path), "%s/uprobe_events", root);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "p:%63[^ ] ", name) != 1 || !strcmp(name, last) ||
		    sscanf(name, "gotap/p%d_", &pid) != 1 || !kill(pid, 0) || errno != ESRCH)
			continue;
		memcpy(last, name, sizeof(last));
		remove_named(name);
	}
	if (f)
		fclose(f);
}

bool traceevent_init(void)
{
	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		int fd;

		root = roots[i];
		fd = open_events(O_WRONLY | O_APPEND);
		if (fd < 0)
			continue;
		close(fd);
		remove_left();
		return true;
	}
	root = NULL;
	return false;
}

/* --- opening --------------------------------------------------------------------- */

static int define(const char *name, int exe_fd, const uint64_t *offsets, size_t n)
{
	int ret = 0, fd = open_events(O_WRONLY | O_APPEND);
	char text[WRITE_BYTES];
	size_t len = 0;

	if (fd < 0)
		return -errno;
	for (size_t i = 0; !ret && i < n; i++) {
		if (len + 128 > sizeof(text)) {
			ret = write_all(fd, text, len);
			len = 0;
		}
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"p:%s /proc/self/fd/%d:0x%llx\n", name, exe_fd,
					(unsigned long long)offsets[i]);
	}
	if (!ret)
		ret = write_all(fd, text, len);
	close(fd);
	return ret;
}

static int open_perf(const char *name)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = PERF_TYPE_TRACEPOINT };
	unsigned long long id;
	char path[128];
	FILE *f;
	long fd;

	snprintf(path, sizeof(path), "%s/events/%s/id", root, name);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	if (fscanf(f, "%llu", &id) != 1)
		id = 0;
	fclose(f);
	attr.config = id;
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

int traceevent_open(int exe_fd, const uint64_t *offsets, size_t n, uint32_t *event)
{
	static uint32_t last;
	char name[64];
	int ret;

	*event = ++last;
	name_of(*event, name, sizeof(name));
	ret = define(name, exe_fd, offsets, n);
	if (!ret)
		ret = open_perf(name);
	if (ret < 0)
		remove_named(name);
	return ret;
}
