// SPDX-License-Identifier: Apache-2.0
#include "loop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "diag.h"
#include "drain.h"
#include "ending.h"
#include "exits.h"
#include "forget.h"
#include "intake.h"
#include "records.h"
#include "report.h"
#include "stuck.h"

#define MS 1000000ULL
enum {
	SETTLE_MS = 50, /* the first look after going to sleep: see fall_asleep() */
	LOSSES_MS = 1000,
	QUIET_MS = 5000, /* the same without events: all of them may be lost */
	STATS_MS = 10000,
	CLOCK_MS = 60000,
	LINES_A_TURN = 512, /* of stdin, before the ring gets its turn */
	FIRST_TICK_MS = 10, /* after quiet */
	FEW_RECORDS = 256,  /* fewer than these are not worth five programs' waking */
	WAITS = 64,
};

struct loop {
	struct tracer *t;
	uint64_t now;
	uint64_t tick_ns, tick_max_ns;
	uint64_t next_tick; /* while awake */
	uint64_t settle;    /* while asleep; 0: done */
	uint64_t next_losses, next_look, next_stats, next_clock;
	uint64_t lost_threads;
	bool asleep;
	bool stdin_open, stdin_always_ready, stdin_ready;
	bool stop; /* a signal, the reader gone, or all is done */
	int input; /* what reading ended with */
};

static int add(struct tracer *t, int fd, uint32_t events, unsigned int what)
{
	struct epoll_event ev = { .events = events, .data.u64 = wait_tag(what, 0) };

	return epoll_ctl(t->epoll_fd, EPOLL_CTL_ADD, fd, &ev) ? -errno : 0;
}

int loop_init(struct tracer *t, struct errinfo *e)
{
	int ret;

	t->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (t->epoll_fd < 0)
		return errinfo_set(e, -errno, "epoll: %s", strerror(errno));
	ret = add(t, t->signal_fd, EPOLLIN, WAIT_SIGNAL);
	if (!ret)
		ret = add(t, t->kernel.ring_fd, EPOLLIN | EPOLLET, WAIT_RING);
	if (!ret)
		ret = add(t, t->reaper.pipe[0], EPOLLIN, WAIT_REAPER);
	if (!ret)
		ret = add(t, t->output.fd, 0, WAIT_STDOUT); /* EPOLLERR: the reader is gone */
	if (ret == -EPERM)
		ret = 0; /* a regular file */
	return ret ? errinfo_set(e, ret, "epoll: %s", strerror(-ret)) : 0;
}

void loop_release(struct tracer *t)
{
	if (t->epoll_fd >= 0)
		close(t->epoll_fd);
}

bool loop_signalled(const struct tracer *t)
{
	struct pollfd fd = { .fd = t->signal_fd, .events = POLLIN };

	return poll(&fd, 1, 0) > 0;
}

/* --- waking and sleeping ------------------------------------------------------- */

/*
 * A record may slip in between the last look and the flag; its writer has not seen
 * the flag and will not wake us. So there is one more look after a while.
 */
static void fall_asleep(struct loop *l)
{
	kernel_reader_sleeps(&l->t->kernel, true);
	l->asleep = true;
	l->settle = l->now + SETTLE_MS * MS;
}

static void wake_up(struct loop *l)
{
	kernel_reader_sleeps(&l->t->kernel, false);
	l->asleep = false;
	l->tick_ns = FIRST_TICK_MS * MS;
	if (l->tick_ns > l->tick_max_ns)
		l->tick_ns = l->tick_max_ns;
	l->next_tick = l->now + l->tick_ns;
}

/*
 * To wake five programs costs as much as many records do: while a tick brings few,
 * the next one comes later.
 */
static void next_tick(struct loop *l, size_t records)
{
	if (records < FEW_RECORDS)
		l->tick_ns = 2 * l->tick_ns < l->tick_max_ns ? 2 * l->tick_ns : l->tick_max_ns;
	l->next_tick = l->now + l->tick_ns;
}

