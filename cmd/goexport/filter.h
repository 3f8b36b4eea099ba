/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which spans somebody wants to see: --slower-than, --status, --service, --route,
 * --match and --trace, and the same conditions in a query of the page. A span is
 * wanted when it meets all of them; a trace when one of its spans is.
 */
#ifndef GOEXPORT_FILTER_H
#define GOEXPORT_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "spanrec.h"

#define FILTER_MAX_MATCHES 16

struct filter_match {
	struct text key, glob; /* of an attribute of the span or of its resource */
};

/* Text is borrowed for good. All zeros: everything is wanted. */
struct filter {
	bool any;	 /* a condition is set */
	uint64_t slower; /* nanoseconds; longer than this */
	bool has_status, has_trace;
	enum span_status status;
	uint8_t trace_id[16];
	struct text service, route; /* globs; empty: any */
	struct text words;	    /* somewhere in the span, whatever the case */
	struct filter_match matches[FILTER_MAX_MATCHES];
	size_t n_matches;
};

/* The condition @name ("slower-than", …) from @value; NULL, or what is wrong with it. */
const char *filter_set(struct filter *f, const char *name, const char *value);
bool filter_wants(const struct filter *f, const struct spanrec *sp);

/* Whether all of @t is like @glob, where * is any text and ? any byte. */
bool glob_matches(struct text glob, struct text t);

#endif
