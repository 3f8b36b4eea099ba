/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attaching probes to an image, many at once: each is checked, what cannot be
 * attached is left out with a skip record, and the rest gets as few links as the
 * kernel allows.
 */
#ifndef GOATTACH_BATCH_H
#define GOATTACH_BATCH_H

#include <stdbool.h>

#include "image.h"
#include "jsonw.h"
#include "slots.h"

/*
 * Asked between the steps of a long attaching, which takes tens of milliseconds
 * each: does what cannot wait, and says whether to give up.
 */
struct batch_pause {
	bool (*fn)(void *ctx);
	void *ctx;
};

/*
 * Attaches what the plan has for @im's binary and was not considered before; skip
 * records go to @w and name @pid, if it is not 0. 0; -ECANCELED if @pause said so:
 * what is attached by then is in @im, which lacks the rest.
 */
int batch_attach(struct image *im, struct slots *slots, int pid, struct jsonw *w,
		 const struct batch_pause *pause);

#endif
