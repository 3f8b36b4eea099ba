// SPDX-License-Identifier: Apache-2.0
#include "tracker.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "emit.h"
#include "procfs.h"

/* How soon to look again at a process that is about to exec. */
#define UNSETTLED_MS 5
/*
 * A program binds its port some time after its exec. It is looked at again after
 * an eighth of its age so far, within these bounds: what is missed is at most an
 * eighth of its start-up, for some 40 looks in its first seconds.
 */
#define WAIT_MIN_MS   5
#define WAIT_MAX_MS   1000
#define WAIT_FRACTION 8
/* A socket may also be passed to a process by another one. */
#define FULL_CHECK_MS 10000

static int open_pidfd(int pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	return fd < 0 ? -errno : fd;
}

/* Owes an exit record no longer. */
static int end_report(struct tracker *t, struct proc *p)
{
	p->state = PROC_SEEN;
	if (p->pidfd >= 0)
		close(p->pidfd);
	p->pidfd = -1;
	return emit_exit(t->out, p->pid, p->image.start);
}

int tracker_drop(struct tracker *t, struct proc *p)
{
	int ret = p->state == PROC_REPORTED ? end_report(t, p) : 0;

	procs_remove(&t->procs, p);
	return ret;
}

int tracker_ended(struct tracker *t, int pid)
{
	struct proc *p = procs_find(&t->procs, pid);
	struct pollfd ended = { .fd = p ? p->pidfd : -1, .events = POLLIN };

	/* It may have been another one of the same id, and be gone from the table. */
	return p && poll(&ended, 1, 0) > 0 ? tracker_drop(t, p) : 0;
}

static int begin_report(struct tracker *t, struct proc *p, const struct target *target)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int ret = emit_process(t->out, target);

	if (ret)
		return ret;
	p->state = PROC_REPORTED;
	p->due = NEVER;
	p->pidfd = open_pidfd(p->pid);
	if (p->pidfd == -ESRCH)
		return tracker_drop(t, p);
	ev.data.u64 = (uint64_t)p->pid;
	if (p->pidfd >= 0 && epoll_ctl(t->epoll, EPOLL_CTL_ADD, p->pidfd, &ev)) {
		close(p->pidfd);
		p->pidfd = -1;
	}
	if (p->pidfd < 0)
		p->pidfd = -1; /* no descriptors left: tracker_verify() will see its end */
	return 0;
}

static void wait_for_port(struct proc *p, int64_t now)
{
	int64_t gap = (now - p->since) / WAIT_FRACTION;

	p->state = PROC_WAITING;
	if (gap < WAIT_MIN_MS)
		gap = WAIT_MIN_MS;
	if (gap >= WAIT_MAX_MS) /* all at the same time, so that tables are read once */
		p->due = (now / WAIT_MAX_MS + 1) * WAIT_MAX_MS;
	else
		p->due = now + gap;
}

static int settle(struct tracker *t, struct proc *p, const struct target *target, enum verdict v)
{
	int64_t now = now_ms();

	if (v == TARGET_GONE || v == TARGET_THREAD) {
		procs_remove(&t->procs, p);
		return 0;
	}
	if (p->state == PROC_NEW || !image_same(&p->image, &target->image))
		p->since = now;
	p->image = target->image;
	p->checked = now;
	p->due = NEVER;
	switch (v) {
	case TARGET_SELECTED:
		return begin_report(t, p, target);
	case TARGET_NO_PORT:
		wait_for_port(p, now);
		return 0;
	case TARGET_UNSETTLED:
		p->state = PROC_UNSETTLED;
		p->due = now + UNSETTLED_MS;
		return 0;
	default:
		p->state = v == TARGET_KERNEL ? PROC_KERNEL : PROC_SEEN;
		if (!t->remember)
			procs_remove(&t->procs, p);
		return 0;
	}
}

