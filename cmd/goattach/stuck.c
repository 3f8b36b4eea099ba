// SPDX-License-Identifier: Apache-2.0
#include "stuck.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "diag.h"
#include "record.h"
#include "tracer.h"
#include "waitreason.h"

#define SECOND 1000000000ULL
enum {
	LOOKS = 8, /* within the limit, and at least one in five seconds */
	BATCH = 256,
	MOST_BATCHES = 1 << 14, /* an end, should entries come faster than they are read */
	/* src/runtime/runtime2.go; the same in all versions */
	G_SYSCALL = 3,
	G_WAITING = 4,
	G_SCAN = 0x1000,
};

/* A goroutine that has not run since @since, as far as was seen. */
struct blocked {
	uint32_t proc; /* the first three members are the key */
	uint32_t switches;
	uint64_t goid;
	uint64_t since;
	bool told;
};

/* What is read of a goroutine. */
struct state {
	uint64_t goid;
	uint32_t status;
	uint8_t reason, switches;
};

static int compare(const void *a, const void *b)
{
	const struct blocked *x = a, *y = b;

	if (x->goid != y->goid)
		return x->goid < y->goid ? -1 : 1;
	if (x->proc != y->proc)
		return x->proc < y->proc ? -1 : 1;
	return (int)x->switches - (int)y->switches;
}

void stuck_start(struct stuck *s, unsigned int seconds, uint64_t now)
{
	s->limit = seconds * SECOND;
	s->every = s->limit / LOOKS < 5 * SECOND ? s->limit / LOOKS : 5 * SECOND;
	s->next = seconds ? now + s->every : UINT64_MAX;
}

void stuck_release(struct stuck *s)
{
	tdestroy(s->before, free);
	tdestroy(s->now, free);
	s->before = s->now = NULL;
}

/* Any probe of the process tells where a goroutine has what. */
static const struct probe *layout(const struct process *p)
{
	for (size_t i = 0; i < p->image->n_attached; i++)
		if (p->image->attached[i]->has_waits)
			return p->image->attached[i];
	return NULL;
}

static bool read_state(struct stuck *s, const struct process *p, const struct probe *at, uint64_t g,
		       struct state *out)
{
	struct iovec to[] = { { &out->goid, sizeof(out->goid) },
			      { &out->status, sizeof(out->status) },
			      { &out->reason, sizeof(out->reason) },
			      { &out->switches, sizeof(out->switches) } };
	const uint32_t off[] = { at->goid_off, at->status_off, at->wait_reason_off,
				 at->switches_off };
	struct iovec from[4];
	ssize_t n;

	for (int i = 0; i < 4; i++)
		/* NOLINTNEXTLINE(performance-no-int-to-ptr): of another process */
		from[i] = (struct iovec){ (void *)(uintptr_t)(g + off[i]), to[i].iov_len };
	n = process_vm_readv(p->pid, to, 4, from, 4, 0);
	if (n < 0 && errno == EPERM && !s->refused) {
		s->refused = true;
		diag(DIAG_WARNING,
		     "pid %d: --stuck: its memory may not be read: that takes CAP_SYS_PTRACE",
		     p->pid);
	}
	return n == sizeof(out->goid) + sizeof(out->status) + sizeof(out->reason) +
			    sizeof(out->switches);
}

static const char *reason_text(const struct state *g, unsigned int minor, char *number, size_t size)
{
	const char *name;

	if ((g->status & ~(uint32_t)G_SCAN) == G_SYSCALL)
		return "syscall";
	name = waitreason_name(minor, g->reason);
	if (!name)
		snprintf(number, size, "reason %u", g->reason);
	return name ? name : number;
}

static void tell(struct tracer *t, const struct process *p, const struct gotap_open *open,
		 const struct blocked *b, const char *reason, uint64_t now)
{
	const struct probe *pr = slots_probe(&t->slots, open->call.probe);
	const struct gotap_call *c = &open->call;
	struct jsonw *w = &t->stage.out;
	uint64_t ms = (now - b->since) / (SECOND / 1000);

	if (!pr)
		return;
	jsonw_record(w, T_STUCK);
	jsonw_u64(w, K_T, now);
	jsonw_int(w, K_PID, p->pid);
	jsonw_u64(w, K_GOID, b->goid);
	jsonw_cstr(w, K_SPAN, pr->span);
	jsonw_cstr(w, K_SYMBOL, pr->symbol);
	jsonw_hex(w, K_TRACE_ID, c->trace_id, sizeof(c->trace_id));
	jsonw_hex(w, K_SPAN_ID, c->span_id, sizeof(c->span_id));
	jsonw_cstr(w, K_REASON, reason);
	jsonw_uint(w, K_MS, ms);
	jsonw_end_record(w);
	diag(DIAG_WARNING, "pid %d: goroutine %llu is blocked for %llu s (%s) within %s", p->pid,
	     (unsigned long long)b->goid, (unsigned long long)(ms / 1000), reason, pr->span);
}

/* The entry for @key of this look, with what the last one knew; NULL without memory. */
static struct blocked *remember(struct stuck *s, const struct blocked *key)
{
	struct blocked *b = malloc(sizeof(*b)), **at, **old;

	if (!b)
		return NULL;
	*b = *key;
	old = tfind(key, &s->before, compare);
	if (old)
		*b = **old;
	at = tsearch(b, &s->now, compare);
	if (!at || *at != b)
		free(b);
	return at ? *at : NULL;
}

static void look_at(struct tracer *t, const struct gotap_call_key *key,
		    const struct gotap_open *open, uint64_t now)
{
	const struct process *p = process_by_id(&t->processes, key->proc);
	const struct probe *at = p ? layout(p) : NULL;
	struct stuck *s = &t->stuck;
	struct blocked *b;
	struct state g;
	uint32_t status;
	char number[24];

	if (key->index || !at || open->call.lost || now - open->call.begun < s->every ||
	    !read_state(s, p, at, open->g, &g) || g.goid != key->goid)
		return;
	status = g.status & ~(uint32_t)G_SCAN;
	if (status != G_WAITING && status != G_SYSCALL)
		return;
	b = remember(s, &(struct blocked){ key->proc, g.switches, g.goid, now, false });
	if (!b || b->told || now - b->since < s->limit)
		return;
	b->told = true;
	tell(t, p, open, b, reason_text(&g, at->go_minor, number, sizeof(number)), now);
}

static void look_at_all(struct tracer *t, uint64_t now)
{
	static struct gotap_call_key keys[BATCH];
	static struct gotap_open values[BATCH];
	uint32_t at = 0, n;
	int ret = 0;

	for (int i = 0; !ret && i < MOST_BATCHES; i++) {
		n = BATCH;
		ret = bpf_map_lookup_batch(t->kernel.calls_fd, i ? &at : NULL, &at, keys, values,
					   &n, NULL);
		for (uint32_t j = 0; (!ret || ret == -ENOENT) && j < n; j++)
			look_at(t, &keys[j], &values[j], now);
	}
}

void stuck_look(struct tracer *t, uint64_t now)
{
	struct stuck *s = &t->stuck;

	look_at_all(t, now);
	tdestroy(s->before, free);
	s->before = s->now;
	s->now = NULL;
	s->next = now + s->every;
}
