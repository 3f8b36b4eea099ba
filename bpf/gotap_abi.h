/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the BPF program and goattach share: the values of the maps and the record
 * in the ring. Both are built together and never mixed, so there is no version.
 * Fixed-width members only, no hidden padding, enums append only; the BPF side
 * sets every member of a record.
 */
#ifndef GOTAP_ABI_H
#define GOTAP_ABI_H

#ifdef __bpf__
#include "vmlinux_min.h"
#else
#include <linux/types.h>
#endif

enum {
	GOTAP_MAX_CAPTURES = 16,	 /* of one site */
	GOTAP_MAX_TEXT = 2047,		 /* bytes of one text */
	GOTAP_MAX_DATA = 4096,		 /* bytes of values in one record, before the last */
	GOTAP_MAX_KEY = 40,		 /* bytes of a map key that is looked up */
	GOTAP_MAX_STRIDE = 48,		 /* bytes of a slot in a swiss map's group */
	GOTAP_MAX_STEPS = 32768,	 /* ops and map groups that one hit may take */
	GOTAP_MAX_OPS = 256,		 /* ops of one site */
	GOTAP_MAX_G_LOADS = 3,		 /* dereferences from a register to g */
	GOTAP_MAX_NONZERO = 64,		 /* bytes of a GOTAP_OP_NONZERO */
	GOTAP_MAX_WINDOW = 256,		 /* bytes of a GOTAP_OP_WINDOW */
	GOTAP_MAX_UNWIND = 4096,	 /* calls that one hit may close */
	GOTAP_MAX_CHAIN = 256,		 /* contexts that are looked at for one span */
	GOTAP_TRACE_ID = 16,		 /* bytes */
	GOTAP_MAX_ATTRIBUTE_KEY = 128,	 /* bytes of an attribute's key; longer ones are left out */
	GOTAP_MAX_ATTRIBUTE_TEXT = 1024, /* bytes of its value */
	GOTAP_SCOPE_WORDS = 12,		 /* of an instrumentation scope's name, 8 bytes each */
};

/* Registers that ops name: the integer arguments of ABIInternal from 0, then these. */
enum gotap_reg {
	GOTAP_REG_G = 16,
	GOTAP_REG_CTX = 17,
	GOTAP_REG_SP = 18,
	GOTAP_REG_KEEP0 = 19,
	GOTAP_REG_KEEP1 = 20,
	GOTAP_REGS = 32,
	GOTAP_REG_NONE = 255, /* the op goes on with the value as it is */
};

enum gotap_event_kind {
	GOTAP_BEGIN,
	GOTAP_END,
	GOTAP_UNWIND,
	GOTAP_POINT,
	GOTAP_REPLACED, /* no event: the process has called exec; only t and proc are set */
	GOTAP_CREATE,	/* no event: a goroutine is created, and inherits */
	GOTAP_DISOWN,	/* no event: this goroutine no longer has anything inherited */
	GOTAP_COVER,	/* no event of its own: the program has made a span itself */
	GOTAP_AGAIN,	/* the call ends, and another one like it begins */
	GOTAP_DETACH,	/* no event: a call goes on after its function, as an object */
};

enum gotap_site_flag {
	GOTAP_SITE_REPEATS = 1,	     /* a second begin at one depth is the same call */
	GOTAP_SITE_BY_GOROUTINE = 2, /* pairs by goroutine, not by depth */
	GOTAP_SITE_BY_OBJECT = 8,    /* what was begun here, or ends, is known by an object */
	GOTAP_SITE_RELATED = 4,	     /* has a parent by context or goroutine if by nothing else */
};

/* Where a site counts only if a register is, or is not, zero. */
enum gotap_site_when {
	GOTAP_WHEN_GIVEN = 1,
	GOTAP_WHEN_ZERO = 2, /* else not zero */
	GOTAP_WHEN_BYTE = 4, /* its lowest byte alone */
};

