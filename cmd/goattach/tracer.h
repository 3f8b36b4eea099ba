/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All that goattach holds while it runs. The parts, each a file: intake (records
 * from stdin), ending (processes and files that go away), drain (the ring),
 * report (losses and totals), loop (waiting).
 */
#ifndef GOATTACH_TRACER_H
#define GOATTACH_TRACER_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel.h"
#include "options.h"
#include "output.h"
#include "plan.h"
#include "process.h"
#include "reaper.h"
#include "slots.h"
#include "stage.h"
#include "stuck.h"

enum { GONE_KEPT = 1024 };

/* Processes whose exit was reported before gofind did: its own report is dropped. */
struct gone {
	struct {
		int pid;
		uint64_t start;
	} list[GONE_KEPT];
	size_t next;
};

struct totals {
	uint64_t events[16];		   /* by enum gotap_event_kind */
	uint64_t unknown;		   /* records of what is not known (any more) */
	uint64_t kernel[GOTAP_COUNTS];	   /* from the BPF side, of all processes */
	uint64_t processes, probes, sites; /* attached since the start */
	uint64_t forgotten;		   /* what goroutines inherited, by age */
};

/* When scratch memory of threads was looked through, and what was found. */
struct threads_look {
	uint64_t next;	     /* CLOCK_MONOTONIC, ns: not again before */
	uint32_t made, kept; /* kernel_threads_made() then; how many were alive */
};

struct ring_buffer;

struct tracer {
	const struct options *options;
	struct stage stage;
	struct output output;
	struct kernel kernel;
	struct slots slots;
	struct plan plan;
	struct processes processes;
	struct image *images;
	uint32_t last_image; /* number */
	struct reaper reaper;
	struct ring_buffer *ring;
	struct gone gone;
	size_t replaced; /* processes that have called exec, and are to be looked at anew */
	struct threads_look threads;
	struct stuck stuck;
	struct flight *flight; /* NULL: not asked for */
	struct totals totals, reported;
	struct gotap_lineage_key forget_at; /* where forget_some() goes on, if forgetting */
	bool forgetting;
	int epoll_fd, signal_fd;
	unsigned long process_records; /* seen on stdin */
	bool activity;		       /* records were drained since losses were looked at */
	int failed;		       /* 0, or -errno of the output */
};

/* What an epoll event is about; process ids stand in the low half. */
enum { WAIT_STDIN, WAIT_STDOUT, WAIT_SIGNAL, WAIT_RING, WAIT_REAPER, WAIT_PROCESS };
static inline uint64_t wait_tag(unsigned int what, uint32_t id)
{
	return (uint64_t)what << 32 | id;
}

/*
 * Sets up everything but @t->kernel, which is open. Blocks SIGINT and SIGTERM: they
 * come by @t->signal_fd. @o is borrowed. 0, or -errno with @e filled; in both cases
 * tracer_release() is due, which closes every link and so takes all probes away.
 */
int tracer_init(struct tracer *t, const struct options *o, struct errinfo *e);
void tracer_release(struct tracer *t);

#endif
