// SPDX-License-Identifier: Apache-2.0
#include "watch.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "connector.h"
#include "diag.h"
#include "exits.h"
#include "poller.h"
#include "procfs.h"
#include "tracker.h"

#define RECONCILE_MS 5000

/* What epoll says is ready: a pid of a pidfd, or one of these. */
enum {
	TAG_STOP = 1ull << 32,
	TAG_STDOUT,
	TAG_CONNECTOR,
};

struct watch {
	struct tracker tracker;
	struct poller poller;
	int connector; /* -1: polling */
	int64_t next_poll, next_reconcile;
	bool stop;
};

static int stop_fd = -1;

/* The first signal ends the loop; the second one finds the default action. */
static void on_stop(int sig)
{
	uint64_t one = 1;
	int saved = errno;

	(void)sig;
	if (write(stop_fd, &one, sizeof(one)) < 0)
		_exit(GOTAP_EXIT_OK);
	errno = saved;
}

static int catch_signals(void)
{
	struct sigaction act = { .sa_handler = on_stop, .sa_flags = SA_RESETHAND | SA_RESTART };

	stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (stop_fd < 0)
		return -errno;
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	return 0;
}

static int add_fd(int epoll, int fd, uint64_t tag, unsigned events)
{
	struct epoll_event ev = { .events = events, .data.u64 = tag };

	if (!epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &ev))
		return 0;
	return errno == EPERM ? 0 : -errno; /* a regular file is never waited for */
}

/* Each reported process takes a descriptor. */
static void raise_file_limit(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) || lim.rlim_cur == lim.rlim_max)
		return;
	lim.rlim_cur = lim.rlim_max;
	setrlimit(RLIMIT_NOFILE, &lim);
}

static int open_source(struct watch *w)
{
	struct errinfo e;

	w->connector = connector_open(&e);
	if (w->connector < 0) {
		w->connector = -1;
		w->tracker.remember = true;
		poller_init(&w->poller);
		diag(DIAG_NOTE, "watching by polling /proc (process events connector: %s)", e.text);
		return 0;
	}
	diag(DIAG_NOTE, "watching by the kernel's process events connector");
	return add_fd(w->tracker.epoll, w->connector, TAG_CONNECTOR, EPOLLIN);
}

static int scan(struct watch *w)
{
	const struct selection *sel = w->tracker.l->sel;
	int ret = 0;

	if (!sel->n_pids)
		return procfs_each(tracker_look, &w->tracker);
	for (size_t i = 0; i < sel->n_pids && !ret; i++)
		ret = tracker_look(sel->pids[i], &w->tracker);
	return ret;
}

static int watch_open(struct watch *w)
{
	int ret;

	raise_file_limit();
	w->tracker.epoll = epoll_create1(EPOLL_CLOEXEC);
	if (w->tracker.epoll < 0)
		return -errno;
	ret = catch_signals();
	if (!ret)
		ret = add_fd(w->tracker.epoll, stop_fd, TAG_STOP, EPOLLIN);
	if (!ret) /* errors are always reported: a pipe without reader is one */
		ret = add_fd(w->tracker.epoll, w->tracker.out->fd, TAG_STDOUT, 0);
	if (!ret)
		ret = open_source(w);
	if (ret)
		return ret;
	w->tracker.first_scan = true;
	ret = scan(w);
	w->tracker.first_scan = false;
	if (!ret)
		ret = report_end(&w->tracker.report, w->tracker.l);
	return ret;
}

static int read_connector(struct watch *w)
{
	int ret = connector_read(w->connector, tracker_look, &w->tracker);

	if (ret != -ENOBUFS)
		return ret;
	diag(DIAG_DEBUG, "process events were lost: looking at all processes");
	return scan(w);
}

static int handle(struct watch *w, const struct epoll_event *ev)
{
	switch (ev->data.u64) {
	case TAG_STOP:
		w->stop = true;
		return 0;
	case TAG_STDOUT:
		raise(SIGPIPE); /* as if we had written something */
		return w->tracker.out->err = -EPIPE;
	case TAG_CONNECTOR:
		return read_connector(w);
	default:
		return tracker_ended(&w->tracker, (int)ev->data.u64);
	}
}

static int timeout_of(struct watch *w)
{
	int64_t now = now_ms(), next = tracker_next_due(&w->tracker);

	int64_t timer = w->connector < 0 ? w->next_poll : w->next_reconcile;

	if (timer < next)
		next = timer;
	if (next <= now)
		return 0;
	return next - now > INT_MAX ? INT_MAX : (int)(next - now);
}

static int run_timers(struct watch *w)
{
	int64_t now = now_ms();
	int ret = 0;

	if (w->connector < 0 && now >= w->next_poll) {
		w->next_poll = now + POLL_MS;
		ret = poller_tick(&w->poller, &w->tracker);
	} else if (w->connector >= 0 && now >= w->next_reconcile) {
		w->next_reconcile = now + RECONCILE_MS;
		ret = tracker_verify(&w->tracker, RECONCILE_MS, SIZE_MAX);
	}
	return ret ? ret : tracker_run_due(&w->tracker);
}

static int watch_loop(struct watch *w)
{
	struct epoll_event ev[64];
	int ret = 0;

	while (!ret && !w->stop) {
		int n = epoll_wait(w->tracker.epoll, ev, 64, timeout_of(w));

		if (n < 0 && errno != EINTR)
			return -errno;
		listeners_forget(&w->tracker.l->listeners);
		for (int i = 0; i < n && !ret; i++)
			ret = handle(w, &ev[i]);
		if (!ret)
			ret = run_timers(w);
	}
	return ret;
}

int watch_run(struct looker *l, struct jsonw *out)
{
	struct watch w = { .tracker = { .l = l, .out = out, .epoll = -1 },
			   .poller = { .loadavg = -1 },
			   .connector = -1 };
	int ret = watch_open(&w);

	if (!ret)
		ret = watch_loop(&w);
	tracker_release(&w.tracker);
	if (w.connector >= 0)
		close(w.connector);
	else
		poller_release(&w.poller);
	if (w.tracker.epoll >= 0)
		close(w.tracker.epoll);
	if (!ret)
		return GOTAP_EXIT_OK;
	diag(DIAG_ERROR, "%s%s", out->err ? "stdout: " : "", strerror(-ret));
	return GOTAP_EXIT_FAILED;
}