/* Map `sites`, by the low half of the attach cookie. */
struct gotap_site {
	__u32 probe;	    /* goattach's number for it */
	__u32 span_class;   /* calls of one class pair with each other */
	__u32 code, end;    /* ops [code, end) of map `code` */
	__u32 light;	    /* those from here on only for spans that are sampled */
	__s32 depth_adjust; /* added to stack.hi - SP */
	__u32 goid_off, stack_hi_off;
	__s32 g_off[GOTAP_MAX_G_LOADS]; /* g = *(… *(g_reg + g_off[0]) …) */
	__u8 g_loads, g_reg;
	__u8 event, flags;
	__u32 binary; /* goattach's number for it */
	/* While *(g + panic_off) is not 0: *(*(g + panic_via) + panic_sp) is the SP that a panic
	 * has come to. panic_off is 0 if that is not known. */
	__u16 panic_off, panic_via, panic_sp;
	__u16 go_kind;	     /* its spans' kind, a number of trace.SpanKind */
	__u8 when, when_reg; /* enum gotap_site_when; the argument register that it is of */
	__u8 reserved[2];
	__u64 traced_by; /* gotap_scope_hash() of who makes spans for the same calls; 0: nobody */
};
_Static_assert(sizeof(struct gotap_site) == 72, "gotap_site");

/*
 * Each op first takes the register `base` as the value, unless that is
 * GOTAP_REG_NONE. All but VALUE and REGTEXT end the capture if the value is 0.
 */
enum gotap_op_code {
	GOTAP_OP_WINDOW,  /* copy `max` bytes at value: later reads there cost little */
	GOTAP_OP_ADD,	  /* value += imm */
	GOTAP_OP_LOAD,	  /* value = *(value + imm) */
	GOTAP_OP_ITAB,	  /* go on if *(value + 8), an itab's type, is imm + load bias */
	GOTAP_OP_EFACE,	  /* go on if value is imm + load bias */
	GOTAP_OP_SLICE,	  /* value = address of element imm >> 32 of imm & ~0U bytes each */
	GOTAP_OP_MAP,	  /* value = address of the element for `lookups`[imm] */
	GOTAP_OP_TEXT,	  /* the text whose {pointer, length} are at value + imm */
	GOTAP_OP_REGTEXT, /* the text at value, of as many bytes as register `size` says */
	GOTAP_OP_NUMBER,  /* the number of `size` bytes at value + imm */
	GOTAP_OP_NONZERO, /* whether any of `size` bytes at value + imm is not 0 */
	GOTAP_OP_VALUE,	  /* the value itself */
	GOTAP_OP_ELEM,	  /* like SLICE, of a slice at value with as many elements as register
			     `size` says */
	GOTAP_OP_TEXTS,	  /* all texts of the slice of strings at value + imm, joined by commas */
	/* Attributes, see enum gotap_attribute; imm: bytes of each, and in it the offsets of key,
	 * type, number and text, 8 bits each. */
	GOTAP_OP_ATTRS,	   /* of the slice at value */
	GOTAP_OP_REGATTRS, /* from value on, as many as register `size` says */
};

/* What becomes of what was read. */
enum gotap_role {
	GOTAP_ROLE_EMIT,
	GOTAP_ROLE_TRACEPARENT,
	GOTAP_ROLE_KEEP0,
	GOTAP_ROLE_KEEP1,
	GOTAP_ROLE_UNWIND_SP,
	GOTAP_ROLE_GOEXIT,
	GOTAP_ROLE_NEW_G,	/* the goroutine that is created */
	GOTAP_ROLE_CONTEXT,	/* a context.Context: its span is the parent */
	GOTAP_ROLE_OWN_CONTEXT, /* a context.Context that belongs to the span */
	GOTAP_ROLE_PEER,	/* the caller's address; emitted too */
	GOTAP_ROLE_FOREIGN,	/* a span that the program has made */
	GOTAP_ROLE_OBJECT,	/* the call from now on, or the call that this is about */
	GOTAP_ROLE_OBJECT2,	/* another copy of it */
	GOTAP_ROLE_SCOPE,	/* if it is traced_by, then it is not begun; emitted too */
	GOTAP_ROLE_UNLESS,	/* if it is not 0, likewise */
};

/* Map `code`. The ops of a capture stand together; its last reads. */
struct gotap_op {
	__u8 code, base;
	__u8 capture; /* number of the bit in present, unread, truncated */
	__u8 role;
	__u8 next; /* ops from here to the next capture's first */
	__u8 size;
	__u16 max; /* bytes of text */
	__s64 imm;
};
_Static_assert(sizeof(struct gotap_op) == 16, "gotap_op");

