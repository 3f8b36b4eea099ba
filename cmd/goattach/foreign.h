/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a plan says of spans that a program makes itself, with an SDK: from the probe
 * record to the maps. Called by probe.c and slots.c.
 */
#ifndef GOATTACH_FOREIGN_H
#define GOATTACH_FOREIGN_H

#include "kernel.h"
#include "probe.h"

/* Reads "foreign" of the probe record @root into @p. 0; -EINVAL, -ENOMEM. */
int foreign_parse(const struct jsonv *root, struct probe *p, struct errinfo *e);

/* Puts @p's types of spans into the kernel, and takes them out. -errno. */
int foreign_write(struct kernel *k, const struct probe *p);
void foreign_delete(struct kernel *k, const struct probe *p);

/* The kind of @p's spans as a trace.SpanKind (otel's trace/trace.go), 0 if there is none. */
uint16_t foreign_kind(const struct probe *p);
/* gotap_scope_hash() of @p's traced_by, 0 if it has none or that is too long. */
uint64_t foreign_scope(const struct probe *p);

#endif
