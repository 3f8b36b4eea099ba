// SPDX-License-Identifier: Apache-2.0
#include "reaper.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct job {
	struct fdset set;
	int done_fd;
	void *tag;
};

int reaper_init(struct reaper *r)
{
	r->busy = 0;
	if (pipe2(r->pipe, O_CLOEXEC))
		return -errno;
	return fcntl(r->pipe[0], F_SETFL, O_NONBLOCK) ? -errno : 0;
}

void reaper_release(struct reaper *r)
{
	/* A thread may still write to the pipe: with busy jobs it stays open. */
	if (r->busy)
		return;
	close(r->pipe[0]);
	close(r->pipe[1]);
}

static void *run(void *arg)
{
	struct job *j = arg;

	fdset_close(&j->set);
	/* A pointer is far below PIPE_BUF: all of it or nothing. */
	if (write(j->done_fd, &j, sizeof(j)) < 0)
		return NULL;
	return NULL;
}

bool reaper_close(struct reaper *r, struct fdset *set, void *tag)
{
	struct job *j = calloc(1, sizeof(*j));
	pthread_attr_t attr;
	pthread_t thread;
	int ret;

	if (!j) {
		fdset_close(set);
		return false;
	}
	j->set = *set;
	j->done_fd = r->pipe[1];
	j->tag = tag;
	memset(set, 0, sizeof(*set));
	r->busy++;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, 65536);
	ret = pthread_create(&thread, &attr, run, j);
	pthread_attr_destroy(&attr);
	if (ret)
		run(j);
	return true;
}

void *reaper_next(struct reaper *r)
{
	struct job *j;
	void *tag;

	if (!r->busy || read(r->pipe[0], &j, sizeof(j)) != (ssize_t)sizeof(j))
		return NULL;
	tag = j->tag;
	free(j);
	r->busy--;
	return tag;
}
