/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Versions as Go's build information has them: of Go itself, also of pre-releases,
 * development trees, experiments and vendors, and of modules. Used by goresolve for
 * what it knows only by version. Owns nothing, cannot run out of anything.
 */
#ifndef GOTAP_GOVERSION_H
#define GOTAP_GOVERSION_H

#include <stdbool.h>

#include "gobin.h"

struct goversion {
	unsigned int n[3]; /* "go1.24.4": 1, 24, 4; a missing patch is 0 */
	/*
	 * Not quite that release: before it (rc, beta, devel, a pre-release of a
	 * module), or built with an experiment ("X:…"), which may change layouts.
	 */
	bool inexact;
};

/*
 * "go1.25.3", "go1.25.3 X:nocoverageredesign", "go1.24.4-1.el9", "go1.21.3 (Red Hat
 * 1.21.3-1.el9)", "go1.28rc1", "devel go1.28-abcdef Mon …", "go1.28-devel_abcdef Mon …",
 * "v1.85.0-dev"; "go1.22" and "1.22" too. -EINVAL if no version is in it; a module's
 * "v0.0.0-…" and "(devel)" are none.
 */
int goversion_parse(const char *s, struct goversion *out);
/*
 * The version of a module in a binary, of the replacement where there is one; of Go
 * itself for "std". -ENOENT: the binary has no such module; -EINVAL: it has, but its
 * version is none.
 */
int goversion_of(const struct gobin *b, const char *module, struct goversion *out);
/* By the numbers alone: below 0, 0, above 0. */
int goversion_compare(const struct goversion *a, const struct goversion *b);

#endif
