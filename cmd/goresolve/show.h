/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text of a binary on stdout, for people. Output errors show at the final flush.
 */
#ifndef GORESOLVE_SHOW_H
#define GORESOLVE_SHOW_H

/* Controls, marks of direction and what is not UTF-8 masked. */
void show_text(const char *s);

#endif
