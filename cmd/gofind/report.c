// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "diag.h"
#include "procfs.h"

static bool is_root(void)
{
	return geteuid() == 0;
}

/* What can be done about a process that may not be read. */
static const char *advice(void)
{
	return is_root() ? "not permitted, even for root" : "run as root";
}

/* The errors for a process that was named with --pid. */
static void report_named(struct report *r, const struct target *t, enum verdict v)
{
	switch (v) {
	case TARGET_GONE:
	case TARGET_UNSETTLED:
		diag(DIAG_ERROR, "pid %d: no such process", t->pid);
		break;
	case TARGET_UNREADABLE:
		diag(DIAG_ERROR, "pid %d: this process is not readable (%s)", t->pid, advice());
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

/* Nobody can tell what is in a packed program; who did not ask for it is not told. */
static void report_packed(struct report *r, const struct selection *sel, const struct target *t)
{
	enum diag_level level = sel->exe.n || sel->ports.any ? DIAG_WARNING : DIAG_DEBUG;

	diag(sel->n_pids ? DIAG_ERROR : level,
	     "pid %d: %s: cannot be traced: %s; unpack it with upx -d, or do not pack it", t->pid,
	     t->exe, t->why);
	r->failed += sel->n_pids != 0;
}

static void report_selected(struct report *r, const struct selection *sel, const struct target *t)
{
	r->selected++;
	for (size_t i = 0; i < t->n_ports; i++)
		ports_set(&r->claimed, t->ports[i]);
	if (t->bin->obscured)
		diag(selection_names(sel) ? DIAG_WARNING : DIAG_DEBUG,
		     "pid %d: %s: cannot be traced: its names and tables are obfuscated, as garble "
		     "does it; build without garble",
		     t->pid, t->exe);
}

void report_verdict(struct report *r, const struct looker *l, const struct target *t,
		    enum verdict v)
{
	if (v == TARGET_SELECTED) {
		report_selected(r, l->sel, t);
	} else if (v == TARGET_PACKED) {
		report_packed(r, l->sel, t);
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

/* The wanted ports on which somebody listens, here, but no process in @claimed. */
static void unclaimed(struct looker *l, const struct ports *claimed, struct ports *out)
{
	int self = procfs_open(getpid());

	for (unsigned port = 1; self >= 0 && port <= 65535; port++)
		if (ports_has(&l->sel->ports, (uint16_t)port) &&
		    !ports_has(claimed, (uint16_t)port) &&
		    listeners_has(&l->listeners, self, (uint16_t)port))
			ports_set(out, (uint16_t)port);
	if (self >= 0)
		close(self);
}

struct claim {
	struct listeners *listeners;
	struct ports *claimed;
};

/* Adds the ports of any process that may be read, selected or not. */
static int claim_ports(int pid, void *arg)
{
	struct claim *c = arg;
	int ret, dir = procfs_open(pid);
	uint16_t *ports = NULL;
	size_t n = 0;

	ret = dir < 0 ? dir : listeners_of(c->listeners, dir, &ports, &n);
	for (size_t i = 0; i < n; i++)
		ports_set(c->claimed, ports[i]);
	free(ports);
	if (dir >= 0)
		close(dir);
	return ret == -ENOMEM ? ret : 0;
}

/*
 * An error for each wanted port whose holder cannot be told. One that a readable
 * process holds is no riddle: that process is just not selected.
 */
static int report_ports(struct report *r, struct looker *l)
{
	struct claim claim = { &l->listeners, &r->claimed };
	struct ports left = { 0 }, unknown = { 0 };
	int ret;

	unclaimed(l, &r->claimed, &left);
	if (!left.any)
		return 0;
	ret = procfs_each(claim_ports, &claim);
	if (ret)
		return ret;
	unclaimed(l, &r->claimed, &unknown);
	for (unsigned port = 1; unknown.any && port <= 65535; port++) {
		if (!ports_has(&unknown, (uint16_t)port))
			continue;
		diag(DIAG_ERROR, "port %u: held by no process that is readable (%s)", port,
		     advice());
		r->failed++;
	}
	return 0;
}

int report_end(struct report *r, struct looker *l)
{
	bool wide = l->sel->all || l->sel->ports.any;
	int ret = 0;

	if (!r->unreadable)
		return 0;
	if (l->sel->ports.any)
		ret = report_ports(r, l);
	/* It matters where what was looked for may be among them. */
	diag(!r->selected || (wide && !is_root()) ? DIAG_NOTE : DIAG_DEBUG,
	     r->unreadable == 1 ? "%u process is not readable (%s)"
				: "%u processes are not readable (%s)",
	     r->unreadable, advice());
	return ret;
}
