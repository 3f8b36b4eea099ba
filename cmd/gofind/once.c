// SPDX-License-Identifier: Apache-2.0
#include "once.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diag.h"
#include "emit.h"
#include "exits.h"
#include "procfs.h"
#include "report.h"

/* How long to wait for processes that are just being started, in milliseconds. */
#define WAIT_MS 100

struct once {
	struct looker *l;
	struct jsonw *out;
	struct report report;
	int *unsettled;
	size_t n_unsettled;
	bool last; /* what is unsettled now stays so */
};

static int keep_unsettled(struct once *o, int pid)
{
	int *v = realloc(o->unsettled, (o->n_unsettled + 1) * sizeof(*v));

	if (!v)
		return -ENOMEM;
	o->unsettled = v;
	o->unsettled[o->n_unsettled++] = pid;
	return 0;
}

static int look_at(int pid, void *arg)
{
	struct once *o = arg;
	enum verdict v;
	struct target t;
	int ret = target_look(o->l, pid, &t, &v);

	if (!ret && v == TARGET_UNSETTLED && !o->last) {
		ret = keep_unsettled(o, pid);
	} else if (!ret) {
		if (v == TARGET_SELECTED)
			ret = emit_process(o->out, &t);
		report_verdict(&o->report, o->l, &t, v);
	}
	target_release(&t);
	return ret;
}

static int look_again(struct once *o)
{
	size_t n = o->n_unsettled;
	int ret = 0, *pids = o->unsettled;

	o->unsettled = NULL;
	o->n_unsettled = 0;
	for (size_t i = 0; i < n && !ret; i++)
		ret = look_at(pids[i], o);
	free(pids);
	return ret;
}

static int look_at_all(struct once *o)
{
	const struct selection *sel = o->l->sel;
	int64_t end = now_ms() + WAIT_MS;
	int ret = 0;

	for (size_t i = 0; i < sel->n_pids && !ret; i++)
		ret = look_at(sel->pids[i], o);
	if (!sel->n_pids)
		ret = procfs_each(look_at, o);
	while (!ret && o->n_unsettled) {
		usleep(5000);
		o->last = now_ms() >= end;
		listeners_forget(&o->l->listeners);
		ret = look_again(o);
	}
	return ret;
}

int once_run(struct looker *l, struct jsonw *out)
{
	struct once o = { .l = l, .out = out };
	int ret = look_at_all(&o);

	free(o.unsettled);
	if (!ret)
		ret = report_end(&o.report, l);
	if (ret) {
		diag(DIAG_ERROR, "%s: %s", out->err ? "stdout" : "/proc", strerror(-ret));
		return GOTAP_EXIT_FAILED;
	}
	if (!o.report.selected && !o.report.failed)
		diag(DIAG_ERROR, "no running Go program matches");
	return o.report.selected && !o.report.failed ? GOTAP_EXIT_OK : GOTAP_EXIT_FAILED;
}
