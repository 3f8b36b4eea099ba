// SPDX-License-Identifier: Apache-2.0
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "records.h"

enum { PIPE_BYTES = 1 << 18 }; /* room for some ticks, should the reader be slow */

void output_init(struct output *o, int stop_fd)
{
	struct stat st;

	o->fd = STDOUT_FILENO;
	o->stop_fd = stop_fd;
	o->reopened = false;
	o->deadline = o->unsent = 0;
	if (fstat(STDOUT_FILENO, &st) || !S_ISFIFO(st.st_mode))
		return;
	fcntl(STDOUT_FILENO, F_SETPIPE_SZ, PIPE_BYTES);
	o->fd = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	o->reopened = o->fd >= 0;
	if (!o->reopened)
		o->fd = STDOUT_FILENO;
}

void output_release(struct output *o)
{
	if (o->reopened)
		close(o->fd);
}

/* Waits until there is room. 0, -EINTR or -ETIMEDOUT. */
static int wait_room(const struct output *o)
{
	int ms = -1;
	struct pollfd p[2] = {
		{ .fd = o->fd, .events = POLLOUT },
		{ .fd = o->stop_fd, .events = POLLIN },
	};

	if (o->deadline) {
		uint64_t now = now_ns();

		if (now >= o->deadline)
			return -ETIMEDOUT;
		ms = (int)((o->deadline - now) / 1000000) + 1;
	}
	if (poll(p, 2, ms) < 0)
		return errno == EINTR ? 0 : -errno;
	return p[1].revents ? -EINTR : 0;
}

int output_flush(struct output *o, struct jsonw *w)
{
	size_t done = 0;
	int ret = w->err;

	while (!ret && done < w->mark) {
		ssize_t n = write(o->fd, w->buf + done, w->mark - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno == EAGAIN)
			ret = wait_room(o);
		else if (errno != EINTR)
			ret = w->err = -errno;
	}
	if (ret == -ETIMEDOUT) {
		for (; done < w->mark; done++)
			o->unsent += w->buf[done] == '\n';
		ret = 0;
	}
	if (done) {
		memmove(w->buf, w->buf + done, w->len - done);
		w->len -= done;
		w->mark -= done;
	}
	return ret;
}
