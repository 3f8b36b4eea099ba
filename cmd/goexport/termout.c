// SPDX-License-Identifier: Apache-2.0
#include "termout.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STALL_MS 2000
/* A pipe that can be written to at all takes so much at once: PIPE_BUF. */
#define PIECE 4096

void termout_init(struct termout *o, bool patient)
{
	memset(o, 0, sizeof(*o));
	o->fd = STDOUT_FILENO;
	o->patient = patient;
	/* A terminal may have room for less: one's own descriptor need not block there. */
	if (!patient && isatty(o->fd)) {
		int fd = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

		o->fd = fd < 0 ? o->fd : fd;
	}
}

void termout_release(struct termout *o)
{
	if (o->fd != STDOUT_FILENO)
		close(o->fd);
	free(o->text.buf);
	memset(o, 0, sizeof(*o));
}

/* Whether something can be written, within @ms (negative: whenever). */
static bool is_ready(const struct termout *o, int ms)
{
	struct pollfd p = { .fd = o->fd, .events = POLLOUT };
	int n;

	do {
		n = poll(&p, 1, ms);
	} while (n < 0 && errno == EINTR);
	return n != 0; /* an error shows when it is written */
}

static int write_within(struct termout *o, int ms)
{
	size_t done = 0;
	int err = o->text.failed ? -ENOMEM : 0;

	while (!err && done < o->text.len) {
		size_t n = o->text.len - done < PIECE ? o->text.len - done : PIECE;
		ssize_t wrote;

		if (!is_ready(o, o->stalled && ms > 0 ? 0 : ms)) {
			err = -EAGAIN;
			break;
		}
		wrote = write(o->fd, o->text.buf + done, n);
		if (wrote >= 0)
			done += (size_t)wrote;
		else if (errno != EINTR && errno != EAGAIN)
			err = -errno;
		if (wrote > 0)
			o->stalled = false;
	}
	if (err == -EAGAIN) {
		o->stalled = true;
		memmove(o->text.buf, o->text.buf + done, o->text.len - done);
		o->text.len -= done;
		return err;
	}
	o->text.len = 0;
	return err;
}

int termout_write(struct termout *o)
{
	return write_within(o, o->patient ? -1 : STALL_MS);
}

int termout_finish(struct termout *o)
{
	return write_within(o, -1);
}
