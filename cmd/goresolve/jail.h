/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goresolve as the user of --user: see confine.h and opener.h. Called by main, once, before
 * any binary is opened; what fails ends the program.
 */
#ifndef GORESOLVE_JAIL_H
#define GORESOLVE_JAIL_H

#include "opener.h"
#include "options.h"

/*
 * Confines the process to reading the operands, what is beside them, and the directories
 * of debug files; @opener gives it the executables of processes, if it will read records.
 * Sets @o->opener. -1 to go on, or an enum gotap_exit, with the reason said.
 */
int jail_enter(struct options *o, struct opener *opener);

#endif
