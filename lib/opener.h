/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A child that opens the executables of processes for a program that may not do so
 * itself: Landlock forbids a confined process to look at others, and their files may be
 * another user's. The child keeps the two capabilities that this needs, takes nothing but
 * process ids, and may make no other system calls. It ends with its parent.
 */
#ifndef GOTAP_OPENER_H
#define GOTAP_OPENER_H

#include "errinfo.h"

struct opener {
	int fd; /* a socket to it; -1: there is none */
};

/* Starts it, as @user; to be called as root, before confine_enter(). 0 or -errno with @e. */
int opener_start(struct opener *o, const char *user, struct errinfo *e);
/* /proc/@pid/exe, for reading: a descriptor that the caller closes, or -errno. */
int opener_exe(const struct opener *o, int pid);
void opener_release(struct opener *o);

#endif