static void look_at_ring(struct loop *l, bool urged)
{
	size_t records;

	if (l->asleep) {
		if (urged) {
			wake_up(l); /* what comes next soon is read with it */
		} else if (l->settle && l->now >= l->settle) {
			l->settle = 0;
			if (drain(l->t))
				wake_up(l);
		}
		return;
	}
	if (!urged && l->now < l->next_tick)
		return;
	records = drain(l->t);
	if (records)
		next_tick(l, records);
	else
		fall_asleep(l);
}

static void sooner(uint64_t *when, uint64_t other)
{
	if (other && other < *when)
		*when = other;
}

/* Milliseconds to wait at most, -1 for ever. */
static int wait_ms(const struct loop *l, int images_ms)
{
	uint64_t when = l->next_clock;

	if (l->stdin_ready)
		return 0;
	sooner(&when, l->asleep ? l->settle : l->next_tick);
	if (l->t->processes.n)
		sooner(&when, l->t->activity ? l->next_losses : l->next_look);
	if (memcmp(&l->t->totals, &l->t->reported, sizeof(l->t->totals)))
		sooner(&when, l->next_stats);
	if (l->t->processes.n)
		sooner(&when, l->t->stuck.next);
	if (images_ms >= 0)
		sooner(&when, l->now + (uint64_t)images_ms * MS);
	return when <= l->now ? 0 : (int)((when - l->now + MS - 1) / MS);
}

/* --- what has happened ----------------------------------------------------------- */

static void process_ended(struct tracer *t, uint32_t id)
{
	struct process *p = process_by_id(&t->processes, id);
	uint64_t start;
	int pid;

	if (!p)
		return;
	pid = p->pid;
	start = p->start;
	ending_process(t, p);
	record_exit(&t->stage.out, pid, start);
	ending_remember(t, pid, start);
}

static void handle(struct loop *l, const struct epoll_event *ev)
{
	switch (ev->data.u64 >> 32) {
	case WAIT_STDIN:
		l->stdin_ready = true;
		break;
	case WAIT_STDOUT:
		l->stop = true;
		break;
	case WAIT_SIGNAL:
		l->stop = true;
		break;
	case WAIT_RING:
		look_at_ring(l, true);
		break;
	case WAIT_REAPER:
		ending_collect(l->t);
		break;
	case WAIT_PROCESS:
		process_ended(l->t, (uint32_t)ev->data.u64);
		break;
	}
}

static void end_of_input(struct loop *l, int ret)
{
	l->input = ret;
	l->stdin_open = l->stdin_ready = false;
	if (!l->stdin_always_ready)
		epoll_ctl(l->t->epoll_fd, EPOLL_CTL_DEL, STDIN_FILENO, NULL);
	if (ret < 0)
		l->stop = true;
}

static void read_input(struct loop *l)
{
	for (int i = 0; i < LINES_A_TURN && l->stdin_open && !loop_signalled(l->t); i++) {
		int ret = stage_step(&l->t->stage, 0);

		if (ret == JSONL_AGAIN) {
			l->stdin_ready = false;
			return;
		}
		if (ret <= 0)
			end_of_input(l, ret);
	}
}

static void by_time(struct loop *l)
{
	struct tracer *t = l->t;

	if (l->now >= (t->activity ? l->next_losses : l->next_look)) {
		report_losses(t);
		forget_some(t, l->now);
		if (t->totals.kernel[GOTAP_LOST_THREADS] != l->lost_threads)
			ending_sweep_threads(t);
		l->lost_threads = t->totals.kernel[GOTAP_LOST_THREADS];
		l->next_losses = l->now + LOSSES_MS * MS;
		l->next_look = l->now + QUIET_MS * MS;
	}
	if (l->now >= t->stuck.next)
		stuck_look(t, l->now);
	if (l->now >= l->next_stats) {
		report_stats(t);
		l->next_stats = l->now + STATS_MS * MS;
	}
	if (l->now >= l->next_clock) {
		record_clock(&t->stage.out);
		ending_sweep_threads(t);
		l->next_clock = l->now + CLOCK_MS * MS;
	}
}

