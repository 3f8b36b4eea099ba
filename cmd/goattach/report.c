// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <bpf/bpf.h>
#include <string.h>

#include "record.h"
#include "records.h"

static const struct {
	enum gotap_count count;
	const char *where, *reason;
} losses[] = {
	{ GOTAP_LOST_RING, "ring", "full" },	       { GOTAP_LOST_CALLS, "open-calls", "limit" },
	{ GOTAP_LOST_THREADS, "threads", "limit" },    { GOTAP_LOST_EXEC, "exec", "late" },
	{ GOTAP_LOST_LINEAGE, "goroutines", "limit" }, { GOTAP_LOST_KIN, "relatives", "limit" },
};

void report_process(struct tracer *t, struct process *p)
{
	struct gotap_proc now;
	__u32 tgid = (__u32)p->pid;

	if (bpf_map_lookup_elem(t->kernel.procs_fd, &tgid, &now) || now.id != p->id)
		return;
	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		uint64_t n = now.count[losses[i].count] - p->reported[losses[i].count];

		if (n)
			record_lost(&t->stage.out, losses[i].where, losses[i].reason, n, p->pid);
	}
	for (int i = 0; i < GOTAP_COUNTS; i++) {
		t->totals.kernel[i] += now.count[i] - p->reported[i];
		p->reported[i] = now.count[i];
	}
}

void report_losses(struct tracer *t)
{
	t->activity = false;
	for (size_t i = 0; i < PROCESS_BUCKETS; i++)
		for (struct process *p = t->processes.by_id[i]; p; p = p->next)
			report_process(t, p);
}

void report_stats(struct tracer *t)
{
	const struct totals *n = &t->totals;
	const struct {
		const char *name;
		uint64_t n;
	} counters[] = {
		{ "processes", n->processes },
		{ "probes", n->probes },
		{ "begin", n->events[GOTAP_BEGIN] },
		{ "end", n->events[GOTAP_END] },
		{ "unwind", n->events[GOTAP_UNWIND] },
		{ "point", n->events[GOTAP_POINT] },
		{ "lost", n->kernel[GOTAP_LOST_RING] + n->kernel[GOTAP_LOST_CALLS] +
				  n->kernel[GOTAP_LOST_THREADS] + n->kernel[GOTAP_LOST_EXEC] },
		{ "lost_parents", n->kernel[GOTAP_LOST_LINEAGE] + n->kernel[GOTAP_LOST_KIN] },
		{ "unpaired", n->kernel[GOTAP_UNPAIRED] },
		{ "suppressed", n->kernel[GOTAP_SUPPRESSED] },
		{ "repeated", n->kernel[GOTAP_REPEATED] },
		{ "no_goroutine", n->kernel[GOTAP_NO_GOROUTINE] },
		{ "cut", n->kernel[GOTAP_CUT] },
		{ "unknown", n->unknown },
	};
	struct jsonw *w = &t->stage.out;

	if (!memcmp(&t->totals, &t->reported, sizeof(t->totals)))
		return;
	t->reported = t->totals;
	jsonw_record(w, T_STATS);
	jsonw_cstr(w, K_FROM, "goattach");
	jsonw_obj(w, K_COUNTERS);
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		jsonw_uint(w, counters[i].name, counters[i].n);
	jsonw_end_obj(w);
	jsonw_end_record(w);
}
