/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One binary with its functions and types, as the planners of goresolve use it.
 */
#ifndef GORESOLVE_BINARY_H
#define GORESOLVE_BINARY_H

#include "debug_file.h"
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
	const char *path;	    /* borrowed: where it was read, for the stream and for people */
	char debug_path[256];	    /* of the separate debug file that is used, "" if none is */
	struct errinfo debug_error; /* what is wrong with one that is not; "" */
};

/*
 * Opens by descriptor (borrowed) or, if @fd is -1, by @path. -errno as from
 * gobin_open(), gofuncs_load() and gotypes_open(), with the reason in @e; -ENOTSUP: packed by
 * UPX; -ENOKEY: its names are obfuscated. What was stripped from it is looked for at @where
 * (NULL: nowhere).
 */
int binary_open(int fd, const char *path, const struct debug_places *where, struct binary *b,
		struct errinfo *e);
void binary_release(struct binary *b);

/* The disassembly of @f: code_new() with this binary's names. The caller frees. */
int binary_code(const struct binary *b, const struct gofunc *f, struct code **out,
		struct errinfo *e);

/* Whether the binary's Go is at least @version ("1.22"); development versions are newest. */
bool binary_go_at_least(const struct binary *b, const char *version);

#endif
