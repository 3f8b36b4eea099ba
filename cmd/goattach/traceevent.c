// SPDX-License-Identifier: Apache-2.0
#include "traceevent.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "diag.h"

static const char *const roots[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
static int root = -1; /* the directory, set by traceevent_init() */

enum {
	WRITE_BYTES = 4000, /* a write is cut past 4096: WRITE_BUFSIZE, kernel/trace/trace.h */
	REMOVE_TRIES = 50,
};

static int open_events(int flags)
{
	return openat(root, "uprobe_events", flags | O_CLOEXEC);
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
	char line[4352], last[64] = "", name[64];
	int pid, fd = open_events(O_RDONLY);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");

	if (!f && fd >= 0)
		close(fd);
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

/* tracefs where nobody has mounted it: a mount that no path leads to. */
static int mount_unseen(void)
{
	int fs = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC), fd = -1;

	if (fs < 0)
		return -1;
	if (!syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		fd = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
	close(fs);
	return fd;
}

/* Takes the directory @dir if events can be made there. */
static bool take_root(int dir)
{
	int fd;

	root = dir;
	fd = dir < 0 ? -1 : open_events(O_WRONLY | O_APPEND);
	if (fd >= 0) {
		close(fd);
		return true;
	}
	if (dir >= 0)
		close(dir);
	root = -1;
	return false;
}

bool traceevent_init(void)
{
	bool found = root >= 0;

	for (size_t i = 0; !found && i < sizeof(roots) / sizeof(roots[0]); i++)
		found = take_root(open(roots[i], O_PATH | O_DIRECTORY | O_CLOEXEC));
	if (!found)
		found = take_root(mount_unseen());
	if (found)
		remove_left();
	return found;
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

static int open_perf(const char *name, int pid)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = PERF_TYPE_TRACEPOINT };
	unsigned long long id;
	char path[128];
	FILE *f;
	long fd;

	snprintf(path, sizeof(path), "events/%s/id", name);
	fd = openat(root, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	f = fdopen((int)fd, "r");
	if (!f) {
		close((int)fd);
		return -ENOMEM;
	}
	if (fscanf(f, "%llu", &id) != 1)
		id = 0;
	fclose(f);
	attr.config = id;
	fd = syscall(SYS_perf_event_open, &attr, pid ? pid : -1, pid ? -1 : 0, -1,
		     PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

int traceevent_open(int exe_fd, int pid, const uint64_t *offsets, size_t n, uint32_t *event)
{
	static uint32_t last;
	char name[64];
	int ret;

	*event = ++last;
	name_of(*event, name, sizeof(name));
	ret = define(name, exe_fd, offsets, n);
	if (!ret)
		ret = open_perf(name, pid);
	if (ret < 0)
		remove_named(name);
	return ret;
}
