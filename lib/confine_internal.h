/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of confine.c: paths by Landlock, system calls by seccomp. Nobody else includes
 * this. Once in force they cannot be taken back, so what fails must end the program.
 */
#ifndef GOTAP_CONFINE_INTERNAL_H
#define GOTAP_CONFINE_INTERNAL_H

#include "confine.h"

/* 0 also where the kernel has no Landlock. */
int confine_paths(const struct confine *c, struct errinfo *e);
/* Calls that are not needed fail with EPERM from now on. */
int confine_calls(const struct confine *c, struct errinfo *e);

#endif
