/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lets go of every right that is not needed once the BPF program is loaded. Called
 * by main, once, while there is one thread: threads that are made later have what
 * is left.
 */
#ifndef GOATTACH_RIGHTS_H
#define GOATTACH_RIGHTS_H

#include <stdbool.h>

#include "errinfo.h"
#include "kernel.h"

/*
 * Keeps CAP_BPF and CAP_PERFMON, which attaching needs, CAP_SYS_PTRACE to look at
 * processes of others, with @any_file CAP_DAC_READ_SEARCH to read programs that only
 * their owner may read, and CAP_SYS_ADMIN where it stands for one of the first two or
 * this kernel wants it for the kind of probe that @k uses: of these what is held.
 * Gives up all other capabilities for good, and gains no new privileges. 0 or -errno
 * with @e.
 */
int rights_drop(const struct kernel *k, bool any_file, struct errinfo *e);

#endif
