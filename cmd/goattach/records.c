// SPDX-License-Identifier: Apache-2.0
#include "records.h"

#include <time.h>

#include "record.h"

static uint64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static void optional(struct jsonw *w, const char *key, const char *value)
{
	if (value)
		jsonw_cstr(w, key, value);
}

void record_skip(struct jsonw *w, const struct skip *s)
{
	jsonw_record(w, T_SKIP);
	optional(w, K_BINARY, s->binary);
	optional(w, K_PATH, s->path);
	if (s->pid)
		jsonw_int(w, K_PID, s->pid);
	if (s->probe) {
		optional(w, K_RECIPE, s->probe->recipe);
		jsonw_cstr(w, K_SPAN, s->probe->span);
		jsonw_cstr(w, K_SYMBOL, s->probe->symbol);
	}
	optional(w, K_FIELD, s->field);
	if (s->site)
		jsonw_addr(w, K_ADDR, s->site->addr);
	jsonw_cstr(w, K_REASON, s->reason);
	optional(w, K_DETAIL, s->detail);
	jsonw_end_record(w);
}

void record_attach(struct jsonw *w, const struct probe *p, int pid, const char *how, bool apart,
		   double ms)
{
	jsonw_record(w, T_ATTACH);
	jsonw_cstr(w, K_PROBE, p->id);
	jsonw_cstr(w, K_BINARY, p->binary);
	jsonw_int(w, K_PID, pid);
	optional(w, K_RECIPE, p->recipe);
	jsonw_cstr(w, K_SPAN, p->span);
	optional(w, K_KIND, p->kind);
	optional(w, K_SCOPE, p->scope);
	optional(w, K_NAME, p->name);
	jsonw_cstr(w, K_SYMBOL, p->symbol);
	jsonw_uint(w, K_COUNT, p->n_sites);
	jsonw_cstr(w, K_HOW, how);
	jsonw_cstr(w, K_REACH, apart ? "process" : "file");
	jsonw_double(w, K_MS, ms);
	jsonw_end_record(w);
}

void record_exit(struct jsonw *w, int pid, uint64_t start)
{
	jsonw_record(w, T_EXIT);
	jsonw_int(w, K_PID, pid);
	jsonw_u64(w, K_START, start);
	jsonw_end_record(w);
}

/*
 * The two clocks are read one after the other; of a few tries the one with the
 * least time in between counts, so that a preemption does not shift all spans.
 */
void record_clock(struct jsonw *w)
{
	uint64_t mono = 0, real = 0, best = UINT64_MAX;

	for (int i = 0; i < 5; i++) {
		uint64_t before = now_ns(), r = clock_ns(CLOCK_REALTIME), after = now_ns();

		if (after - before >= best)
			continue;
		best = after - before;
		mono = before + best / 2;
		real = r;
	}
	jsonw_record(w, T_CLOCK);
	jsonw_u64(w, K_MONO, mono);
	jsonw_u64(w, K_REAL, real);
	jsonw_end_record(w);
}

void record_lost(struct jsonw *w, const char *where, const char *reason, uint64_t count, int pid)
{
	jsonw_record(w, T_LOST);
	jsonw_cstr(w, K_WHERE, where);
	jsonw_cstr(w, K_REASON, reason);
	jsonw_uint(w, K_COUNT, count);
	if (pid)
		jsonw_int(w, K_PID, pid);
	jsonw_end_record(w);
}
