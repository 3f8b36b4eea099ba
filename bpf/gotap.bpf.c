// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The one program that every probe of gotap runs. What it does at a site is data:
 * the attach cookie is the number of a struct gotap_site. It reads the traced
 * process, never writes to it, and says nothing of processes that goattach did
 * not select.
 *
 * For kernels from 5.10 on (no bpf_loop, no kfuncs, no atomics that return a
 * value), attached as perf uprobes or, where the kernel has them, uprobe_multi
 * links.
 */
#include "vmlinux_min.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "calls.bpf.h"
#include "exec.bpf.h"
#include "fetch.bpf.h"
#include "gotap_abi.h"
#include "interp.bpf.h"
#include "maps.bpf.h"
#include "object.bpf.h"
#include "panic.bpf.h"
#include "regs.h"
#include "relate.bpf.h"
#include "sample.bpf.h"
#include "selfcheck.bpf.h"
#include "shed.bpf.h"
#include "site.bpf.h"
#include "task.bpf.h"
#include "traceparent.bpf.h"
#include "trust.bpf.h"
#include "who.bpf.h"

enum { EEXIST = 17 }; /* include/uapi/asm-generic/errno-base.h */

__u32 threads_made; /* read by goattach; wraps */

/*
 * The first hit of a thread: makes its scratch memory, if its process is selected.
 * What is checked here needs no check again, as goattach deletes a process's threads
 * when it ends. 1; 0 if it is not
 * selected; -1 if there is no room; -2 if it runs another program now.
 */
static __noinline int thread_new(__u64 thread)
{
	__u32 tgid = thread >> 32, first = 0;
	struct gotap_proc *p = bpf_map_lookup_elem(&procs, &tgid);
	struct scratch *s;

	if (!p || !started_at(p->start))
		return 0;
	if (!same_program(p))
		return -2;
	s = bpf_map_lookup_elem(&zero, &first);
	if (!s)
		return 0;
	bpf_map_update_elem(&threads, &thread, s, BPF_NOEXIST);
	s = bpf_map_lookup_elem(&threads, &thread);
	if (!s)
		return -1;
	__sync_fetch_and_add(&threads_made, 1);
	s->proc = p->id;
	s->tgid = tgid;
	s->image = p->image;
	s->bias = p->bias;
	s->exec_id = p->exec_id;
	return 1;
}

/*
 * A hit of a thread that there is no room for. A call is lost once: with its begin,
 * or with its end if the begin came through, on another thread.
 */
static __noinline int hit_lost(regs_t *ctx, __u32 tgid)
{
	struct gotap_proc *p = bpf_map_lookup_elem(&procs, &tgid);
	struct gotap_call_key key = {};
	struct gotap_site *site;
	struct gotap_open *top = 0;
	__u64 g = REG_G(ctx), hi = 0;
	__u32 depth, cookie;

	if (!p)
		return 0;
	cookie = site_find(ctx, p->image, p->bias);
	site = bpf_map_lookup_elem(&sites, &cookie);
	if (!site)
		return 0;
	if (site->event == GOTAP_BEGIN || site->event == GOTAP_POINT) {
		__sync_fetch_and_add(&p->count[GOTAP_LOST_THREADS], 1);
		return 0;
	}
	key.proc = p->id;
	if (!read_word(&key.goid, g + site->goid_off) && !read_word(&hi, g + site->stack_hi_off))
		top = bpf_map_lookup_elem(&calls, &key);
	depth = hi - REG_SP(ctx) + site->depth_adjust;
	if (top && (site->event == GOTAP_UNWIND || top->call.depth == depth)) {
		if (!top->call.lost)
			__sync_fetch_and_add(&p->count[GOTAP_LOST_THREADS], 1);
		if (top->call.kin)
			kin_leave(p->id, &top->call, bpf_ktime_get_ns());
		calls_pop(&key, top);
	} else if (site->event == GOTAP_END) {
		__sync_fetch_and_add(&p->count[GOTAP_SUPPRESSED], 1);
	}
	return 0;
}

/*
 * g.goid and g.stack.hi: with one read where they stand as in the versions of Go that
 * are about. It goes to the stack, see fetch().
 */
