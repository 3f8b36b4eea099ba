// SPDX-License-Identifier: Apache-2.0
#include "tracer.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "drain.h"
#include "flight.h"
#include "intake.h"
#include "loop.h"

static int open_signals(void)
{
	sigset_t set;

	loop_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int tracer_init(struct tracer *t, const struct options *o, struct errinfo *e)
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

void tracer_release(struct tracer *t)
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
	flight_close(t->flight);
	stuck_release(&t->stuck);
	slots_release(&t->slots);
	plan_release(&t->plan);
	reaper_release(&t->reaper);
	output_release(&t->output);
	stage_release(&t->stage);
}