static void flush(struct loop *l)
{
	struct tracer *t = l->t;

	if (!t->failed)
		t->failed = output_flush(&t->output, &t->stage.out);
	if (t->failed)
		l->stop = true;
}

/* --- from beginning to end --------------------------------------------------------- */

static void start(struct loop *l)
{
	struct tracer *t = l->t;

	l->now = now_ns();
	l->tick_max_ns = t->options->tick_ms * MS;
	l->next_losses = l->now + LOSSES_MS * MS;
	l->next_look = l->now + QUIET_MS * MS;
	l->next_stats = l->now + STATS_MS * MS;
	l->next_clock = l->now + CLOCK_MS * MS;
	stuck_start(&t->stuck, t->options->stuck_s, l->now);
	record_clock(&t->stage.out);
	l->stdin_open = true;
	l->stdin_always_ready = add(t, STDIN_FILENO, EPOLLIN, WAIT_STDIN) == -EPERM;
	l->stdin_ready = l->stdin_always_ready;
	fall_asleep(l);
}

void loop_signals(sigset_t *set)
{
	struct sigaction hup;

	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	/* A blocked signal comes even where it is to be ignored, as nohup(1) wants. */
	if (!sigaction(SIGHUP, NULL, &hup) && hup.sa_handler != SIG_IGN)
		sigaddset(set, SIGHUP);
}

/* A second signal ends us at once: the kernel takes the probes away. */
static void let_signals_kill(void)
{
	sigset_t set;

	loop_signals(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* The signal that stopped us is still pending: it was looked at, not taken. */
static void take_signal(struct tracer *t)
{
	char info[128]; /* struct signalfd_siginfo, which nobody looks at */

	if (read(t->signal_fd, info, sizeof(info)) < 0)
		return;
}

static int finish(struct loop *l)
{
	struct tracer *t = l->t;
	bool writable = !t->failed || t->failed == -EINTR;

	if (loop_signalled(t))
		t->output.deadline = now_ns() + t->options->flush_s * 1000 * MS;
	ending_detach_all(t);
	take_signal(t);
	let_signals_kill();
	t->output.stop_fd = -1;
	if (writable) {
		t->failed = 0;
		drain_all(t);
		report_losses(t);
		report_stats(t);
		flush(l);
	}
	if (t->failed == -EPIPE)
		return GOTAP_EXIT_OK;
	if (t->failed) {
		diag(DIAG_ERROR, "stdout: %s", strerror(-t->failed));
		return GOTAP_EXIT_FAILED;
	}
	if (t->output.unsent) {
		diag(DIAG_ERROR, "stdout: %llu lines were not written: nobody reads them",
		     (unsigned long long)t->output.unsent);
		stage_finish(&t->stage, l->input);
		return GOTAP_EXIT_FAILED;
	}
	return stage_finish(&t->stage, l->input);
}

static bool nothing_to_trace(const struct loop *l)
{
	if (l->stdin_open || l->t->processes.n || l->t->totals.processes)
		return false;
	diag(DIAG_ERROR, l->t->process_records ? "none of the processes could be traced"
					       : "nothing to trace: no process record on stdin");
	return true;
}

int loop_run(struct tracer *t)
{
	struct loop l = { .t = t };
	struct epoll_event evs[WAITS];
	bool nothing;
	int n, status;

	start(&l);
	while (!l.stop) {
		int images_ms = ending_images(t, l.now);

		flush(&l);
		if (!l.stdin_open && !t->processes.n)
			break;
		n = epoll_wait(t->epoll_fd, evs, WAITS, l.stop ? 0 : wait_ms(&l, images_ms));
		l.now = now_ns();
		for (int i = 0; i < n; i++)
			handle(&l, &evs[i]);
		look_at_ring(&l, false);
		ending_look_at_threads(t, l.now);
		if (t->replaced)
			intake_replaced(t);
		if (l.stdin_ready)
			read_input(&l);
		by_time(&l);
	}
	nothing = !l.stop && nothing_to_trace(&l);
	status = finish(&l);
	return nothing && status == GOTAP_EXIT_OK ? GOTAP_EXIT_FAILED : status;
}