static __always_inline long g_read(const struct gotap_site *site, __u64 g, __u64 *goid, __u64 *hi)
{
	/* Words from stack.hi: Go 1.17 to 1.22 and from 1.25 on; 1.23 and 1.24. lib/offsets/std.tsv
	 */
	enum { GOID_USUAL = 18, GOID_1_23 = 19 };
	__u32 apart = site->goid_off - site->stack_hi_off;
	__u64 words[GOID_1_23 + 1];

	if (apart != 8 * GOID_USUAL && apart != 8 * GOID_1_23)
		return read_word(goid, g + site->goid_off) || read_word(hi, g + site->stack_hi_off);
	if (bpf_probe_read_user(words, sizeof(words), (const void *)(g + site->stack_hi_off)))
		return -1;
	*hi = words[0];
	*goid = apart == 8 * GOID_USUAL ? words[GOID_USUAL] : words[GOID_1_23];
	return 0;
}

/* Finds the goroutine and the depth of this call. */
static __noinline int goroutine_find(struct hit *h)
{
	const struct gotap_site *site = h->site;
	struct scratch *s = h->s;
	__u64 g = s->regs[site->g_reg & (GOTAP_REGS - 1)], goid = 0, hi = 0, depth;

#pragma unroll
	for (int i = 0; i < GOTAP_MAX_G_LOADS; i++)
		if (i < site->g_loads && read_word(&g, g + site->g_off[i]))
			return 0;
	if (!g || g_read(site, g, &goid, &hi))
		return 0;
	depth = hi - s->regs[GOTAP_REG_SP] + site->depth_adjust;
	/* Go's stacks end at 1 GB (src/runtime/proc.go, maxstacksize); on g0 SP is elsewhere. */
	if (depth >> 31) {
		if (site->event != GOTAP_UNWIND && site->event != GOTAP_CREATE)
			return 0;
		depth = 0;
	}
	s->g = g;
	s->key.goid = goid;
	h->stack_hi = s->stack_hi = hi;
	h->depth = depth;
	return goid != 0;
}

/* Runs the ops from @from to @to. */
static __always_inline void captures_run(struct hit *h, __u32 from, __u32 to)
{
	struct scratch *s = h->s;

	s->pc = from;
	s->end = to;
	if (from < to && interpret(s, h->thread))
		count(s, GOTAP_CUT);
}

/* --- begin ----------------------------------------------------------------- */

/* Whether a trace context came with the request, into s->parent, that is to be believed. */
static __noinline int remote_parent(struct scratch *s, __u64 thread)
{
	if (!traceparent_read(s)) {
		count(s, GOTAP_BAD_PARENT);
		return 0;
	}
	if (peer_trusted(s, thread))
		return 1;
	count(s, GOTAP_UNTRUSTED);
	return 0;
}

/* Ids for a call that has no open one below it: a remote parent's trace, or a new one. */
static __always_inline void begin_identify(struct scratch *s, __u64 thread)
{
	struct gotap_call *call = &s->open.call;
	__u64 *trace = (__u64 *)call->trace_id;

	*(__u64 *)call->span_id = id_new();
	if (s->traceparent_len && remote_parent(s, thread)) {
		s->ev.parent_from = GOTAP_PARENT_REMOTE;
		__builtin_memcpy(call->trace_id, s->parent.trace_id, sizeof(call->trace_id));
		__builtin_memcpy(s->ev.parent_id, s->parent.span_id, sizeof(s->ev.parent_id));
		call->flags = s->parent.flags;
	} else {
		trace[0] = id_new();
		trace[1] = id_new();
		call->flags = 0;
	}
}

/* Whether anything is said of @call. */
static __always_inline __u8 begin_lost(const struct gotap_call *call)
{
	if (unsampled_drop && !(call->flags & TRACE_FLAG_SAMPLED))
		return GOTAP_CALL_DROPPED;
	return call->flags & GOTAP_FLAG_SHED ? GOTAP_CALL_LOST : 0;
}

/* The call that is open below becomes the parent. */
static __always_inline void begin_adopt(struct scratch *s, struct gotap_call *parent)
{
	struct gotap_call *call = &s->open.call;

	if (s->nearer)
		return;
	parent->parent = 1;
	s->ev.parent_from = GOTAP_PARENT_STACK;
	call->anchor = parent->anchor;
	__builtin_memcpy(call->trace_id, parent->trace_id, sizeof(call->trace_id));
	__builtin_memcpy(s->ev.parent_id, parent->span_id, sizeof(s->ev.parent_id));
	call->flags = parent->flags;
	sample_decide(call, GOTAP_PARENT_STACK);
	call->lost = begin_lost(call);
}

