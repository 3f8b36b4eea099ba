/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Go libraries (build modes c-shared and plugin) that a process which is no Go program
 * has loaded: gofind and goresolve say so, because nothing of them is traced. Owns
 * nothing that stays.
 */
#ifndef GOTAP_GOLOADED_H
#define GOTAP_GOLOADED_H

#include <stddef.h>

/*
 * Adds to @why the process whose directory in /proc is @dir is no Go program that it has
 * loaded such a library, if so, in @text (@len bytes, which is enough for any errinfo and
 * 300 more). Returns @text, or @why where there is none or that may not be known.
 */
const char *goloaded_text(int dir, const char *why, char *text, size_t len);

#endif
