/* SPDX-License-Identifier: Apache-2.0 */
/* What the records on stdin mean: handlers for stage.h. Their context is the tracer. */
#ifndef GOATTACH_INTAKE_H
#define GOATTACH_INTAKE_H

#include "stage.h"

/* Looks anew at processes that have called exec. */
struct tracer;
void intake_replaced(struct tracer *t);

extern const struct stage_handler intake_handlers[];

#endif
