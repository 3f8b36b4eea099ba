/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the records on stdin mean: handlers for stage.h, given to it by tracer.c. Their context is
 * the tracer, which owns what they make. A record that cannot be used is said and counted.
 */
#ifndef GOATTACH_INTAKE_H
#define GOATTACH_INTAKE_H

#include "stage.h"

/* Looks anew at processes that have called exec. */
struct tracer;
void intake_replaced(struct tracer *t);

extern const struct stage_handler intake_handlers[];

#endif
