/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this process may do and where it runs, as the kernel tells it: read from
 * /proc and securityfs, nothing tried. Nothing here fails; what cannot be read is
 * said to be unknown.
 */
#ifndef GOATTACH_HOSTINFO_H
#define GOATTACH_HOSTINFO_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/capability.h>
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#define CAP_BPF	    39
#endif

enum lockdown {
	LOCKDOWN_NONE, /* not locked down, or a kernel without lockdown */
	LOCKDOWN_INTEGRITY,
	LOCKDOWN_CONFIDENTIALITY,
	LOCKDOWN_UNKNOWN, /* securityfs is not mounted */
};

struct hostinfo {
	uint64_t caps; /* effective */
	enum lockdown lockdown;
	bool seccomp;	   /* a seccomp filter is on this process */
	bool user_ns;	   /* not in the initial user namespace: capabilities count for little */
	bool pid_ns;	   /* not in the initial pid namespace */
	uint64_t pid_inum; /* number of the pid namespace, 0: unknown */
	uint64_t memlock;  /* soft RLIMIT_MEMLOCK in bytes, UINT64_MAX: none */
};

void hostinfo_read(struct hostinfo *h);
/* Whether @cap is held; CAP_SYS_ADMIN holds CAP_BPF and CAP_PERFMON too (capabilities(7)). */
bool hostinfo_may(const struct hostinfo *h, int cap);

#endif
