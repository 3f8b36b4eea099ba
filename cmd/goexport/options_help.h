/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What goexport --help says. A file of its own, as it is long; printed by options.c.
 */
#ifndef GOEXPORT_OPTIONS_HELP_H
#define GOEXPORT_OPTIONS_HELP_H

extern const char options_help[];

#endif
