/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is to be traced: the probes of each binary of the stream. goresolve sends
 * a binary's plan once, so all of it is kept. A struct plan owns its probes.
 */
#ifndef GOATTACH_PLAN_H
#define GOATTACH_PLAN_H

#include "probe.h"

struct binary {
	struct binary *next; /* in the table */
	char *id;
	uint32_t number; /* from 1, in the order of their coming */
	struct probe **probes;
	size_t n, cap;
	void *ids; /* the same, as a tree by id (tsearch) */
};

struct plan {
	struct binary *table[256];
	void *classes; /* spans by name, as a tree (tsearch) */
	uint32_t n_classes, n_binaries;
	size_t n_probes;
};

void plan_init(struct plan *p);
void plan_release(struct plan *p);
/*
 * Adds a probe, which the plan owns from here on also after a failure. 0; -EEXIST:
 * its binary has a probe of that id (the new one is freed); -ENOMEM.
 */
int plan_add(struct plan *p, struct probe *probe);
/* NULL if no probe names this binary. */
struct binary *plan_binary(const struct plan *p, const char *id);

#endif
