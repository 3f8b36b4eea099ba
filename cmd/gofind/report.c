// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <unistd.h>

#include "diag.h"
#include "procfs.h"

/* The errors for a process that was named with --pid. */
static void report_named(struct report *r, const struct target *t, enum verdict v)
{
	switch (v) {
	case TARGET_GONE:
	case TARGET_UNSETTLED:
		diag(DIAG_ERROR, "pid %d: no such process", t->pid);
		break;
	case TARGET_UNREADABLE:
		diag(DIAG_ERROR, "pid %d: not permitted to read this process (run as root)",
		     t->pid);
		break;
	case TARGET_THREAD:
		diag(DIAG_ERROR, "pid %d: not a process but a thread of process %s", t->pid,
		     t->why);
		break;
	case TARGET_KERNEL:
		diag(DIAG_ERROR, "pid %d: a kernel thread", t->pid);
		break;
	case TARGET_NOT_GO:
		diag(DIAG_ERROR, "pid %d: %s: not a Go program: %s", t->pid, t->exe, t->why);
		break;
	default:
		return;
	}
	r->failed++;
}

void report_verdict(struct report *r, const struct looker *l, const struct target *t,
		    enum verdict v)
{
	if (v == TARGET_SELECTED) {
		r->selected++;
		for (size_t i = 0; i < t->n_ports; i++)
			ports_set(&r->claimed, t->ports[i]);
	} else if (v == TARGET_BROKEN) {
		diag(DIAG_WARNING, "pid %d: %s: %s", t->pid, t->exe, t->why);
		r->failed += l->sel->n_pids != 0;
	} else if (v == TARGET_COLLECTOR) {
		diag(DIAG_NOTE,
		     "pid %d: %s is a telemetry collector (%s), left out; select it by name if you want it",
		     t->pid, t->exe, *t->bin->module ? t->bin->module : t->bin->package);
	} else if (l->sel->n_pids) {
		report_named(r, t, v);
	} else if (v == TARGET_UNREADABLE) {
		r->unreadable++;
	}
}

void report_end(struct report *r, struct looker *l)
{
	int self = procfs_open(getpid());

	if (!r->unreadable)
		goto out;
	for (unsigned port = 1; l->sel->ports.any && self >= 0 && port <= 65535; port++) {
		if (!ports_has(&l->sel->ports, (uint16_t)port) ||
		    ports_has(&r->claimed, (uint16_t)port) ||
		    !listeners_has(&l->listeners, self, (uint16_t)port))
			continue;
		diag(DIAG_ERROR, "port %u: not held by a Go program that is readable (run as root)",
		     port);
		r->failed++;
	}
	diag(DIAG_NOTE,
	     r->unreadable == 1 ? "1 process is not readable (run as root)"
				: "%u processes are not readable (run as root)",
	     r->unreadable);
out:
	if (self >= 0)
		close(self);
}
