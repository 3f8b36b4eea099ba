/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The traced processes, as OpenTelemetry resources: made of `process` records,
 * looked up by the pid of a span, kept for a while after `exit`, because spans
 * come later than the end of their process. A resource never changes once made
 * (a new `process` record makes a new one), so that sinks may hold on to it.
 *
 * Only the main thread calls these; another thread may read a resource that is
 * held for it.
 */
#ifndef GOEXPORT_RESOURCE_H
#define GOEXPORT_RESOURCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "attr.h"
#include "stage.h"

/* Most processes that are remembered; the oldest ended ones make room. */
#define RESOURCES_MAX 4096
/* Most attributes of one. */
#define RESOURCE_MAX_ATTRS 128

struct resource {
	uint64_t serial; /* unique in this run */
	const struct attr *attrs;
	size_t n_attrs;
	struct text service, instance; /* service.name and service.instance.id */
	struct text job;	       /* service.name, after service.namespace and '/' if set */
	uint64_t target_hash;	       /* the same for the same job and instance */
	bool has_pid;
	bool known; /* made of a process record, not of a span's pid alone */
	uint32_t pid;
	uint64_t start;	       /* ticks since boot, 0 if unknown */
	_Atomic int64_t ended; /* CLOCK_MONOTONIC, milliseconds, of its exit record; 0 before */
	/* private */
	unsigned refs;
	struct arena arena;
	struct resource *chain, *newer;
};

struct resources;

/*
 * @extra: attributes of the user ("key=value"), @n of them, which win over all
 * others; borrowed. NULL when out of memory.
 */
struct resources *resources_new(const char *const *extra, size_t n);
/*
 * Attributes, likewise, that win over what was found out about a process, but not
 * over what its own environment says. Before the first record.
 */
void resources_base(struct resources *rs, const char *const *base, size_t n);
void resources_free(struct resources *rs);

/*
 * A process record, which comes at @now (clock_ms()) and ends what had its pid
 * before. 0; -EINVAL with the reason in @e; -ENOMEM.
 */
int resources_process(struct resources *rs, const struct record *r, int64_t now, struct errinfo *e);
/* An exit record. A process that is not known is no error. */
int resources_exit(struct resources *rs, const struct record *r, int64_t now, struct errinfo *e);

/*
 * The resource of a span of process @pid (@has_pid false: of an unknown one),
 * borrowed until the next call here. A process that was never reported gets one
 * with service.name unknown_service. NULL when out of memory.
 */
struct resource *resources_of(struct resources *rs, bool has_pid, uint32_t pid);

/* Whether Prometheus takes both for one: the same job and instance. */
bool resource_same_target(const struct resource *a, const struct resource *b);

struct resource *resource_hold(struct resource *r);
void resource_drop(struct resource *r);

#endif