/* Whether a reported process still runs the same program, as far as can be seen. */
static int still_same(const struct proc *p, bool *same)
{
	int ret, dir = procfs_open(p->pid);
	struct image now = { 0 };

	ret = dir < 0 ? dir : image_read(dir, &now);
	if (dir >= 0)
		close(dir);
	*same = ret == -EACCES || ret == -EPERM || (!ret && image_same(&p->image, &now));
	return ret == -ESRCH || ret == -EACCES || ret == -EPERM ? 0 : ret;
}

int tracker_look(int pid, void *arg)
{
	struct tracker *t = arg;
	struct proc *p = procs_find(&t->procs, pid);
	struct target target;
	enum verdict v;
	bool same;
	int ret;

	if (!selection_pid(t->l->sel, pid))
		return 0;
	if (p && p->state == PROC_REPORTED) {
		ret = still_same(p, &same);
		p->checked = now_ms();
		if (ret || same)
			return ret;
		ret = end_report(t, p);
		if (ret)
			return ret;
	}
	if (!p)
		p = procs_add(&t->procs, pid);
	if (!p)
		return -ENOMEM;
	ret = target_look(t->l, pid, &target, &v);
	if (!ret && (t->first_scan || v == TARGET_BROKEN || v == TARGET_COLLECTOR))
		report_verdict(&t->report, t->l, &target, v);
	if (!ret)
		ret = settle(t, p, &target, v);
	target_release(&target);
	return ret;
}

/*
 * Looks at the sockets of a waiting process only if any process listens on a
 * wanted port at all; of an old one only if such a socket has come or gone, or
 * now and then.
 */
static int look_for_port(struct tracker *t, struct proc *p, int64_t now)
{
	int ret, dir = procfs_open(p->pid);
	bool old = now - p->since >= WAIT_MAX_MS * WAIT_FRACTION;
	uint64_t sig = 0;

	if (dir == -ESRCH)
		return tracker_drop(t, p);
	if (dir < 0)
		return dir;
	ret = listeners_signature(&t->l->listeners, dir, &t->l->sel->ports, &sig);
	close(dir);
	if (!ret && (!sig || (old && sig == p->signature && now - p->full_check < FULL_CHECK_MS))) {
		wait_for_port(p, now);
		return 0;
	}
	p->signature = sig;
	p->full_check = now;
	return tracker_look(p->pid, t);
}

static int run_one(struct proc *p, void *arg)
{
	struct tracker *t = arg;
	int64_t now = now_ms();

	if (p->due > now)
		return 0;
	if (p->state == PROC_WAITING)
		return look_for_port(t, p, now);
	return tracker_look(p->pid, t);
}

int tracker_run_due(struct tracker *t)
{
	return procs_each(&t->procs, run_one, t);
}

static int earliest(struct proc *p, void *arg)
{
	int64_t *due = arg;

	if (p->due < *due)
		*due = p->due;
	return 0;
}

int64_t tracker_next_due(struct tracker *t)
{
	int64_t due = NEVER;

	procs_each(&t->procs, earliest, &due);
	return due;
}

struct verify {
	struct tracker *t;
	int64_t now, every;
	size_t left;
};

/* Whether /proc/PID/exe is another file than it was; that costs least to ask. */
static bool has_other_exe(const struct proc *p)
{
	char path[48];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/exe", p->pid);
	if (stat(path, &st))
		return p->image.ino != 0;
	return st.st_dev != p->image.dev || st.st_ino != p->image.ino;
}

static int verify_one(struct proc *p, void *arg)
{
	struct verify *v = arg;

	if (p->state == PROC_KERNEL || v->now - p->checked < v->every || !v->left)
		return 0;
	v->left--;
	p->checked = v->now;
	if (p->state != PROC_REPORTED && !has_other_exe(p))
		return 0;
	return tracker_look(p->pid, v->t);
}

int tracker_verify(struct tracker *t, int64_t every, size_t max)
{
	struct verify v = { t, now_ms(), every, max };

	return procs_each(&t->procs, verify_one, &v);
}

void tracker_release(struct tracker *t)
{
	procs_release(&t->procs);
}
