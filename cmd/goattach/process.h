/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The selected processes, by the id that goattach gave each (never used twice)
 * and by process id.
 */
#ifndef GOATTACH_PROCESS_H
#define GOATTACH_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "errinfo.h"
#include "gotap_abi.h"
#include "image.h"

struct process {
	struct process *next;	  /* in the table by id */
	struct process *pid_next; /* in the table by pid */
	uint32_t id;
	int pid;
	uint64_t start; /* clock ticks since boot */
	int pidfd;	/* readable when it has ended */
	bool replaced;	/* it has called exec: to be looked at anew */
	uint64_t bias;	/* load address minus virtual address in the file */
	struct image *image;
	uint64_t reported[GOTAP_COUNTS]; /* counts of the BPF side that were passed on */
};

#define PROCESS_BUCKETS 256
struct processes {
	struct process *by_id[PROCESS_BUCKETS];
	struct process *by_pid[PROCESS_BUCKETS];
	uint32_t last_id;
	size_t n;
};

/*
 * A process that runs now: opens a pidfd, and checks the start time. -ESRCH if it
 * is gone, or another one has its pid; other -errno; the process is not in the table
 * until process_add().
 */
int process_open(int pid, uint64_t start, struct process **out, struct errinfo *e);
/* Closes and frees; must not be in the table. */
void process_free(struct process *p);

/* When @pid was started, in clock ticks since boot; 0 if that cannot be read. */
uint64_t process_start(int pid);
/* Where the text of the program that @pid runs begins; 0 if that is not to be known. */
uint64_t process_start_code(int pid);
/* Whether it has ended since it was opened. */
bool process_has_ended(const struct process *p);

void process_add(struct processes *ps, struct process *p);
void process_remove(struct processes *ps, struct process *p);
struct process *process_by_id(const struct processes *ps, uint32_t id);
struct process *process_by_pid(const struct processes *ps, int pid);

#endif
