/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The kernel's types as far as the BPF program needs them, kept by hand so that
 * the build machine needs no BTF. Members of kernel structures are relocated when
 * the program is loaded (CO-RE), so only names and types count here, not places.
 * Register sets are the kernel's ABI and fixed: include/uapi of each arch.
 */
#ifndef VMLINUX_MIN_H
#define VMLINUX_MIN_H

typedef unsigned char __u8;
typedef signed char __s8;
typedef unsigned short __u16;
typedef short __s16;
typedef unsigned int __u32;
typedef int __s32;
typedef unsigned long long __u64;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;

/* include/uapi/linux/bpf.h */
enum {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_LPM_TRIE = 11,
	BPF_MAP_TYPE_RINGBUF = 27,
};
enum {
	BPF_ANY = 0,
	BPF_NOEXIST = 1,
	BPF_F_NO_PREALLOC = 1U << 0,
};
enum {
	BPF_RB_NO_WAKEUP = 1U << 0,
	BPF_RB_FORCE_WAKEUP = 1U << 1,
};
enum {
	BPF_RB_AVAIL_DATA = 0,
};

#if defined(__TARGET_ARCH_x86)
/* arch/x86/include/asm/ptrace.h, 64 bit */
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip,
		cs, flags, sp, ss;
};
#elif defined(__TARGET_ARCH_arm64)
/* arch/arm64/include/uapi/asm/ptrace.h: what a program of type kprobe is given */
struct user_pt_regs {
	__u64 regs[31];
	__u64 sp, pc, pstate;
};
#else
#error "unknown architecture"
#endif

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct mm_struct {
	unsigned long start_code;
};
struct ns_common {
	unsigned int inum;
};
struct pid_namespace {
	struct ns_common ns;
};
struct upid {
	int nr;
	struct pid_namespace *ns;
};
struct pid {
	unsigned int level;
	struct upid numbers[1]; /* one for each level */
};
struct task_struct {
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct mm_struct *mm;
	__u64 self_exec_id;   /* counts execs; 64 bits in 5.7 and later */
	__u64 start_boottime; /* 5.5 and later */
};
struct task_struct___before_5_5 {
	__u64 real_start_time;
};
#pragma clang attribute pop

#endif
