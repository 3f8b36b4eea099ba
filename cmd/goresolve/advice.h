/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a user can do about something that is not traced, by the reason in the plan.
 */
#ifndef GORESOLVE_ADVICE_H
#define GORESOLVE_ADVICE_H

/* A sentence; for a reason that is not known "". */
const char *advice_for(const char *reason);

#endif