/*
 * The goroutine has open calls: closes those that are no longer on the stack, and
 * opens this one on top of what is left. 0, -EEXIST if this call has begun already,
 * or another -errno if there is no room.
 */
static __always_inline long begin_nested(struct hit *h)
{
	const struct gotap_site *site = h->site;
	struct scratch *s = h->s;
	struct gotap_open *top = calls_top(s);

	if (!top)
		return bpf_map_update_elem(&calls, &s->key, &s->open, BPF_ANY);
	s->closing = (struct closing){ .deeper_than = h->depth,
				       .equal_class = site->span_class,
				       .reason = GOTAP_UNWIND_STALE };
	if (site->flags & GOTAP_SITE_REPEATS)
		s->closing.equal_class = 0;
	if (closes(&s->closing, top)) {
		calls_close(h->thread);
		top = calls_top(s);
		if (!top) {
			sample_limit(s);
			s->open.call.lost = begin_lost(&s->open.call);
			return bpf_map_update_elem(&calls, &s->key, &s->open, BPF_ANY);
		}
	}
	if (top->call.depth == h->depth && top->call.span_class == site->span_class)
		return -EEXIST;
	begin_adopt(s, &top->call);
	return calls_push(s, top);
}

/* Bytes behind the record: the values, and the trace of a link. */
static __always_inline __u64 begin_values(struct scratch *s)
{
	__u64 used = s->ev.used;

	if (s->ev.parent_from != GOTAP_PARENT_LINK)
		return used;
	AT_MOST(used, GOTAP_MAX_DATA + GOTAP_MAX_TEXT + 9);
	__builtin_memcpy(s->data + used, s->relative.trace_id, GOTAP_TRACE_ID);
	return used + GOTAP_TRACE_ID;
}

/* The parent that was found is this call's own span: nothing is said of the call. */
static __always_inline void begin_covered(struct scratch *s)
{
	__builtin_memcpy(s->open.call.span_id, s->relative.span_id, sizeof(s->open.call.span_id));
	s->open.call.flags |= TRACE_FLAG_SAMPLED; /* as that one is */
	s->open.call.lost = GOTAP_CALL_COVERED;
	s->nearer = 1;
}

static __always_inline void begin(struct hit *h)
{
	const struct gotap_site *site = h->site;
	struct scratch *s = h->s;
	struct gotap_call *call = &s->open.call;
	int first;
	long ret;

	begin_identify(s, h->thread);
	call->keep[0] = s->kept & 1 ? s->keep[0] : 0;
	call->keep[1] = s->kept & 2 ? s->keep[1] : 0;
	call->depth = h->depth;
	call->span_class = site->span_class;
	call->probe = site->probe;
	call->lost = call->kin = call->parent = 0;
	call->anchor = 0;
	s->covered = s->nearer = 0;
	s->open.count = 1;
	s->open.g = s->g;
	call->begun = s->ev.t;
	if (site->flags & GOTAP_SITE_RELATED && s->ev.parent_from == GOTAP_PARENT_NONE)
		relate(h->thread, s->ev.site);
	sample_decide(call, s->ev.parent_from);
	if (traces_per_second && !calls_top(s)) /* else begin_nested() sees to it */
		sample_limit(s);
	first = shed_decide(call);
	call->lost = begin_lost(call);
	if (s->covered)
		begin_covered(s);
	/* Nearly always there is nothing open, so that one step does it. */
	ret = bpf_map_update_elem(&calls, &s->key, &s->open, BPF_NOEXIST);
	if (ret == -EEXIST) {
		ret = begin_nested(h);
		if (ret == -EEXIST) {
			count(s, GOTAP_REPEATED);
			return;
		}
	}
	if (ret) {
		count(s, GOTAP_LOST_CALLS);
		return;
	}
	s->ev.event = GOTAP_BEGIN;
	event_set_call(&s->ev, call);
	if (site->flags & GOTAP_SITE_BY_OBJECT)
		s->ev.depth = object_depth(call);
	if (call->lost == GOTAP_CALL_COVERED)
		count(s, GOTAP_COVERED);
	else if (!(call->flags & TRACE_FLAG_SAMPLED))
		count(s, GOTAP_UNSAMPLED);
	else if (!call->lost)
		captures_run(h, site->light, site->end);
	if (call->lost == GOTAP_CALL_LOST) {
		count(s, GOTAP_SHED_CALLS);
		if (first && s->ev.parent_from != GOTAP_PARENT_STACK)
			count(s, GOTAP_SHED_TRACES);
	} else if (!call->lost && emit(s, &s->ev, begin_values(s))) {
		/* Its end would belong to nothing: leave the call open, but silent. */
		struct gotap_open *top = calls_top(s);

		if (top)
			top->call.lost = GOTAP_CALL_LOST;
	}
	if (s->own_context.second)
		context_own(h->thread, site->flags & GOTAP_SITE_RELATED);
}

