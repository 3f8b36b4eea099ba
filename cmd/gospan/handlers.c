// SPDX-License-Identifier: Apache-2.0
#include "handlers.h"

#include <errno.h>

#include "diag.h"
#include "exits.h"
#include "record.h"

/* When nothing comes for so long, it is said how things are. */
#define IDLE_MS 1000

static int on_event(struct stage *s, const struct record *r, void *ctx)
{
	struct pairing *p = ctx;
	bool undated = p->undated;
	struct event ev;
	int ret = event_read(r->root, &ev, &s->error);

	if (ret)
		return ret;
	if (ev.kind == EVENT_UNKNOWN)
		return STAGE_COPY;
	ret = pairing_event(p, &ev);
	if (p->undated && !undated)
		diag(DIAG_ERROR,
		     "%s:%lu: no clock record before this, so its span has no time; such spans "
		     "are dropped and counted",
		     s->input_name, s->in.line);
	return ret ? ret : STAGE_TAKEN;
}

/* A time, counter or start that the record type needs. */
static int need(struct stage *s, const struct record *r, const char *type, const char *key,
		uint64_t *out)
{
	if (!jsonv_u64(jsonv_member(r->root, key), out))
		return 0;
	return errinfo_set(&s->error, -EINVAL, "%s: no usable \"%s\"", type, key);
}

static int need_pid(struct stage *s, const struct record *r, const char *type, uint32_t *pid)
{
	uint64_t n;
	int ret = need(s, r, type, K_PID, &n);

	if (!ret && n > UINT32_MAX)
		ret = errinfo_set(&s->error, -EINVAL, "%s: \"%s\" is too large", type, K_PID);
	*pid = ret ? 0 : (uint32_t)n;
	return ret;
}

static int on_clock(struct stage *s, const struct record *r, void *ctx)
{
	uint64_t mono, real;
	int ret = need(s, r, T_CLOCK, K_MONO, &mono);

	if (!ret)
		ret = need(s, r, T_CLOCK, K_REAL, &real);
	if (ret)
		return ret;
	pairing_clock(ctx, mono, real);
	return STAGE_COPY;
}

static int on_process(struct stage *s, const struct record *r, void *ctx)
{
	uint32_t pid;
	uint64_t start;
	int ret = need_pid(s, r, T_PROCESS, &pid);

	if (!ret)
		ret = need(s, r, T_PROCESS, K_START, &start);
	if (!ret)
		ret = pairing_process(ctx, pid, start);
	return ret ? ret : STAGE_COPY;
}

static int on_exit_record(struct stage *s, const struct record *r, void *ctx)
{
	uint32_t pid;
	uint64_t start;
	int ret = need_pid(s, r, T_EXIT, &pid);

	if (ret)
		return ret;
	if (jsonv_u64(jsonv_member(r->root, K_START), &start))
		pairing_exit(ctx, pid, NULL);
	else
		pairing_exit(ctx, pid, &start);
	return STAGE_COPY;
}

static int on_attach(struct stage *s, const struct record *r, void *ctx)
{
	struct pairing *p = ctx;
	int ret = probes_learn(&p->probes, r->doc, r->root);

	if (ret == -EINVAL)
		return errinfo_set(&s->error, ret, "attach: no usable \"%s\"", K_PROBE);
	if (ret == -E2BIG)
		p->counts.lost[LOST_PROBES]++;
	return ret == -ENOMEM ? ret : STAGE_COPY;
}

const struct stage_handler span_handlers[] = {
	{ T_EVENT, on_event },	    { T_CLOCK, on_clock },   { T_PROCESS, on_process },
	{ T_EXIT, on_exit_record }, { T_ATTACH, on_attach }, { NULL, NULL },
};

int handlers_run(struct stage *s, struct pairing *p)
{
	int ret, status;

	do {
		ret = stage_step(s, pairing_waits(p) ? IDLE_MS : -1);
		if (ret == JSONL_AGAIN)
			pairing_idle(p);
	} while (ret > 0);
	pairing_finish(p);
	status = stage_finish(s, ret);
	if (status == GOTAP_EXIT_OK && p->undated)
		status = GOTAP_EXIT_FAILED;
	return status;
}
