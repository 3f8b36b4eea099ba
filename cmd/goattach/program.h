/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which captures run at which sites: those of one event and place share a program.
 * Used by probe.c alone.
 */
#ifndef GOATTACH_PROGRAM_H
#define GOATTACH_PROGRAM_H

#include "probe.h"

/*
 * Makes the programs of @p from its sites and captures; what does not fit at a site
 * is complained about and left out. 0 or -ENOMEM.
 */
int programs_make(struct probe *p, probe_complaint complain, void *arg, struct errinfo *e);

#endif
