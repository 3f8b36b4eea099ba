/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The half of prompage.c that is about protobuf. Nobody else includes this; the page owns
 * all, and memory that runs out is noted in it.
 */
#ifndef GOEXPORT_PROMPAGE_INTERNAL_H
#define GOEXPORT_PROMPAGE_INTERNAL_H

#include "prompage.h"

void promproto_begin(struct prompage *p, const char *help);
void promproto_end(struct prompage *p);
void promproto_sample(struct prompage *p, const struct resource *r, const struct attr *attrs,
		      size_t n, double value);
void promproto_histogram(struct prompage *p, const struct series *s, const struct point *pt,
			 const struct instrument *in);

#endif
