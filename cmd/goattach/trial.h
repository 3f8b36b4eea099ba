/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tries what the kernel lets this process do, by doing it: loads programs of a few
 * instructions, makes small maps, puts a probe on a function of goattach itself
 * that nobody calls. All of it is taken away again before a function returns. 0, or
 * -errno of what was refused.
 */
#ifndef GOATTACH_TRIAL_H
#define GOATTACH_TRIAL_H

#include <stdbool.h>

#include "kernel.h"

/* A program at probes: the bpf system call, with all that a program needs. */
int trial_program(void);
int trial_ring_buffer(void);
/* bpf_probe_write_user, bpf_probe_read_kernel, bpf_get_attach_cookie. */
int trial_write_user(void);
int trial_read_kernel(void);
int trial_cookie(void);
/* A probe, attached in this way, which is not ATTACH_AUTO. */
int trial_uprobe(enum attach_how how);
/*
 * Whether a link for one process meets what all of its threads do, attached as by @k,
 * with @k->how and @k->events. -ENOTSUP if it does not: a uprobe_multi link before Linux
 * 6.10 loses the hits of other threads.
 */
int trial_filter(const struct kernel *k);
/* A program on a map of sockets. */
int trial_sk_msg(void);
/* A program on a control group, a new and empty one. */
int trial_cgroup(void);
/* Events of processes that start and end, over netlink. */
int trial_proc_connector(void);
/* Whether the kernel knows the command, not whether a token can be had. */
int trial_token(void);
/* Whether maps count against RLIMIT_MEMLOCK (before 5.11), as far as can be told. */
bool trial_memlock_counts(void);

#endif
