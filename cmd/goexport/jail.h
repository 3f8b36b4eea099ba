/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goexport as the user of --user: see confine.h. Called by main, once, when the options are
 * read and nothing is open; what fails ends the program.
 */
#ifndef GOEXPORT_JAIL_H
#define GOEXPORT_JAIL_H

#include "options.h"

/*
 * Confines the process, before any sink is opened, to the network, to what names and
 * certificates are looked up in, and to the files and directories of the options. -1 to go
 * on, or an enum gotap_exit, with the reason said.
 */
int jail_enter(const struct options *o);

#endif