/* Map `lookups`: a constant string key in a Go map, and how the map is built. */
struct gotap_lookup {
	__u8 swiss; /* else buckets with overflow chains (up to Go 1.23) */
	__u8 key_len;
	__u16 slot_size;	     /* swiss: of a slot; hmap: of an element */
	__u32 elem_off;		     /* swiss: in a slot; hmap: of the elements in a bucket */
	__u32 dir_ptr, dir_len;	     /* swiss: in the map */
	__u32 table_groups;	     /* swiss: in a table */
	__u32 log2_buckets, buckets; /* hmap: in the map */
	__u32 overflow;		     /* hmap: in a bucket */
	__u8 key[GOTAP_MAX_KEY];     /* padded with zeros */
};
_Static_assert(sizeof(struct gotap_lookup) == 72, "gotap_lookup");

enum gotap_count {
	GOTAP_LOST_RING,    /* no room in the ring */
	GOTAP_LOST_CALLS,   /* no room for one more open call */
	GOTAP_LOST_THREADS, /* no room for one more thread's scratch memory */
	GOTAP_UNPAIRED,	    /* an end without an open call */
	GOTAP_SUPPRESSED,   /* an end whose begin was lost */
	GOTAP_REPEATED,	    /* a begin that was the same call again */
	GOTAP_NO_GOROUTINE, /* g, its id or its depth made no sense */
	GOTAP_LOST_EXEC,    /* after an exec, before goattach knew the new program */
	GOTAP_CUT,	    /* captures past GOTAP_MAX_STEPS */
	GOTAP_LOST_LINEAGE, /* no room for one more goroutine that inherits */
	GOTAP_LOST_KIN,	    /* no room for one more span that others may be children of */
	GOTAP_SHED_TRACES,  /* traces left out because the ring was too full */
	GOTAP_SHED_CALLS,   /* their calls, all of them */
	GOTAP_BAD_PARENT,   /* a traceparent that is none */
	GOTAP_UNTRUSTED,    /* a traceparent of somebody who is not to be believed */
	GOTAP_COVERED,	    /* calls that the program has spans of its own for */
	GOTAP_UNSAMPLED,    /* spans that are not sampled */
	GOTAP_OVER_RATE,    /* traces that are not sampled for there being too many */
	GOTAP_COUNTS,
};

/* Map `procs`, by process id. */
struct gotap_proc {
	__u32 id;	  /* never used twice */
	__u32 replaced;	  /* the process has called exec, and goattach was told */
	__u64 start;	  /* clock ticks since boot */
	__u64 bias;	  /* load address minus virtual address in the file */
	__u64 start_code; /* where its text was when bias was read; 0: not known */
	__u64 exec_id;	  /* the kernel's count of execs, once a thread was seen; 0: none */
	__u32 image;	  /* gotap_address.image */
	__u32 reserved;
	__u64 count[GOTAP_COUNTS];
};
_Static_assert(sizeof(struct gotap_proc) == 48 + 8 * GOTAP_COUNTS, "gotap_proc");

/* How the program finds the site that was hit. */
enum gotap_find {
	GOTAP_BY_COOKIE = 0,
	GOTAP_BY_ADDRESS = 1, /* there are no cookies */
	GOTAP_BY_BOTH = 2,    /* by address where the cookie has no site's number */
};
#define GOTAP_ASK_ADDRESS 0xffffffffU /* the low half of such a cookie */

/* Map `addresses`, to attach cookies, for sites that have none of their own. */
struct gotap_address {
	__u32 image; /* goattach's number for the file, or for the file in one process */
	__u32 reserved;
	__u64 addr; /* virtual address in the file */
};
_Static_assert(sizeof(struct gotap_address) == 16, "gotap_address");

/*
 * Beside the W3C trace flags of an open call, and inherited with them, whether its trace
 * is recorded. They must not leave the kernel side.
 */
enum gotap_call_flag {
	GOTAP_FLAG_SAMPLED = 1, /* of W3C */
	GOTAP_FLAGS_W3C = 3,
	GOTAP_FLAG_OBJECT = 32, /* of a relative only: it is an object, not a call on a stack */
	GOTAP_FLAG_KEPT = 64,
	GOTAP_FLAG_SHED = 128,
};
enum { GOTAP_SHED_ALL = 256 };

/* Map `trusted`: networks, IPv4 as ::ffff:0:0/96. */
struct gotap_network {
	__u32 bits;
	__u8 addr[16];
};
_Static_assert(sizeof(struct gotap_network) == 20, "gotap_network");

/* Which spans are sampled goes by their parent. */
enum gotap_sample_rule {
	GOTAP_SAMPLE_ROOT,
	GOTAP_SAMPLE_REMOTE, /* a parent that is sampled, elsewhere */
	GOTAP_SAMPLE_REMOTE_NOT,
	GOTAP_SAMPLE_LOCAL, /* likewise, traced by us */
	GOTAP_SAMPLE_LOCAL_NOT,
	GOTAP_SAMPLE_RULES,
};

