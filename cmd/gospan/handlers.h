/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gospan's handlers of the record types that it reads; everything but events is
 * passed on as well. Their context is a struct pairing.
 */
#ifndef GOSPAN_HANDLERS_H
#define GOSPAN_HANDLERS_H

#include "pair.h"
#include "stage.h"

extern const struct stage_handler span_handlers[];

/* Runs the stage @s over its whole input. Returns an enum gotap_exit. */
int handlers_run(struct stage *s, struct pairing *p);

#endif
