// SPDX-License-Identifier: Apache-2.0
/* goattach: traces running Go programs by a plan. See goattach(1). */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "diag.h"
#include "drain.h"
#include "exits.h"
#include "intake.h"
#include "loop.h"
#include "mapguard.h"
#include "options.h"
#include "tracer.h"

/* A closed descriptor would be the next file that is opened, and written to. */
static bool standard_streams(void)
{
	static const char *const names[] = { "stdin", "stdout" };

	for (int fd = 0; fd < 2; fd++)
		if (fcntl(fd, F_GETFD) < 0) {
			diag(DIAG_ERROR, "%s: %s", names[fd], strerror(errno));
			return false;
		}
	return true;
}

static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int tracer_init(struct tracer *t, const struct options *o, struct errinfo *e)
{
	int ret;

	t->options = o;
	t->epoll_fd = -1;
	stage_init(&t->stage, intake_handlers, t);
	t->stage.strict = o->strict;
	t->stage.out.fd = -1; /* in memory: output.c writes it */
	plan_init(&t->plan);
	t->signal_fd = open_signals();
	output_init(&t->output, t->signal_fd);
	ret = reaper_init(&t->reaper);
	if (!ret)
		ret = slots_init(&t->slots, &t->kernel, &o->kernel);
	if (ret)
		return errinfo_set(e, ret, "%s", strerror(-ret));
	ret = drain_init(t, e);
	return ret ? ret : loop_init(t, e);
}

static void tracer_release(struct tracer *t)
{
	loop_release(t);
	drain_release(t);
	for (size_t i = 0; i < PROCESS_BUCKETS; i++)
		while (t->processes.by_id[i]) {
			struct process *p = t->processes.by_id[i];

			process_remove(&t->processes, p);
			process_free(p);
		}
	while (t->images) {
		struct image *im = t->images;

		t->images = im->next;
		fdset_close(&im->links);
		image_free(im);
	}
	slots_release(&t->slots);
	plan_release(&t->plan);
	reaper_release(&t->reaper);
	output_release(&t->output);
	stage_release(&t->stage);
}

int main(int argc, char **argv)
{
	static struct tracer t;
	struct options o;
	struct errinfo e;
	int status;

	diag_init("goattach");
	status = options_parse(argc, argv, &o);
	if (status < 0)
		status = stage_check_stdin() ? GOTAP_EXIT_USAGE : -1;
	if (status >= 0)
		return status;
	if (!standard_streams())
		return GOTAP_EXIT_FAILED;
	mapguard_init();
	if (kernel_open(&t.kernel, &o.kernel, &e)) {
		diag(DIAG_ERROR, "%s", e.text);
		return GOTAP_EXIT_CANNOT;
	}
	if (tracer_init(&t, &o, &e)) {
		diag(DIAG_ERROR, "%s", e.text);
		status = GOTAP_EXIT_FAILED;
	} else {
		status = loop_run(&t);
	}
	tracer_release(&t);
	kernel_close(&t.kernel);
	return status;
}