/* What a program read of goattach's own process: see selfcheck.bpf.h. */
struct gotap_self {
	__u64 start; /* clock ticks since boot */
	__u64 start_code;
	__u64 exec_id;
	__u32 pid;    /* in its own pid namespace */
	__u32 pid_ns; /* that one's number */
};
_Static_assert(sizeof(struct gotap_self) == 32, "gotap_self");

/* Whether the begin of a call got through: its end does what that did. */
enum gotap_call_lost {
	GOTAP_CALL_LOST = 1,
	GOTAP_CALL_COVERED, /* a span of the program's own is this one's: it has that one's ids */
	GOTAP_CALL_DROPPED, /* it is not sampled */
};

/* An open call: what its end and the calls below it need of its begin. */
struct gotap_call {
	__u8 trace_id[16];
	__u8 span_id[8];
	__u64 keep[2];
	__u64 begun;   /* CLOCK_MONOTONIC, ns */
	__u64 context; /* its own context.Context, 0: none */
	__u64 anchor;  /* the span id of the nearest one above that has a context; 0: none */
	__u32 depth;
	__u32 span_class;
	__u32 probe;
	__u8 flags;  /* W3C trace flags, and enum gotap_call_flag */
	__u8 lost;   /* enum gotap_call_lost */
	__u8 kin;    /* enum gotap_kin_key: what it is known by in `kin` */
	__u8 parent; /* has had children on its goroutine's stack */
};
_Static_assert(sizeof(struct gotap_call) == 80, "gotap_call");

/*
 * Map `calls`: each goroutine's stack of open calls. Index 0 holds the innermost
 * one and their number, so that a request without nested spans costs one insert
 * and one delete; index 1 and up hold those below it, outermost first.
 */
struct gotap_call_key {
	__u32 proc; /* gotap_proc.id */
	__u32 index;
	__u64 goid;
};
_Static_assert(sizeof(struct gotap_call_key) == 16, "gotap_call_key");

struct gotap_open {
	struct gotap_call call;
	__u32 count; /* at index 0 */
	__u32 reserved;
	__u64 g; /* the goroutine's address, at index 0 */
};
_Static_assert(sizeof(struct gotap_open) == 96, "gotap_open");

/* Map `objects`: calls that are known by an address, see object.bpf.h. */
struct gotap_object_key {
	__u32 proc;
	__u32 reserved;
	__u64 address;
};
_Static_assert(sizeof(struct gotap_object_key) == 16, "gotap_object_key");

struct gotap_object {
	struct gotap_call call;
	__u64 goid;  /* where it began */
	__u64 other; /* the other address that it is known by; 0: none */
};
_Static_assert(sizeof(struct gotap_object) == sizeof(struct gotap_call) + 16, "gotap_object");

/*
 * The first word of an attribute: its type (of attribute.Value; these have been the same in
 * all versions), bytes of its key, bytes of its value, and whether that was cut.
 */
enum gotap_attribute {
	GOTAP_ATTRIBUTE_BOOL = 1,
	GOTAP_ATTRIBUTE_INT = 2,
	GOTAP_ATTRIBUTE_FLOAT = 3,
	GOTAP_ATTRIBUTE_STRING = 4,
	GOTAP_ATTRIBUTE_KEY_SHIFT = 8,	/* 8 bits */
	GOTAP_ATTRIBUTE_LEN_SHIFT = 16, /* 16 bits */
	GOTAP_ATTRIBUTE_CUT_SHIFT = 32,
};

/*
 * Map `lineage`: what goroutines inherited when they were created. A goroutine's
 * memory (its g) is used again, its id never is: so there are no more entries than
 * there were goroutines at one time.
 */
struct gotap_lineage_key {
	__u32 proc;
	__u32 reserved;
	__u64 g;
};
_Static_assert(sizeof(struct gotap_lineage_key) == 16, "gotap_lineage_key");

struct gotap_lineage {
	__u64 goid;
	__u8 trace_id[16];
	__u8 span_id[8];
	__u64 anchor; /* as in gotap_call */
	__u64 born;   /* CLOCK_MONOTONIC, ns */
	__u32 flags;
	__u32 reserved;
};
_Static_assert(sizeof(struct gotap_lineage) == 56, "gotap_lineage");

