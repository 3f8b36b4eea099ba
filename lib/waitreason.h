/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a goroutine waits: the names of runtime.waitReason, whose numbers differ from one
 * version of Go to the next. Used by goattach. Numbers without a name have none here.
 */
#ifndef GOTAP_WAITREASON_H
#define GOTAP_WAITREASON_H

/* The runtime's own text ("chan receive") for @reason in Go 1.@minor; NULL if not known. */
const char *waitreason_name(unsigned int minor, unsigned int reason);

#endif
