/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Calls that outlive the function that began them, and are known by the address of an
 * object from then on: a span that a program starts here and ends somewhere else, on
 * another goroutine perhaps. They are on no goroutine's stack of calls; others become
 * their children by the context that belongs to them.
 */
#ifndef GOTAP_OBJECT_BPF_H
#define GOTAP_OBJECT_BPF_H

#include "calls.bpf.h"
#include "kin.bpf.h"

/* What stands for a depth in the records of such a call, as many may begin at one depth. */
static __always_inline __u32 object_depth(const struct gotap_call *c)
{
	return *(const __u32 *)c->span_id & 0x7fffffff;
}

static __always_inline void object_record(struct scratch *s, const struct gotap_object *o,
					  const struct gotap_site *site)
{
	event_set_call(&s->ev, &o->call);
	s->ev.depth = object_depth(&o->call);
	s->ev.goid = o->goid;
	s->ev.probe = site->probe;
}

static __always_inline long object_put(struct scratch *s, __u64 address)
{
	struct gotap_object_key key = { .proc = s->proc, .address = address };

	return address ? bpf_map_update_elem(&objects, &key, &s->made, BPF_ANY) : 0;
}

/*
 * The function that has begun s->open.call returns: from here on the call is s->object
 * (and s->object2, which is another copy), and has the context s->own_context.
 */
static __noinline int object_detach(struct hit *h)
{
	struct scratch *s = h->s;
	struct gotap_call *c = &s->made.call;

	if (!s->object)
		return 0;
	*c = s->open.call;
	if (s->own_context.second && !context_mark(s->own_context.second, &s->relative.mark)) {
		__builtin_memcpy(s->relative.trace_id, c->trace_id, sizeof(c->trace_id));
		__builtin_memcpy(s->relative.span_id, c->span_id, sizeof(c->span_id));
		s->relative.flags = c->flags | GOTAP_FLAG_OBJECT;
		s->relative.proc = s->proc;
		s->relative.ended = 0;
		s->relative.key = c->context = s->own_context.second;
		if (kin_add(h->thread))
			c->kin |= GOTAP_KIN_CONTEXT;
	}
	s->made.goid = s->key.goid;
	s->made.other = s->object2;
	if (object_put(s, s->object))
		count(s, GOTAP_LOST_CALLS);
	s->made.other = s->object;
	if (s->object2 != s->object && object_put(s, s->object2))
		count(s, GOTAP_LOST_CALLS);
	return 0;
}

/* The call that s->object is ends, or something is read of it. It may be none that is known. */
static __noinline int object_touch(struct hit *h)
{
	struct scratch *s = h->s;
	struct gotap_object_key key = { .proc = s->proc, .address = s->object };
	struct gotap_object *o = bpf_map_lookup_elem(&objects, &key);

	if (!o)
		return 0;
	object_record(s, o, h->site);
	s->ev.event = h->site->event;
	if (o->call.lost)
		suppressed(s, &o->call);
	else if (h->site->event == GOTAP_END || o->call.flags & GOTAP_FLAG_SAMPLED)
		emit(s, &s->ev, s->ev.used);
	if (h->site->event != GOTAP_END)
		return 0;
	if (o->call.kin)
		kin_leave(s->proc, &o->call, s->ev.t);
	s->object2 = o->other;
	bpf_map_delete_elem(&objects, &key);
	key.address = s->object2;
	if (key.address)
		bpf_map_delete_elem(&objects, &key);
	return 0;
}

#endif
