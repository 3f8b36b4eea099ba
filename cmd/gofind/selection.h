/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which processes the user asked for. Options of one kind are alternatives, the
 * kinds must all agree: --pid 1 --pid 2 --port 80 is (1 or 2) and 80. A kind that
 * was not given lets everything pass. Filled by options_parse(), which borrows
 * the globs from argv.
 */
#ifndef GOFIND_SELECTION_H
#define GOFIND_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "errinfo.h"
#include "ports.h"

struct globs {
	const char **v;
	size_t n;
};

struct selection {
	int *pids;
	size_t n_pids;
	struct globs exe, module, exclude_exe;
	struct ports ports;
	bool all;
};

void selection_release(struct selection *s);

/* Adds "1,2,3"; -EINVAL with @e set if it is not a list of process ids. */
int selection_add_pids(struct selection *s, const char *list, struct errinfo *e);
/* Adds a glob, borrowed; -ENOMEM. */
int globs_add(struct globs *g, const char *glob);

/* Whether anything but --exclude-exe was given; and anything but --all. */
bool selection_given(const struct selection *s);
bool selection_names(const struct selection *s);

bool selection_pid(const struct selection *s, int pid);
/*
 * --exe and --exclude-exe. A glob with a slash is matched with the whole path,
 * one without with the last element; '*' matches slashes too.
 */
bool selection_exe(const struct selection *s, const char *path);
bool selection_module(const struct selection *s, const char *module);
/* Whether one of the @n listening @ports is wanted. */
bool selection_ports(const struct selection *s, const uint16_t *ports, size_t n);

#endif
