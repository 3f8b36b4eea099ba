// SPDX-License-Identifier: Apache-2.0
#include "jail.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "confine.h"
#include "debug_file.h"
#include "diag.h"
#include "exits.h"

/* Separate debug files may be beside the operands. */
static void may_read_beside(struct confine *c, char **dirs, size_t *n, const char *path)
{
	char *real = realpath(path, NULL);

	confine_may_read(c, path);
	if (!real || *n == CONFINE_MAX_PATHS) {
		free(real);
		return;
	}
	dirs[(*n)++] = real;
	confine_may_read(c, dirname(real));
}

int jail_enter(struct options *o, struct opener *opener)
{
	struct confine c = { .user = o->user, .need = CONFINE_FILES };
	char *dirs[CONFINE_MAX_PATHS];
	bool records = !o->n_files;
	struct errinfo e;
	size_t n = 0;
	int ret = 0;

	confine_may_read(&c, DEBUG_FILE_USUAL_DIR);
	for (size_t i = 0; i < o->n_debug_dirs; i++)
		confine_may_read(&c, o->debug_dirs[i]);
	for (int i = 0; i < o->n_files; i++) {
		if (strcmp(o->files[i], "-") != 0)
			may_read_beside(&c, dirs, &n, o->files[i]);
		else
			records = true;
	}
	if (records) {
		c.need |= CONFINE_OPENER;
		ret = opener_start(opener, o->user, &e);
		o->opener = opener;
	}
	if (!ret)
		ret = confine_enter(&c, &e);
	while (n)
		free(dirs[--n]);
	if (!ret)
		return -1;
	diag(DIAG_ERROR, "%s", e.text);
	return GOTAP_EXIT_CANNOT;
}
