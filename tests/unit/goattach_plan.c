// SPDX-License-Identifier: Apache-2.0
/* What is remembered: probes by binary, processes by id and by pid. */
#include "../../cmd/goattach/plan.h"
#include "../../cmd/goattach/process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tap.h"

static struct probe *make(const char *id, const char *binary, const char *span)
{
	struct probe *p = calloc(1, sizeof(*p));

	p->id = strdup(id);
	p->binary = strdup(binary);
	p->span = strdup(span);
	return p;
}

static void plans(void)
{
	struct plan plan;
	char id[32];
	int missing = 0;

	plan_init(&plan);
	ok(!plan_add(&plan, make("1", "a", "http.server")), "a probe");
	ok(plan_add(&plan, make("1", "a", "http.server")) == -EEXIST, "is taken once");
	ok(!plan_add(&plan, make("1", "b", "http.server")), "another binary may have it too");
	ok(!plan_add(&plan, make("2", "a", "function")), "a second one");
	ok(plan_binary(&plan, "a")->n == 2 && plan_binary(&plan, "b")->n == 1, "each has its own");
	ok(!plan_binary(&plan, "c"), "an unknown binary has none");
	ok(plan_binary(&plan, "a")->probes[0]->span_class ==
		   plan_binary(&plan, "b")->probes[0]->span_class,
	   "one span, one class");
	ok(plan_binary(&plan, "a")->probes[0]->span_class !=
		   plan_binary(&plan, "a")->probes[1]->span_class,
	   "two spans, two classes");
	ok(plan_binary(&plan, "a")->probes[0]->span_class != 0, "none is 0");
	for (int i = 0; i < 1000; i++) {
		snprintf(id, sizeof(id), "binary-%d", i);
		plan_add(&plan, make("1", id, "x"));
	}
	for (int i = 0; i < 1000; i++) {
		snprintf(id, sizeof(id), "binary-%d", i);
		missing += !plan_binary(&plan, id);
	}
	is_int(missing, 0, "a thousand binaries are found again");
	plan_release(&plan);
}

static void processes(void)
{
	static struct processes ps;
	struct process *all[600], *p;
	int wrong = 0;

	for (int i = 0; i < 600; i++) {
		all[i] = calloc(1, sizeof(**all));
		all[i]->pid = 1000 + i;
		all[i]->pidfd = -1;
		process_add(&ps, all[i]);
	}
	for (int i = 0; i < 600; i++)
		wrong += process_by_pid(&ps, 1000 + i) != all[i] ||
			 process_by_id(&ps, all[i]->id) != all[i];
	is_int(wrong, 0, "600 processes are found by pid and by id");
	for (int i = 0; i < 600; i += 2)
		process_remove(&ps, all[i]);
	for (int i = 0; i < 600; i++)
		wrong += process_by_pid(&ps, 1000 + i) != (i % 2 ? all[i] : NULL) ||
			 process_by_id(&ps, all[i]->id) != (i % 2 ? all[i] : NULL);
	is_int(wrong, 0, "half of them removed");
	is_int((long long)ps.n, 300, "and counted");
	process_remove(&ps, all[0]);
	is_int((long long)ps.n, 300, "removing one twice does nothing");
	p = calloc(1, sizeof(*p));
	p->pid = 1000;
	p->pidfd = -1;
	process_add(&ps, p);
	ok(p->id > all[599]->id, "an id is never used twice");
	for (int i = 1; i < 600; i += 2)
		process_remove(&ps, all[i]);
	process_remove(&ps, p);
	process_free(p);
	for (int i = 0; i < 600; i++)
		process_free(all[i]);
}

static void opened(void)
{
	struct process *p;
	struct errinfo e;

	ok(process_open(getpid(), 1, &p, &e) == -ESRCH && !p,
	   "another start time: another process");
	is(e.text, "it has ended", "which is said");
	ok(process_open(0x7ffffff0, 1, &p, &e) < 0 && !p, "no such process");
}

int main(void)
{
	plans();
	processes();
	opened();
	return done();
}
