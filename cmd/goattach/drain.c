// SPDX-License-Identifier: Apache-2.0
#include "drain.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "event.h"
#include "flight.h"

static int on_record(void *ctx, void *data, size_t size)
{
	const struct gotap_event *ev = data;
	const struct program *pr = NULL;
	const struct site *site = NULL;
	struct event_from from;
	struct tracer *t = ctx;
	struct probe *p, *at;
	struct process *proc;

	if (size < sizeof(*ev))
		return 0;
	proc = process_by_id(&t->processes, ev->proc);
	if (ev->event == GOTAP_REPLACED) {
		t->replaced += proc && !proc->replaced;
		if (proc)
			proc->replaced = true;
		return 0;
	}
	p = slots_probe(&t->slots, ev->probe);
	at = slots_site(&t->slots, ev->site, &site);
	if (!proc || !p || !at) {
		t->totals.unknown++;
		return 0;
	}
	if (site->program != NO_PROGRAM)
		pr = &at->programs[site->program];
	t->totals.events[ev->event & 15]++;
	from = (struct event_from){ proc->pid, proc->bias, proc->image->types };
	if (t->flight)
		flight_note(t->flight, ev, proc->pid, p);
	event_write(&t->stage.out, ev, size, &from, p, at, pr);
	if (t->stage.out.mark < JSONW_FLUSH)
		return 0;
	t->failed = output_flush(&t->output, &t->stage.out);
	return t->failed;
}

int drain_init(struct tracer *t, struct errinfo *e)
{
	t->ring = ring_buffer__new(t->kernel.ring_fd, on_record, t, NULL);
	return t->ring ? 0 : errinfo_set(e, -errno, "ring buffer: %s", strerror(errno));
}

void drain_release(struct tracer *t)
{
	ring_buffer__free(t->ring);
	t->ring = NULL;
}

size_t drain(struct tracer *t)
{
	int n;

	if (t->failed)
		return 0;
	kernel_reader_drains(&t->kernel);
	n = ring_buffer__consume(t->ring);
	if (n > 0)
		t->activity = true;
	if (t->flight && n > 0)
		flight_flush(t->flight);
	return n > 0 ? (size_t)n : 0;
}

void drain_all(struct tracer *t)
{
	/* Other processes may go on faster than we read. */
	for (int i = 0; i < 16 && drain(t); i++)
		;
}
