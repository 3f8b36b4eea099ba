// SPDX-License-Identifier: Apache-2.0
#include "poller.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "procfs.h"

#define LIST_MS	  500 /* /proc is listed at least this often */
#define VERIFY_MS 500 /* an exec of a known process is seen after at most this */
#define SHARE	  10  /* listings may take one 10th of the time */

/* /proc may be of another pid namespace than we are; loadavg is always of ours. */
static bool proc_is_ours(void)
{
	char link[32];
	ssize_t n = readlink("/proc/self", link, sizeof(link) - 1);

	if (n <= 0)
		return false;
	link[n] = '\0';
	return atoi(link) == getpid();
}

void poller_init(struct poller *p)
{
	memset(p, 0, sizeof(*p));
	p->loadavg = proc_is_ours() ? open("/proc/loadavg", O_RDONLY | O_CLOEXEC) : -1;
}

void poller_release(struct poller *p)
{
	if (p->loadavg >= 0)
		close(p->loadavg);
}

/* Whether a process may have come since the last listing. */
static bool has_news(struct poller *p)
{
	char text[128], *space;
	ssize_t n = p->loadavg < 0 ? -1 : pread(p->loadavg, text, sizeof(text) - 1, 0);
	bool again = p->again;
	long last;

	if (n <= 0)
		return true;
	text[n] = '\0';
	space = strrchr(text, ' ');
	last = space ? strtol(space, NULL, 10) : -1;
	p->again = last != p->last_pid || last < 0;
	p->last_pid = last;
	return p->again || again;
}

struct listing {
	struct tracker *t;
	unsigned generation;
};

static int see(int pid, void *arg)
{
	struct listing *l = arg;
	struct proc *p = procs_find(&l->t->procs, pid);
	int ret = 0;

	if (!p) {
		ret = tracker_look(pid, l->t);
		p = procs_find(&l->t->procs, pid);
	}
	if (p)
		p->generation = l->generation;
	return ret;
}

static int drop_unseen(struct proc *p, void *arg)
{
	struct listing *l = arg;

	return p->generation == l->generation ? 0 : tracker_drop(l->t, p);
}

static int64_t cpu_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static int list_proc(struct poller *p, struct tracker *t)
{
	struct listing l = { t, ++p->generation };
	int64_t begin = cpu_us();
	int ret = procfs_each(see, &l);

	if (!ret)
		ret = procs_each(&t->procs, drop_unseen, &l);
	p->listed = now_ms();
	p->not_before = p->listed + (cpu_us() - begin) * SHARE / 1000;
	return ret;
}

int poller_tick(struct poller *p, struct tracker *t)
{
	bool news = has_news(p);
	int64_t now = now_ms();
	int ret = 0;

	if (now >= p->not_before && (news || now - p->listed >= LIST_MS))
		ret = list_proc(p, t);
	else
		p->again |= news;
	if (!ret)
		ret = tracker_verify(t, VERIFY_MS, t->procs.n * POLL_MS / VERIFY_MS + 1);
	return ret;
}
