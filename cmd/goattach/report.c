// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <bpf/bpf.h>
#include <string.h>

#include "fill.h"
#include "record.h"
#include "records.h"

static const struct {
	enum gotap_count count;
	const char *where, *reason;
} losses[] = {
	{ GOTAP_LOST_RING, "ring", "full" },	    { GOTAP_LOST_CALLS, "open-calls", "limit" },
	{ GOTAP_LOST_THREADS, "threads", "limit" }, { GOTAP_LOST_EXEC, "exec", "late" },
	{ GOTAP_SHED_CALLS, "ring", "shed" },	    { GOTAP_LOST_LINEAGE, "goroutines", "limit" },
	{ GOTAP_LOST_KIN, "relatives", "limit" },
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

static uint64_t maps_kib(const struct kernel *k)
{
	const int fds[] = { k->procs_fd,   k->sites_fd,	   k->code_fd,	 k->lookups_fd,
			    k->calls_fd,   k->threads_fd,  k->ring_fd,	 k->addresses_fd,
			    k->lineage_fd, k->contexts_fd, k->panics_fd, k->kin_fd,
			    k->foreign_fd, k->objects_fd };
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		sum += fill_kib(fds[i]);
	return sum;
}

static void write_stats(struct tracer *t)
{
	const struct totals *n = &t->totals;
	struct kernel *k = &t->kernel;
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
		{ "again", n->events[GOTAP_AGAIN] },
		{ "lost", n->kernel[GOTAP_LOST_RING] + n->kernel[GOTAP_LOST_CALLS] +
				  n->kernel[GOTAP_LOST_THREADS] + n->kernel[GOTAP_LOST_EXEC] +
				  n->kernel[GOTAP_SHED_CALLS] },
		{ "shed", n->kernel[GOTAP_SHED_CALLS] },
		{ "shed_traces", n->kernel[GOTAP_SHED_TRACES] },
		{ "forgotten", n->forgotten },
		{ "lost_parents", n->kernel[GOTAP_LOST_LINEAGE] + n->kernel[GOTAP_LOST_KIN] },
		{ "unpaired", n->kernel[GOTAP_UNPAIRED] },
		{ "suppressed", n->kernel[GOTAP_SUPPRESSED] },
		{ "covered", n->kernel[GOTAP_COVERED] },
		{ "repeated", n->kernel[GOTAP_REPEATED] },
		{ "no_goroutine", n->kernel[GOTAP_NO_GOROUTINE] },
		{ "cut", n->kernel[GOTAP_CUT] },
		{ "unsampled", n->kernel[GOTAP_UNSAMPLED] },
		{ "over_rate", n->kernel[GOTAP_OVER_RATE] },
		{ "bad_traceparent", n->kernel[GOTAP_BAD_PARENT] },
		{ "untrusted", n->kernel[GOTAP_UNTRUSTED] },
		{ "unknown", n->unknown },
		{ "processes_now", t->processes.n },
		{ "objects_now", fill_entries(k->objects_fd) },
		{ "calls_now", fill_entries(k->calls_fd) },
		{ "threads_now", fill_entries(k->threads_fd) },
		{ "goroutines_now", fill_entries(k->lineage_fd) },
		{ "ring_peak", kernel_ring_most(k) },
		{ "maps_kib", maps_kib(k) },
		{ "cpu_ms", self_cpu_ms() },
		{ "rss_kib", self_rss_kib() },
	};
	struct jsonw *w = &t->stage.out;

	jsonw_record(w, T_STATS);
	jsonw_cstr(w, K_FROM, "goattach");
	jsonw_obj(w, K_COUNTERS);
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		jsonw_uint(w, counters[i].name, counters[i].n);
	jsonw_end_obj(w);
	jsonw_end_record(w);
}

void report_stats(struct tracer *t)
{
	if (!memcmp(&t->totals, &t->reported, sizeof(t->totals)))
		return;
	t->reported = t->totals;
	write_stats(t);
}
