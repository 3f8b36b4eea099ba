/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans of which only a part is attached, because a probe was rejected or left
 * out: without begin or end there can be none of them, however much of the rest
 * is there.
 */
#ifndef GOATTACH_HALVES_H
#define GOATTACH_HALVES_H

#include "image.h"

/* Warns of each, once; @pid is the process that @im was attached for. */
void halves_warn(const struct image *im, int pid);

#endif
