/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The BPF object in the kernel: whether this kernel lets us trace at all, loading,
 * and the maps that goattach writes. A struct kernel owns the object; closing it
 * is the last thing that keeps programs and maps alive, once links are closed.
 */
#ifndef GOATTACH_KERNEL_H
#define GOATTACH_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "errinfo.h"
#include "gotap_abi.h"
#include "sampler.h"
#include "trust.h"

enum attach_how {
	ATTACH_AUTO, /* the first one of these that the kernel has */
	ATTACH_MULTI,
	ATTACH_EVENT, /* all sites of a file as one event of tracefs, found by address */
	ATTACH_PERF,
	ATTACH_ADDRESS, /* either of these, without attach cookies */
};

struct kernel_config {
	enum attach_how how;
	unsigned int max_apart; /* processes of one file that get links of their own */
	const char *btf;	/* a file with the kernel's types; NULL: the kernel has them */
	uint32_t ring_bytes;	/* a power of two, at least a page */
	uint32_t max_processes, max_calls, max_threads;
	uint32_t max_sites, max_ops, max_lookups;
	uint32_t max_goroutines; /* that have inherited a span */
	uint32_t max_relatives;	 /* spans that other goroutines' may be children of */
	uint32_t late_s;	 /* how long after their end */
	struct trust trust;
	struct sampling sampling;
};

struct gotap_bpf;

struct kernel {
	struct gotap_bpf *skel;
	enum attach_how how;  /* not ATTACH_AUTO */
	bool events;	      /* all sites of a file as one event, which ATTACH_ADDRESS may be */
	bool filters;	      /* a link may be for one process alone, of which it misses nothing */
	int prog_fd, exec_fd; /* exec_fd: tells of exec, -1 if nothing does */
	int procs_fd, sites_fd, code_fd, lookups_fd, calls_fd, threads_fd, ring_fd, addresses_fd;
	int lineage_fd, contexts_fd, panics_fd, kin_fd, foreign_fd, objects_fd;
	uint32_t kin_mask; /* sets of map `kin`, less one */
};

/*
 * Finds out how to attach, and loads. -errno with one line in @e that says what is
 * missing and what to do.
 */
int kernel_open(struct kernel *k, const struct kernel_config *c, struct errinfo *e);
void kernel_close(struct kernel *k);

/* "multi", "event", "perf" or "address" */
const char *kernel_how(const struct kernel *k);

/* Tells the BPF side whether the next record must wake the reader. */
void kernel_reader_sleeps(struct kernel *k, bool sleeps);
/* To be called before each drain: the next half-full ring wakes again, and less is shed. */
void kernel_reader_drains(struct kernel *k);

/* From now on contexts may hold spans that a program makes itself. */
void kernel_foreign_known(struct kernel *k);

/* Bytes that the ring held at most since this was last asked for, as far as was looked. */
uint32_t kernel_ring_most(struct kernel *k);

/* Threads that the BPF side has made scratch memory for since the start; wraps. */
uint32_t kernel_threads_made(const struct kernel *k);

#endif