/* --- end, point, unwind ------------------------------------------------------ */

static __always_inline void end(struct hit *h)
{
	struct scratch *s = h->s;

	if (s->open.call.kin)
		kin_leave(s->proc, &s->open.call, s->ev.t);
	if (s->open.call.lost) {
		suppressed(s, &s->open.call);
		return;
	}
	s->ev.event = GOTAP_END;
	event_set_call(&s->ev, &s->open.call);
	s->ev.probe = h->site->probe;
	emit(s, &s->ev, s->ev.used);
}

/* The innermost open call, whatever it is, gives the ids; keeps go to it if it is this one. */
static __always_inline void point(struct hit *h)
{
	struct scratch *s = h->s;
	struct gotap_open *top = calls_top(s);

	s->ev.event = GOTAP_POINT;
	if (top) {
		event_set_call(&s->ev, &top->call);
		if (top->call.depth == h->depth && top->call.span_class == h->site->span_class) {
			if (s->kept & 1)
				top->call.keep[0] = s->keep[0];
			if (s->kept & 2)
				top->call.keep[1] = s->keep[1];
		}
	}
	s->ev.probe = h->site->probe;
	s->ev.depth = h->depth;
	if (top && top->call.lost)
		suppressed(s, &top->call);
	else
		emit(s, &s->ev, s->ev.used);
}

static __always_inline void unwind(struct hit *h)
{
	struct scratch *s = h->s;
	struct closing *c = &s->closing;

	*c = (struct closing){ .reason = GOTAP_UNWIND_CLOSED };
	if (s->has_unwind_sp && h->stack_hi > s->unwind_sp)
		c->deeper_than = h->stack_hi - s->unwind_sp;
	if (s->goexit == 2)
		c->reason = GOTAP_UNWIND_GOEXIT;
	else if (s->goexit == 1 || s->has_unwind_sp)
		c->reason = GOTAP_UNWIND_PANIC;
	c->with_values = s->ev.present != 0;
	calls_close(h->thread);
}

/* What the call is of is done once more: it gets another id, under which it goes on. */
static __always_inline void again(struct hit *h)
{
	struct scratch *s = h->s;
	struct gotap_open *top;
	__u64 before;

	s->closing = (struct closing){ .deeper_than = h->depth, .reason = GOTAP_UNWIND_STALE };
	calls_close(h->thread);
	top = calls_top(s);
	if (!top || top->call.depth != h->depth || top->call.span_class != h->site->span_class) {
		count(s, GOTAP_UNPAIRED);
		return;
	}
	if (top->call.lost)
		return;
	before = *(__u64 *)top->call.span_id;
	if (top->call.kin)
		kin_leave(s->proc, &top->call, s->ev.t);
	top->call.kin = 0;
	*(__u64 *)top->call.span_id = id_new();
	s->ev.event = GOTAP_AGAIN;
	event_set_call(&s->ev, &top->call);
	if (emit(s, &s->ev, s->ev.used))
		*(__u64 *)top->call.span_id = before; /* then it is one call to all */
}

/* --- a hit ------------------------------------------------------------------- */

