/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether kernel structures are where a file of BTF says. A wrong place is no error
 * for the kernel: the program would read something else, and trace nothing or the
 * wrong process. So the loaded object reads what it uses of goattach's own task, and
 * that is compared with what the kernel tells in /proc.
 */
#ifndef GOATTACH_SELFCHECK_H
#define GOATTACH_SELFCHECK_H

#include "errinfo.h"
#include "gotap_abi.h"

/* Whether the file @btf holds BTF. 0 or -errno with @e. */
int selfcheck_file(const char *btf, struct errinfo *e);
/*
 * Runs the program @prog_fd once, which fills @self. @btf is the file's name, for @e.
 * 0; -ESTALE if something is not as it should be; -errno if it cannot be run.
 */
int selfcheck_run(int prog_fd, const struct gotap_self *self, const char *btf, struct errinfo *e);

#endif
