/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this machine and this user allow. Everything is found out by looking or
 * trying, never from a version number. Used by kernel.c alone; check.h tells all.
 */
#ifndef GOATTACH_PREFLIGHT_H
#define GOATTACH_PREFLIGHT_H

#include <stdbool.h>

#include "errinfo.h"

/*
 * 0 if tracing should work here, else -EPERM or -ENOTSUP and one line in @e that
 * says what is missing and what to do about it. With @btf, a file, the kernel needs no
 * BTF of its own.
 */
int preflight(const char *btf, struct errinfo *e);
/* Whether the kernel has uprobe_multi links (6.6 and later). */
bool preflight_multi(void);

#endif
