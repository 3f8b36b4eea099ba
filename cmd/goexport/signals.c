// SPDX-License-Identifier: Apache-2.0
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "stage.h"

static volatile sig_atomic_t stopped, interrupted;
static int empty_fd = -1; /* /dev/null */
static sigset_t before;

void signals_reserve_std(void)
{
	static const int modes[] = { O_WRONLY, O_RDONLY, O_WRONLY };

	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) < 0)
			return;
}

/*
 * The input becomes empty: what was read is still handled, and a poll(2) that
 * begins just after the signal returns at once, where a flag would be missed.
 */
static void on_term(int sig)
{
	int saved = errno;

	(void)sig;
	stopped = 1;
	dup2(empty_fd, STDIN_FILENO);
	errno = saved;
}

void signals_setup(void)
{
	struct sigaction sa = { .sa_handler = on_term, .sa_flags = (int)SA_RESETHAND };

	empty_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	signal(SIGPIPE, SIG_IGN);
	stage_ignore_sigint();
	sigaction(SIGTERM, &sa, NULL);
}

void signals_flushing(void)
{
	signal(SIGINT, SIG_DFL);
}

int signals_stopped(void)
{
	return stopped;
}

static void on_interrupt(int sig)
{
	(void)sig;
	interrupted = 1;
}

void signals_note_interrupt(void)
{
	struct sigaction sa = { .sa_handler = on_interrupt, .sa_flags = SA_RESTART };

	sigaction(SIGINT, &sa, NULL);
}

void signals_end(void)
{
	tgkill(getpid(), getpid(), SIGTERM);
}

int signals_asked_to_end(void)
{
	return stopped || interrupted;
}

void signals_wait(void)
{
	struct sigaction sa = { .sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND };
	sigset_t both, old;

	sigemptyset(&both);
	sigaddset(&both, SIGINT);
	sigaddset(&both, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &both, &old);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	while (!signals_asked_to_end())
		sigsuspend(&old);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void signals_block(void)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
}

void signals_unblock(void)
{
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int signals_free_thread(pthread_t *t, void *(*fn)(void *), void *arg)
{
	int err;

	signals_block();
	err = pthread_create(t, NULL, fn, arg);
	signals_unblock();
	return -err;
}
