/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The maps, and the memory that one hit works in. Sizes marked "set by goattach"
 * are set before the object is loaded.
 */
#ifndef GOTAP_MAPS_BPF_H
#define GOTAP_MAPS_BPF_H

#include "gotap_abi.h"
#include <bpf/bpf_helpers.h>

/* Where a scan of a Go map stands. */
struct map_scan {
	__u64 dir;    /* swiss, large: the next table's place in the directory */
	__u64 tables; /* how many more tables */
	__u64 map;    /* whose directory was read last: dir_ptr and dir_len are */
	__u64 dir_ptr, dir_len;
	__u64 group;   /* address of the group or bucket at hand, 0: the next one */
	__u64 groups;  /* address of the first one of this table */
	__u64 old;     /* hmap: buckets that are not moved yet */
	__u32 at, n;   /* number of the next group, and how many */
	__u32 slot;    /* first slot not looked at */
	__u32 entered; /* the scan of the current op has begun */
};

/* Where the reading of a slice of texts stands. */
struct texts {
	__u64 at, left; /* the next one's place, and how many */
	__u64 used;	/* bytes that are in the record */
	__u32 n;	/* texts that are */
	__u32 entered;	/* the reading of the current op has begun */
};

/* The address of the caller, and where the reading of it stands: trust.bpf.h. */
struct peer {
	__u64 next, end; /* places in the record's values */
	__u32 there;	 /* there is one */
	__u32 is;	 /* 0: not known yet */
	__u32 v6;
	__u32 number, digits; /* of the part at hand */
	__u32 parts, gap;     /* how many there are; how many in front of "::" */
	__u16 part[8];
	__u32 reserved;
};

/* A copy of traced memory that several reads are served from. */
struct copy {
	__u64 addr; /* 0: nothing is copied */
	__u64 len;
};

/* Which open calls to close: the innermost ones, as long as this says so. */
struct closing {
	__u32 deeper_than; /* calls with a greater depth */
	__u32 equal_class; /* and of this class at that depth, 0 for none */
	__u32 keep;	   /* leave this many */
	__u32 reason;	   /* enum gotap_unwind_reason */
	__u32 with_values; /* their records get the values of this hit */
};

struct words {
	__u64 first, second;
};

/*
 * Scratch memory. A thread handles one hit at a time, but it may be preempted in
 * the middle and another thread of the same CPU may then run the same program, so
 * this belongs to the thread, not to the CPU. Being map memory it also makes the
 * verifier forget what values it holds, which keeps its work small.
 */
struct scratch {
	__u32 proc, tgid; /* of the process, gotap_proc.id and pid */
	__u32 image;	  /* gotap_proc.image */
	__u32 unused;
	__u64 bias;    /* gotap_proc.bias */
	__u64 exec_id; /* gotap_proc.exec_id */
	__u64 regs[GOTAP_REGS];
	/* the interpreter */
	__u64 value;
	__u64 number;
	__u32 pc, end; /* ops that are left */
	__u32 kept;    /* bit n: keep[n] was set */
	__u32 goexit;  /* 0 no value, 1 false, 2 true */
	__u64 keep[2];
	__u64 unwind_sp;
	__u32 has_unwind_sp;
	__u32 reserved;
	struct map_scan scan;
	__u64 text[GOTAP_MAX_NONZERO / 8];
	__u8 traceparent[64];
	__u64 traceparent_len; /* 0: none came */
	struct texts texts;
	struct peer peer;
	struct copy window_of, group_of;
	__u8 window[GOTAP_MAX_WINDOW];
	__u8 group[8 + 8 * GOTAP_MAX_STRIDE];
	/* the call that begins or ends, its parent, and which calls to close first */
	struct gotap_call_key key; /* index is 0 between functions */
	struct closing closing;
	struct gotap_open open;
	struct gotap_call parent;
	struct gotap_event closed; /* the record of a call that is closed */
	/* relations to other goroutines: kin.bpf.h, relate.bpf.h */
	__u64 g; /* of this hit */
	__u64 stack_hi;
	__u64 new_g;			   /* of a goroutine that is created */
	struct words context, own_context; /* both words of the interface */
	struct gotap_kin relative, ended;
	/* of a span of the program's own, which relative is: foreign.bpf.h */
	__u64 object, object2; /* addresses that a call is known by */
	struct gotap_object made;
	__u64 own_scope, unless; /* a begin that these speak against is none */
	struct {
		__u64 at, left, off, layout, type, key_len;
		__u32 cut, other; /* the last one is cut; some are of types that are not read */
	} attributes;		  /* how far attributes are read */
	__u64 foreign, foreign_kind, foreign_scope;
	__u64 scope[GOTAP_SCOPE_WORDS];
	struct words text_at;	   /* pointer and length */
	__u32 is_foreign, covered; /* relative is one; it is that of this call */
	__u32 nearer;		   /* relative is nearer than the innermost open call */
	__u32 reserved2;
	/* the record of this hit */
	struct gotap_event ev;
	__u8 data[GOTAP_MAX_DATA + 8 + GOTAP_MAX_TEXT + 1 + GOTAP_TRACE_ID];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024); /* set by goattach */
	__type(key, __u32);
	__type(value, struct gotap_proc);
} procs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by goattach */
	__type(key, __u32);
	__type(value, struct gotap_site);
} sites SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by goattach */
	__type(key, __u32);
	__type(value, struct gotap_op);
} code SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by goattach */
	__type(key, __u32);
	__type(value, struct gotap_lookup);
} lookups SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by goattach */
	__type(key, struct gotap_call_key);
	__type(value, struct gotap_open);
} calls SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1); /* set by goattach */
	__type(key, __u64);	/* process id << 32 | thread id */
	__type(value, struct scratch);
} threads SEC(".maps");

/* What a thread's scratch memory is made from: zeros. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} zero SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1); /* set by goattach */
	__type(key, struct gotap_lineage_key);
	__type(value, struct gotap_lineage);
} lineage SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by goattach, a power of two */
	__type(key, __u32);
	__type(value, struct gotap_kin_set);
} kin SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1); /* set by goattach */
	__type(key, struct gotap_context_key);
	__type(value, struct gotap_context);
} contexts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1); /* set by goattach */
	__type(key, struct gotap_context_key);
	__type(value, struct gotap_foreign);
} foreign SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1); /* set by goattach */
	__type(key, struct gotap_object_key);
	__type(value, struct gotap_object);
} objects SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* set by goattach */
} ring SEC(".maps");

/*
 * Makes @var (an __u64) at most @max where the verifier sees it: the compiler may
 * test a copy of the register, or drop a test that it takes for redundant.
 */
#define AT_MOST(var, max)                                                                          \
	asm volatile("if %0 > %1 goto +1\n\tgoto +1\n\t%0 = %1" : "+r"(var) : "i"(max))

/* Seldom: so the process is looked up only then. */
static __noinline int count(struct scratch *s, enum gotap_count what)
{
	struct gotap_proc *p = bpf_map_lookup_elem(&procs, &s->tgid);

	if (p && what < GOTAP_COUNTS)
		__sync_fetch_and_add(&p->count[what], 1);
	return 0;
}

#endif
