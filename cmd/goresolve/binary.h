/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One binary with its functions and types, as the planners of goresolve use it.
 */
#ifndef GORESOLVE_BINARY_H
#define GORESOLVE_BINARY_H

#include "errinfo.h"
#include "gobin.h"
#include "gofuncs.h"
#include "gotypes.h"
#include "inlining.h"
#include "sites.h"

struct binary {
	struct gobin *bin;
	struct gofuncs *funcs;
	struct gotypes *types;
	struct inlining *inlining;
	const char *path; /* borrowed: where it was read, for the stream and for people */
};

/*
 * Opens by descriptor (borrowed) or, if @fd is -1, by @path. -errno as from
 * gobin_open(), gofuncs_load() and gotypes_open(), with the reason in @e; -ENOTSUP: packed by
 * UPX; -ENOKEY: its names are obfuscated.
 */
int binary_open(int fd, const char *path, struct binary *b, struct errinfo *e);
void binary_release(struct binary *b);

/* The disassembly of @f: code_new() with this binary's names. The caller frees. */
int binary_code(const struct binary *b, const struct gofunc *f, struct code **out,
		struct errinfo *e);

/* Whether the binary's Go is at least @version ("1.22"); development versions are newest. */
bool binary_go_at_least(const struct binary *b, const char *version);

#endif
