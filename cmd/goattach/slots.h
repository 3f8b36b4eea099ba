/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places of probes in the BPF maps: an attached probe has a number, a run of
 * sites (whose numbers are the attach cookies), and runs of ops and lookups. They
 * are handed out when the first image with the probe is attached, and free again
 * after the last one is gone and its last event is read.
 */
#ifndef GOATTACH_SLOTS_H
#define GOATTACH_SLOTS_H

#include "errinfo.h"
#include "extents.h"
#include "kernel.h"
#include "probe.h"

struct slots {
	struct kernel *kernel; /* borrowed */
	struct extents probes, sites, ops, lookups;
	struct probe **probe;	   /* by number; NULL if free */
	struct probe **site_probe; /* by cookie */
	uint32_t max_probes, max_sites;
};

/* 0 or -ENOMEM. */
int slots_init(struct slots *s, struct kernel *k, const struct kernel_config *c);
void slots_release(struct slots *s);

/*
 * One more image uses @p. 0; -ENOSPC when a map is full, which one is in @e; -errno
 * of a map write.
 */
int slots_take(struct slots *s, struct probe *p, struct errinfo *e);
/* One less. */
void slots_give(struct slots *s, struct probe *p);

/* NULL for a number that no attached probe has. */
struct probe *slots_probe(const struct slots *s, uint32_t index);
/* The probe of a site's cookie, and which of its sites. */
struct probe *slots_site(const struct slots *s, uint32_t cookie, const struct site **site);

#endif
