/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Separate files of debug information, as `objcopy --only-keep-debug` makes them and
 * distributions install them: found by the GNU build id, or by the name that the binary
 * has in .gnu_debuglink. The file must be of the very same build: its build id is
 * compared (the GNU one, else Go's), and where there are none the checksum of the link.
 * Used by goresolve alone; what is found may be as hostile as the binary.
 */
#ifndef GOTAP_DEBUG_FILE_H
#define GOTAP_DEBUG_FILE_H

#include <stddef.h>

#include "errinfo.h"
#include "gobin.h"

#define DEBUG_FILE_USUAL_DIR "/usr/lib/debug"

struct debug_places {
	const char *const *dirs; /* before DEBUG_FILE_USUAL_DIR, which comes last */
	size_t n_dirs;
	const char *path; /* of the binary, absolute as its process sees it; NULL: not known */
	int root;	  /* the process's root directory, -1: our own */
};

/*
 * Attaches the debug file of @b to it, if there is one, and puts its path into @used
 * (@len bytes). -ENOENT: there is none; -EUCLEAN: one is where it should be, but of
 * another build or no ELF file, @e says which; -ENOMEM.
 */
int debug_file_attach(struct gobin *b, const struct debug_places *where, char *used, size_t len,
		      struct errinfo *e);

#endif
