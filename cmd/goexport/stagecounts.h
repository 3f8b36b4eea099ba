/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the stages before say of themselves in stats records: the last value of each
 * of their counters. Bounded. Called by sink_prometheus, which locks.
 */
#ifndef GOEXPORT_STAGECOUNTS_H
#define GOEXPORT_STAGECOUNTS_H

#include "attr.h"
#include "prompage.h"

#define STAGECOUNTS_MAX 64

struct stagecounts {
	struct {
		char from[16], name[32];
		uint64_t value;
	} count[STAGECOUNTS_MAX];
	size_t n;
};

/* What is too long for it, or one too many, is left out. */
void stagecounts_set(struct stagecounts *s, struct text from, struct text name, uint64_t value);
void stagecounts_render(struct prompage *p, const struct stagecounts *s);

#endif