/* Prepares what the event needs before captures run. 0 if there is nothing more to do. */
static __always_inline int prepare(struct hit *h)
{
	int by_object = h->site->flags & GOTAP_SITE_BY_OBJECT;
	struct scratch *s = h->s;

	if (by_object && (h->site->event == GOTAP_END || h->site->event == GOTAP_POINT))
		return 1;
	switch (h->site->event) {
	case GOTAP_BEGIN:
		if (h->site->flags & GOTAP_SITE_RELATED && h->site->panic_off && calls_top(s))
			panic_close(h->thread, s->ev.site);
		return 1;
	case GOTAP_DETACH:
		return calls_take(h) != 0;
	case GOTAP_END:
		if (!calls_take(h)) {
			count(s, GOTAP_UNPAIRED);
			return 0;
		}
		s->regs[GOTAP_REG_KEEP0] = s->open.call.keep[0];
		s->regs[GOTAP_REG_KEEP1] = s->open.call.keep[1];
		return 1;
	case GOTAP_UNWIND:
	case GOTAP_COVER:
		return calls_top(s) != 0;
	case GOTAP_DISOWN:
		lineage_disown(s);
		return 0;
	default:
		return 1;
	}
}

static __always_inline void record_start(struct hit *h, __u64 now, __u32 cookie)
{
	struct gotap_event *ev = &h->s->ev;

	__builtin_memset(ev, 0, sizeof(*ev));
	ev->t = now;
	ev->goid = h->s->key.goid;
	ev->proc = h->s->proc;
	ev->tid = h->thread;
	ev->site = cookie;
}

static __always_inline void captures_start(struct scratch *s)
{
	captures_reset(s);
	interpret_start(s);
}

/* Whether the site counts, by the register that it goes by. */
static __always_inline int counts(const struct hit *h)
{
	__u64 n = h->s->regs[h->site->when_reg & (GOTAP_REGS - 1)];

	if (!h->site->when)
		return 1;
	if (h->site->when & GOTAP_WHEN_BYTE)
		n &= 0xff;
	return !n == !!(h->site->when & GOTAP_WHEN_ZERO);
}

/* Not inlined, like others: functions that call each other share 512 bytes of stack. */
static __noinline int finish(struct hit *h)
{
	int by_object = h->site->flags & GOTAP_SITE_BY_OBJECT;
	struct scratch *s = h->s;

	switch (h->site->event) {
	case GOTAP_BEGIN:
		if (!s->unless && (!s->own_scope || s->own_scope != h->site->traced_by))
			begin(h);
		break;
	case GOTAP_END:
		if (by_object)
			object_touch(h);
		else
			end(h);
		break;
	case GOTAP_POINT:
		if (by_object)
			object_touch(h);
		else
			point(h);
		break;
	case GOTAP_DETACH:
		object_detach(h);
		break;
	case GOTAP_CREATE:
		lineage_create(h->thread, h->site->goid_off);
		break;
	case GOTAP_COVER:
		foreign_cover(h);
		break;
	case GOTAP_AGAIN:
		again(h);
		break;
	default:
		unwind(h);
	}
	return 0;
}

SEC("uprobe")
int gotap_site_hit(regs_t *ctx)
{
	struct hit h = { .thread = current_thread() };
	__u32 cookie;
	__u64 now;

	h.s = bpf_map_lookup_elem(&threads, &h.thread);
	if (!h.s) {
		int made = thread_new(h.thread);

		if (made == -2)
			tell_replaced(ctx, h.thread >> 32);
		else if (made < 0)
			hit_lost(ctx, h.thread >> 32);
		if (made <= 0)
			return 0;
		h.s = bpf_map_lookup_elem(&threads, &h.thread);
		if (!h.s)
			return 0;
	}
	now = bpf_ktime_get_ns();
	/* Of all threads only the first one survives an exec. */
	if ((__u32)h.thread == h.thread >> 32 &&
	    h.s->exec_id != exec_id((void *)bpf_get_current_task())) {
		tell_replaced(ctx, h.thread >> 32);
		return 0;
	}
	cookie = site_find(ctx, h.s->image, h.s->bias);
	h.site = bpf_map_lookup_elem(&sites, &cookie);
	if (!h.site)
		return 0;
	regs_save(ctx, h.s->regs);
	if (!counts(&h))
		return 0;
	h.s->key.proc = h.s->proc;
	h.s->key.index = 0;
	if (!goroutine_find(&h)) {
		/* Timers create goroutines on the system stack, for nobody. */
		if (h.site->event != GOTAP_CREATE)
			count(h.s, GOTAP_NO_GOROUTINE);
		return 0;
	}
	record_start(&h, now, cookie);
	if (!prepare(&h))
		return 0;
	captures_start(h.s);
	captures_run(&h, h.site->code, h.site->light);
	return finish(&h);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