enum gotap_kin_key {
	GOTAP_KIN_SPAN = 1,    /* its span id */
	GOTAP_KIN_CONTEXT = 2, /* the address of its context */
};

/*
 * A span that other goroutines' spans may be children of, by its id (which they
 * inherited) or by its context: while it is open, and for some time after.
 */
struct gotap_kin {
	__u64 key;  /* 0: free */
	__u64 mark; /* of a context: what its first words are, as addresses are used again */
	__u8 trace_id[16];
	__u8 span_id[8];
	__u64 ended; /* CLOCK_MONOTONIC, ns; 0: open */
	__u32 proc;
	__u32 flags;
	__u64 check; /* of all but ended: two writers may have met */
};
_Static_assert(sizeof(struct gotap_kin) == 64, "gotap_kin");

enum { GOTAP_KIN_WAYS = 8 };

/* The number of the set for @key, once masked. Addresses differ in their middle bits. */
static inline __u32 gotap_kin_hash(__u64 key, __u32 proc)
{
	return (__u32)((key ^ proc) * 0x9e3779b97f4a7c15ULL >> 40);
}

/* Map `kin`, by hash of the key: the open ones are kept, of those that ended the latest. */
struct gotap_kin_set {
	struct gotap_kin way[GOTAP_KIN_WAYS];
};

/* Map `contexts`: how to get from a type of context to the one that it holds. */
struct gotap_context_key {
	__u32 binary;
	__u32 reserved;
	__u64 type; /* virtual address of its descriptor */
};
_Static_assert(sizeof(struct gotap_context_key) == 16, "gotap_context_key");

struct gotap_context {
	__s32 via;   /* offset of a pointer to follow first, -1: none */
	__u32 off;   /* of the interface */
	__u32 value; /* offset of an interface that may hold a span of the program's; 0: none */
};
_Static_assert(sizeof(struct gotap_context) == 12, "gotap_context");

/*
 * Map `foreign`, by the type that an interface holds (or 0, the one that there is): the
 * spans that an SDK makes, as offsets from where the interface points to.
 */
struct gotap_foreign {
	__u32 trace_id, span_id, flags, kind;
	__s32 scope_via; /* of a pointer to what has the scope, -1: the span has it */
	__u32 scope;	 /* offset of its name, a string */
};
_Static_assert(sizeof(struct gotap_foreign) == 24, "gotap_foreign");

/* A scope's name of @len bytes, with zeros behind it, as a number that is not 0. */
static inline __u64 gotap_scope_hash(const __u64 *words, __u64 len)
{
	__u64 h = len;

	for (int i = 0; i < GOTAP_SCOPE_WORDS; i++)
		h = (h ^ words[i]) * 0x9e3779b97f4a7c15ULL ^ h >> 29;
	return h | 1;
}

/* Map `panics`, by binary: the site where panics are recovered, and its ops. */
struct gotap_panic {
	__u32 site, code, end;
};
_Static_assert(sizeof(struct gotap_panic) == 12, "gotap_panic");

enum gotap_parent {
	GOTAP_PARENT_NONE,
	GOTAP_PARENT_STACK,
	GOTAP_PARENT_REMOTE,
	GOTAP_PARENT_CONTEXT,
	GOTAP_PARENT_GOROUTINE,
	/* None, but a link: to span parent_id of the trace whose id is behind the values. */
	GOTAP_PARENT_LINK,
};

enum gotap_unwind_reason {
	GOTAP_UNWIND_PANIC,
	GOTAP_UNWIND_GOEXIT,
	GOTAP_UNWIND_STALE,
	GOTAP_UNWIND_CLOSED,
	GOTAP_UNWIND_COVERED,
};

/*
 * The record in the ring, followed by `used` bytes of values: for each capture
 * whose bit is set in `present`, in order, 8 bytes of a number, or two bytes of
 * length and the text; each padded to 8 bytes.
 */
struct gotap_event {
	__u64 t; /* CLOCK_MONOTONIC, ns */
	__u64 goid;
	__u32 proc, tid;
	__u32 depth;
	__u32 site; /* key in `sites` */
	__u32 probe;
	__u8 event, parent_from, unwind, flags;
	__u8 trace_id[16];
	__u8 span_id[8];
	__u8 parent_id[8]; /* of an end and an unwind instead: gotap_call.begun */
	__u16 present, unread, truncated;
	__u16 used;
};
_Static_assert(sizeof(struct gotap_event) == 80, "gotap_event");

#endif
