/* SPDX-License-Identifier: Apache-2.0 */
/* What goexport --help says. */
#ifndef GOEXPORT_OPTIONS_HELP_H
#define GOEXPORT_OPTIONS_HELP_H

extern const char options_help[];

#endif
